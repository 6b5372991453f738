//! The one table of rules for `SKILL.md`.

use crate::{Class, Rule};

macro_rules! rules {
    ($($name:ident $id:literal $class:ident $meaning:literal;)+) => {
        $(pub(crate) static $name: Rule = Rule { id: $id, class: Class::$class, meaning: $meaning };)+

        /// Every rule, by name.
        pub const RULES: &[Rule] = &[$(Rule { id: $id, class: Class::$class, meaning: $meaning },)+];
    };
}

rules! {
    ALLOWED_TOOLS_FORM "manifest/allowed-tools-form" Warning "`allowed-tools` is not one text with blanks between the tools";
    BYTE_ORDER_MARK "manifest/byte-order-mark" Warning "the file begins with a byte-order mark";
    COMPATIBILITY_NOT_TEXT "manifest/compatibility-not-text" Strict "`compatibility` is a list or a mapping, and is left out";
    COMPATIBILITY_TOO_LONG "manifest/compatibility-too-long" Strict "`compatibility` has more than 500 characters";
    CONTROL_CHARACTER "manifest/control-character" Fatal "the front matter holds a control character";
    CRLF "manifest/crlf" Warning "lines end with a carriage return";
    DESCRIPTION_MISSING "manifest/description-missing" Fatal "there is no `description`";
    DESCRIPTION_NOT_TEXT "manifest/description-not-text" Fatal "`description` is a list or a mapping";
    DESCRIPTION_TOO_LONG "manifest/description-too-long" Strict "`description` has more than 1,024 characters";
    FIELD_NOT_TEXT "manifest/field-not-text" Warning "a field that is text has another form, and is left out";
    FILE_NAME "manifest/file-name" Warning "the file is not called `SKILL.md`";
    FRONT_MATTER_MISSING "manifest/front-matter-missing" Fatal "the file does not begin with `---`";
    FRONT_MATTER_OPEN "manifest/front-matter-open" Fatal "no line `---` closes the front matter";
    FRONT_MATTER_TOO_LARGE "manifest/front-matter-too-large" Fatal "the front matter has more than 64 KiB";
    LOOKS_LIKE_OTHER_TYPE "manifest/looks-like-other-type" Warning "a text looks like a number, a truth value or a date, and is kept as it is written";
    NAME_DIFFERS_FROM_FOLDER "manifest/name-differs-from-folder" Strict "`name` is not the name of the folder";
    NAME_INVALID "manifest/name-invalid" Strict "`name` breaks the rule for names";
    NAME_MISSING "manifest/name-missing" Fatal "there is no `name`";
    NAME_NOT_TEXT "manifest/name-not-text" Fatal "`name` is a list or a mapping";
    NOT_A_MAPPING "manifest/not-a-mapping" Fatal "the front matter is not a list of `key: value`";
    NOT_UTF8 "manifest/not-utf8" Fatal "the file is not UTF-8";
    TWO_FILES "manifest/two-files" Warning "there are two files that may be the manifest";
    UNEVEN_INDENTATION "manifest/uneven-indentation" Strict "mappings in one mapping are indented by different amounts";
    UNKNOWN_KEY "manifest/unknown-key" Strict "the specification does not know this key";
    UNQUOTED_VALUE "manifest/unquoted-value" Strict "a value must be quoted to be YAML; the whole line is taken as text";
    YAML_DUPLICATE_KEY "manifest/yaml-duplicate-key" Fatal "a key is there twice";
    YAML_FEATURE "manifest/yaml-feature" Fatal "anchors, aliases, tags, merge keys, directives and second documents are not allowed";
    YAML_SYNTAX "manifest/yaml-syntax" Fatal "the front matter is not YAML";
    YAML_TAB "manifest/yaml-tab" Fatal "there is a tab outside quotes, block texts and comments";
    YAML_TOO_DEEP "manifest/yaml-too-deep" Fatal "values are nested more than 64 deep";
}
