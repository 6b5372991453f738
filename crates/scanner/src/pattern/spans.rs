//! What part of a file a place is in: mention is not use.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::Where;

/// The parts of one file, in order, without gaps between what matters.
pub(crate) struct Spans {
    whole: Where,
    parts: Vec<(Range<usize>, Where)>,
    /// Sections whose headings say that what is in them is not to be done.
    denied: Vec<Range<usize>>,
}

/// Words of such headings, lower case.
const DENIALS: [&str; 12] = [
    "forbidden",
    "prohibited",
    "anti-pattern",
    "antipattern",
    "never do",
    "do not ",
    "don't",
    "don\u{2019}t",
    "denied",
    "deny list",
    "blocked",
    "red flag",
];

/// Languages of code blocks that are a text to be read and not a command.
const PROSE_LANGUAGES: [&str; 5] = ["text", "txt", "markdown", "md", "plain"];

impl Spans {
    /// A file that is all one thing.
    pub(crate) fn whole(role: Where) -> Self {
        Self { whole: role, parts: Vec::new(), denied: Vec::new() }
    }

    /// The parts of a Markdown file.
    pub(crate) fn markdown(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut headings = Vec::new();
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
            | Options::ENABLE_STRIKETHROUGH;
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            if let Event::Start(Tag::Heading { level, .. }) = event {
                headings.push((range.start, level, is_denial(&text[range.clone()])));
            }
            let role = match event {
                Event::Start(Tag::MetadataBlock(_)) => Where::FrontMatter,
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    let language = language.to_lowercase();
                    if PROSE_LANGUAGES.contains(&language.as_str()) {
                        Where::Prose
                    } else {
                        Where::Fenced
                    }
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => Where::Fenced,
                Event::Code(_) => Where::Inline,
                Event::Html(html) | Event::InlineHtml(html) if html.starts_with("<!--") => {
                    Where::Comment
                }
                Event::End(TagEnd::HtmlBlock) | Event::Start(Tag::HtmlBlock)
                    if text[range.clone()].starts_with("<!--") =>
                {
                    Where::Comment
                }
                _ => continue,
            };
            parts.push((range, role));
        }
        parts.sort_by_key(|(range, _)| range.start);
        let denied = headings
            .iter()
            .enumerate()
            .filter(|(_, (_, _, denies))| *denies)
            .map(|(at, &(start, level, _))| {
                let next = headings[at + 1..].iter().find(|(_, other, _)| *other <= level);
                start..next.map_or(text.len(), |(end, ..)| *end)
            })
            .collect();
        Self { whole: Where::Prose, parts, denied }
    }

    /// Tells whether a place is in a section about what is not to be done.
    pub(crate) fn is_denied(&self, offset: usize) -> bool {
        let next = self.denied.partition_point(|range| range.start <= offset);
        self.denied[..next].iter().rev().take(DEEPEST).any(|range| range.contains(&offset))
    }

    /// Returns what a place is in: the smallest part that holds it.
    pub(crate) fn at(&self, offset: usize) -> Where {
        let end = self.parts.partition_point(|(range, _)| range.start <= offset);
        self.parts[..end]
            .iter()
            .rev()
            .take(16)
            .find(|(range, _)| range.contains(&offset))
            .map_or(self.whole, |(_, role)| *role)
    }
}

/// How deep headings nest.
const DEEPEST: usize = 6;

fn is_denial(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    DENIALS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{Spans, Where};

    #[test]
    fn each_part_of_a_page_is_told_from_the_others() {
        let text = "---\nname: front\n---\n\nprose and `inline` here\n\n```sh\nfenced\n```\n\n\
                    <!-- comment -->\n\n    indented\n\n```text\nquoted\n```\n\nan <!-- aside --> in it\n";
        let spans = Spans::markdown(text);
        let at = |word: &str| spans.at(text.find(word).expect(word));
        assert_eq!(at("front"), Where::FrontMatter);
        assert_eq!(at("prose"), Where::Prose);
        assert_eq!(at("inline"), Where::Inline);
        assert_eq!(at("fenced"), Where::Fenced);
        assert_eq!(at("comment"), Where::Comment);
        assert_eq!(at("indented"), Where::Fenced);
        assert_eq!(at("quoted"), Where::Prose);
        assert_eq!(at("aside"), Where::Comment);
        assert_eq!(at("in it"), Where::Prose);
    }

    #[test]
    fn a_section_about_what_not_to_do_ends_with_the_next_of_its_level() {
        let text =
            "# Use\n\none\n\n## Forbidden commands\n\ntwo\n\n### More\n\nthree\n\n## Run\n\nfour\n";
        let spans = Spans::markdown(text);
        let denied = |word: &str| spans.is_denied(text.find(word).expect(word));
        assert_eq!(["one", "two", "three", "four"].map(denied), [false, true, true, false]);
    }
}
