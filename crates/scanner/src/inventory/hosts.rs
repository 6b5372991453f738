//! The hosts that addresses in a text name.

use std::sync::LazyLock;

use kitbag_types::{Inventory, Named};
use regex::bytes::Regex;

use crate::pattern::redact;

/// The part of an address that names a host, with whatever stands around it. Behind a backslash
/// nothing of it is left, unless an `@` comes, and then it was not yet the host.
static AUTHORITY: LazyLock<Regex> = LazyLock::new(|| {
    let schemes = r"https?|wss?|s?ftps?|ssh|git|tcp|udp|smtps?|ldaps?|nats|postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?";
    let piece = r#"(?:<[^\s<>]{1,60}>|\$\([^()\n]{1,60}\)|\\@|[^\s/\\?#"'`<>(),;|])"#;
    Regex::new(&format!(r"(?i-u)\b(?:{schemes})://({piece}{{1,400}})")).expect("a test compiles it")
});

/// An address of git by ssh, which has no scheme.
static OF_GIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\bgit@([a-z0-9][a-z0-9.-]{0,252}\.[a-z]{2,24}):")
        .expect("a test compiles it")
});

/// Adds the hosts of a text.
pub(super) fn read(text: &[u8], inventory: &mut Inventory) {
    for found in AUTHORITY.captures_iter(text).chain(OF_GIT.captures_iter(text)) {
        let Some(authority) = found.get(1) else { continue };
        let authority = String::from_utf8_lossy(authority.as_bytes());
        if let Some(host) = host_of(&authority) {
            inventory.insert(Named::Hosts, &host);
        }
    }
}

/// Returns the host of `user:password@host:port`. None if it is a template that says nothing.
fn host_of(authority: &str) -> Option<String> {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => {
            let is_named = address.contains(char::is_alphanumeric);
            return is_named.then(|| format!("[{}]", redact(address).to_ascii_lowercase()));
        }
        None => host.split([':', ']', '[']).next().unwrap_or_default(),
    };
    // What ends a sentence, emphasis or a code of Markdown is not the host.
    let host = host.trim_end_matches(|c: char| c != '}' && c != '>' && !c.is_alphanumeric());
    let is_named = fixed_part(host).trim_matches(['.', '-', '_', '*']).contains('.')
        || (fixed_part(host) == host && host.contains(char::is_alphanumeric));
    // Hosts are the same in either case; a credential in the place of one is not.
    is_named.then(|| redact(host).to_ascii_lowercase())
}

/// Returns what is left of a host without the holes of a template.
fn fixed_part(host: &str) -> String {
    let mut fixed = String::new();
    let mut rest = host;
    while let Some(at) = rest.find(['$', '{', '<', '%']) {
        fixed.push_str(&rest[..at]);
        let hole = &rest[at..];
        let end = match hole.trim_start_matches(['$', '%']).chars().next() {
            Some('{' | '<' | '(') => hole.find(['}', '>', ')']).map(|end| end + 1),
            _ => hole[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(|at| at + 1),
        };
        rest = end.map_or("", |end| hole[end..].trim_start_matches(['}', '%']));
    }
    fixed + rest
}

#[cfg(test)]
mod tests {
    use kitbag_types::{Inventory, Named};
    use proptest::prelude::*;

    use super::read;

    fn hosts(text: &str) -> Vec<String> {
        let mut inventory = Inventory::default();
        read(text.as_bytes(), &mut inventory);
        inventory.names(Named::Hosts).map(str::to_owned).collect()
    }

    #[test]
    fn the_host_is_read_whatever_stands_around_it() {
        let cases: [(&str, &[&str]); 20] = [
            ("see https://Docs.Example.org/a.", &["docs.example.org"]),
            ("https://example.org.", &["example.org"]),
            ("**https://example.org**", &["example.org"]),
            ("<https://example.org>, [a](https://b.example)", &["b.example", "example.org"]),
            ("\"https://example.org\\n\"", &["example.org"]),
            ("http://localhost:8080", &["localhost"]),
            ("postgres://app:pw@db.internal/app", &["db.internal"]),
            ("https://good.example:x@evil.example/", &["evil.example"]),
            ("https://good.example@evil.example", &["evil.example"]),
            ("https://good.example\\@evil.example", &["evil.example"]),
            ("http://[2001:DB8::1]:80/", &["[2001:db8::1]"]),
            ("http://2130706433/", &["2130706433"]),
            ("https://p\u{430}ypal.example/", &["p\u{430}ypal.example"]),
            ("https://a_b.example/", &["a_b.example"]),
            ("git clone git@git.example.org:a/b", &["git.example.org"]),
            ("https://${host}/a https://{{host}}:80 https://<your-host>/ https://$HOST/", &[]),
            ("https://{name}.example.org/", &["{name}.example.org"]),
            ("https://<account>.blob.example.org/", &["<account>.blob.example.org"]),
            ("https://$(hostname).evil.example/x", &["$(hostname).evil.example"]),
            ("https://... and https://", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(hosts(text), expected, "{text}");
        }
    }

    #[test]
    fn a_credential_in_the_place_of_a_host_is_not_shown() {
        let token = ["ghp", "_", "qEwjky40UVsWm", "flzdE1F8ResqEDusTpkr0cS"].concat();
        let shown = hosts(&format!("https://{token}/ and https://user:{token}@example.org"));
        assert!(!shown.concat().contains("qewjky"), "{shown:?}");
        assert!(shown.contains(&"example.org".to_owned()), "{shown:?}");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(https://)?[\\PC\\n]{0,80}", tail in "[${}<>%()@:\\[\\].a\\\\]{0,20}") {
            let shown = hosts(&format!("{text} https://{tail}"));
            prop_assert!(shown.iter().all(|host| host.chars().any(char::is_alphanumeric)));
        }
    }
}
