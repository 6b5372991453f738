//! The one table of built-in rules.

use kitbag_types::{Code, Severity};

use crate::rules::{Family, Layer, RuleInfo};
use crate::{manifest, text};

/// What the package reader may refuse a package for. Each is a finding of the same name.
pub(crate) const PACKAGE_CODES: &[Code] = &[
    Code::PackageCaseCollision,
    Code::PackageChanged,
    Code::PackageDevice,
    Code::PackageEmpty,
    Code::PackageFifo,
    Code::PackageFileTooLarge,
    Code::PackageHardLink,
    Code::PackageNameTooLong,
    Code::PackageNonUtf8,
    Code::PackagePathAbsolute,
    Code::PackagePathBackslash,
    Code::PackagePathControl,
    Code::PackagePathEmpty,
    Code::PackagePathNotNfc,
    Code::PackagePathTooLong,
    Code::PackagePathTrailing,
    Code::PackagePathTraversal,
    Code::PackagePathWindows,
    Code::PackageSocket,
    Code::PackageSymlink,
    Code::PackageTooDeep,
    Code::PackageTooLarge,
    Code::PackageTooManyFiles,
    Code::PackageUnreadable,
];

pub(crate) const PORTABILITY: &str = "package/portability";
pub(crate) const SHEBANG_NOT_EXECUTABLE: &str = "package/shebang-not-executable";
pub(crate) const LFS_POINTER: &str = "content/lfs-pointer";
pub(crate) const POSES_AS_TEXT: &str = "content/poses-as-text";

pub(crate) const MACHINE_PROGRAM: &str = "content/machine-program";
pub(crate) const BYTE_CODE: &str = "content/byte-code";
pub(crate) const ARCHIVE: &str = "content/archive";
pub(crate) const NO_PROGRAM: &str = "code/no-program";
pub(crate) const UNSEEN_PROGRAM: &str = "code/unseen-program";
pub(crate) const DEFEATS_PARSER: &str = "code/defeats-parser";

pub(crate) fn builtin() -> Vec<RuleInfo> {
    let mut rules: Vec<RuleInfo> = PACKAGE_CODES
        .iter()
        .map(|code| {
            let (id, meaning) = (code.as_str(), code.meaning());
            RuleInfo::new(id, Family::Package, Severity::Critical, meaning, code.remedy())
        })
        .collect();
    rules.extend([
        RuleInfo::new(
            PORTABILITY,
            Family::Package,
            Severity::Low,
            "a path cannot be written on every system: it holds one of `:<>\"|?*` or is long",
            Some("rename the file, so that the package can be unpacked on Windows too"),
        ),
        RuleInfo::new(
            SHEBANG_NOT_EXECUTABLE,
            Family::Package,
            Severity::Info,
            "a file begins with `#!` and is not executable",
            Some("run `chmod +x` on it where it comes from; Kitbag copies mode bits as they are"),
        ),
        RuleInfo::new(
            LFS_POINTER,
            Family::Content,
            Severity::Medium,
            "a file is a pointer of Git LFS: what it stands for was not fetched",
            Some("clone the repository with Git LFS and add the folder"),
        ),
        RuleInfo::new(
            POSES_AS_TEXT,
            Family::Content,
            Severity::Medium,
            "a file has the name of a text and the content of something else",
            Some("save it as UTF-8, or give it the extension of what it is"),
        ),
        blob(
            MACHINE_PROGRAM,
            "a program of a machine (info), and the instructions name it (medium)",
        ),
        blob(BYTE_CODE, "code of a virtual machine (info), and the instructions name it (medium)"),
        blob(ARCHIVE, "an archive (info), and the instructions name it (medium)"),
        RuleInfo::new(
            NO_PROGRAM,
            Family::Code,
            Severity::Low,
            "a file with the name of a program that no engine runs",
            Some("correct its syntax, or give it the extension of what it is"),
        )
        .of_layer(Layer::Indicator),
        RuleInfo::new(
            UNSEEN_PROGRAM,
            Family::Code,
            Severity::Medium,
            "a program that may run, and whose calls nobody has seen",
            Some("split it, or ship its source instead of a bundle; then read what it does"),
        )
        .of_layer(Layer::Indicator),
        RuleInfo::new(
            DEFEATS_PARSER,
            Family::Code,
            Severity::Medium,
            "a program that a parser cannot get through in reasonable time and memory",
            Some("write it so that it can be read"),
        )
        .of_layer(Layer::Indicator),
    ]);
    rules.extend(text::rules());
    rules.extend(manifest::rules());
    rules.extend(crate::pattern::builtin().rules.iter().map(crate::pattern::Pattern::info));
    rules
}

/// What nobody can read.
fn blob(id: &'static str, meaning: &'static str) -> RuleInfo {
    let remedy = "ship the source, or say where it comes from and what it does";
    RuleInfo::new(id, Family::Content, Severity::Info, meaning, Some(remedy))
        .of_layer(Layer::Indicator)
}
