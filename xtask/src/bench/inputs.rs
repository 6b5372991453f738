//! What is measured on: made anew for each run, the same each time.

use std::path::Path;

use anyhow::Result;

/// Bytes that look like a text and do not compress to nothing, the same for the same seed.
fn text(seed: u64, length: usize) -> String {
    const WORDS: [&str; 16] = [
        "the", "report", "lists", "every", "change", "since", "last", "week", "and", "names",
        "who", "made", "it", "with", "a", "reason",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut out = String::with_capacity(length + 16);
    while out.len() < length {
        // xorshift64
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.push_str(WORDS[(state % 16) as usize]);
        out.push(if state.is_multiple_of(11) { '\n' } else { ' ' });
    }
    out
}

/// Writes a skill of so many files of so many bytes.
pub(super) fn skill(folder: &Path, name: &str, files: usize, bytes: usize) -> Result<()> {
    fs_err::create_dir_all(folder)?;
    let front = format!("---\nname: {name}\ndescription: Measures {name}.\n---\n\n# {name}\n");
    fs_err::write(folder.join("SKILL.md"), front)?;
    for number in 1..files {
        let part = folder.join(format!("part-{}", number % 20));
        fs_err::create_dir_all(&part)?;
        fs_err::write(part.join(format!("{number}.md")), text(number as u64, bytes))?;
    }
    Ok(())
}

/// Writes so many skills of four files of 2 KiB each.
pub(super) fn skills(folder: &Path, first: usize, count: usize) -> Result<()> {
    for number in first..first + count {
        let name = format!("skill-{number}");
        skill(&folder.join(&name), &name, 4, 2048)?;
    }
    Ok(())
}
