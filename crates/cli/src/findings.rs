//! Findings as a person reads them: what, where, the line with the place marked, what to do.

use std::fmt::Write as _;

use kitbag_lifecycle::Excerpt;
use kitbag_types::{Finding, Severity, printable};

use crate::output::width;

/// How many places of a terminal a line takes: with its number and the dots, it fits into 100.
const SHOWN: usize = 84;

/// How many of them it takes in front of what is marked at most, so that some are left for that.
const SHOWN_BEFORE: usize = 44;

/// How a tab is shown: as wide everywhere, so that the mark stands where it should.
const TAB: &str = "    ";

/// Shows findings, the heaviest first.
pub(crate) fn show_findings(findings: &[Finding]) -> String {
    show_with_lines(findings, &[])
}

/// Shows findings, the heaviest first, each with the line it is about where there is one.
pub(crate) fn show_with_lines(findings: &[Finding], excerpts: &[Option<Excerpt>]) -> String {
    let lines = excerpts.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let mut sorted: Vec<(&Finding, Option<&Excerpt>)> = findings.iter().zip(lines).collect();
    sorted.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.severity));
    let mut out = String::new();
    for (finding, excerpt) in sorted {
        push(
            &mut out,
            format_args!(
                "  {:<8} {}{} [{}]\n",
                finding.severity,
                place(finding),
                printable(&finding.message),
                finding.rule
            ),
        );
        // What nobody has to do anything about is one line.
        if finding.severity == Severity::Info {
            continue;
        }
        if let (Some(excerpt), Some(line)) = (excerpt, finding.line) {
            show_line(&mut out, line, excerpt);
        }
        if let Some(remedy) = &finding.remedy {
            push(&mut out, format_args!("           remedy: {}\n", printable(remedy)));
        }
    }
    out
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string cannot fail");
}

fn place(finding: &Finding) -> String {
    let Some(file) = &finding.file else { return String::new() };
    let mut place = printable(file).to_string();
    for number in [finding.line, finding.column].into_iter().flatten() {
        push(&mut place, format_args!(":{number}"));
    }
    place + ": "
}

/// Shows a line and a mark below the place in it.
fn show_line(out: &mut String, number: u32, excerpt: &Excerpt) {
    let mut before: Vec<String> = Vec::new();
    let before_is_cut = fill(&mut before, excerpt.before.chars().rev(), SHOWN_BEFORE);
    let taken: usize = before.iter().map(|piece| width(piece)).sum();
    before.reverse();
    let mut after: Vec<String> = Vec::new();
    let after_is_cut = fill(&mut after, excerpt.after.chars(), SHOWN - taken);
    let dots = |is_cut| if is_cut { "\u{2026}" } else { "" };
    let head = format!("{}{}", dots(before_is_cut || excerpt.cut_before), before.concat());
    let tail = format!("{}{}", after.concat(), dots(after_is_cut || excerpt.cut_after));
    push(out, format_args!("{}\n", format!("{number:>10} | {head}{tail}").trim_end()));
    push(out, format_args!("{:>10} | {:>blanks$}^\n", "", "", blanks = width(&head)));
}

/// Takes characters as they are shown, as many as have room, and tells whether some had none.
fn fill(shown: &mut Vec<String>, characters: impl Iterator<Item = char>, room: usize) -> bool {
    let mut taken = 0;
    for character in characters {
        let piece = match character {
            '\t' => TAB.to_owned(),
            _ => printable(character.encode_utf8(&mut [0; 4])).to_string(),
        };
        taken += width(&piece);
        if taken > room {
            return true;
        }
        shown.push(piece);
    }
    false
}

#[cfg(test)]
mod tests {
    use kitbag_lifecycle::Excerpt;

    use super::{SHOWN, SHOWN_BEFORE, show_line};
    use crate::output::width;

    fn shown(before: &str, after: &str) -> Vec<String> {
        let (before, after) = (before.to_owned(), after.to_owned());
        let excerpt = Excerpt { before, after, cut_before: false, cut_after: false };
        let mut out = String::new();
        show_line(&mut out, 7, &excerpt);
        out.lines().map(str::to_owned).collect()
    }

    /// The mark stands below `marked`, in places of a terminal.
    #[track_caller]
    fn check(before: &str, after: &str, marked: &str) {
        let lines = shown(before, after);
        let at = lines[0].rfind(marked).expect("the place is shown");
        let mark = lines[1].strip_suffix('^').expect("a mark");
        assert_eq!(width(&lines[0][..at]), width(mark), "{lines:#?}");
    }

    #[test]
    fn the_mark_stands_below_the_place_whatever_comes_before_it() {
        check("", "here", "here");
        check("plain ", "here", "here");
        check("na\u{ef}ve \u{441}\u{43b}\u{43e}\u{432}\u{43e} ", "here", "here");
        check("\u{6f22}\u{5b57} \u{1f600} ", "here", "here");
        check("e\u{301} \u{2764}\u{fe0f} ", "here", "here");
        check("\t\tif ", "here", "here");
        check("\u{1b}[2J\u{202e}\u{200b}", "here", "here");
        check("", "\u{202e}evil", "\\u{202e}evil");
        check(&"x".repeat(500), "here", "here");
        check("at the end", "", "");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_shown_and_lines_stay_lines() {
        let lines = shown("\u{1b}]0;title\u{7}a\rb", "\u{202e}c\u{85}\u{2028}d");
        assert_eq!(lines.len(), 2);
        let is_raw = |c: char| c.is_control() || ('\u{200b}'..='\u{202e}').contains(&c);
        assert!(!lines[0].contains(is_raw), "{lines:?}");
    }

    #[test]
    fn a_line_is_shown_up_to_the_limits_and_cut_beyond() {
        let line = |before, after| shown(&"b".repeat(before), &"a".repeat(after)).remove(0);
        let shown_after = SHOWN - SHOWN_BEFORE;
        assert!(!line(SHOWN_BEFORE, shown_after).contains('\u{2026}'));
        assert!(!line(0, SHOWN).contains('\u{2026}'));
        assert!(line(0, SHOWN + 1).ends_with("a\u{2026}"));
        let cut = line(SHOWN_BEFORE + 1, shown_after + 1);
        assert!(cut.contains("| \u{2026}b") && cut.ends_with("a\u{2026}"), "{cut}");
        let most = width(&cut);
        assert!(most <= 100, "{most}");
        assert_eq!(width(&line(5000, 5000)), most);
        // An escape is shown whole or not at all.
        let hidden = shown(&"\u{202e}".repeat(9), "x").remove(0);
        assert!(hidden.contains("| \u{2026}\\u{202e}"), "{hidden}");
    }
}
