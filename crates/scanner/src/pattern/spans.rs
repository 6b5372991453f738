//! What part of a file a place is in: mention is not use.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::Where;

/// The parts of one file, in order, without gaps between what matters.
pub(crate) struct Spans {
    whole: Where,
    parts: Vec<(Range<usize>, Where)>,
}

/// Languages of code blocks that are a text to be read and not a command.
const PROSE_LANGUAGES: [&str; 5] = ["text", "txt", "markdown", "md", "plain"];

impl Spans {
    /// A file that is all one thing.
    pub(crate) fn whole(role: Where) -> Self {
        Self { whole: role, parts: Vec::new() }
    }

    /// The parts of a Markdown file.
    pub(crate) fn markdown(text: &str) -> Self {
        let mut parts = Vec::new();
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
            | Options::ENABLE_STRIKETHROUGH;
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
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
        Self { whole: Where::Prose, parts }
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
}
