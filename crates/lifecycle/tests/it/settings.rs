//! Where things lie.

use std::path::{Path, PathBuf};

use kitbag_lifecycle::{Inputs, Settings};
use kitbag_types::{Code, Coded as _};

fn inputs(current_dir: &Path) -> Inputs {
    Inputs {
        current_dir: current_dir.to_owned(),
        data_dir: Some(current_dir.join("data")),
        ..Inputs::default()
    }
}

#[test]
fn the_root_is_found_in_the_documented_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let base = fs_err::canonicalize(folder.path()).expect("canonical");
    let project = base.join("a/.gorombo/b/c");
    fs_err::create_dir_all(&project).expect("created");
    fs_err::create_dir_all(base.join("a/.gorombo/b/db")).expect("created");
    let root = |inputs: &Inputs| Settings::resolve(inputs).expect("resolved").root;
    let mut given = inputs(&project);
    assert_eq!(root(&given), base.join("a/.gorombo"));
    given.gorombo_root = Some("g".into());
    assert_eq!(root(&given), project.join("g"));
    given.kitbag_root = Some(base.join("k"));
    assert_eq!(root(&given), base.join("k"));
    given.root = Some("r".into());
    assert_eq!(root(&given), project.join("r"));

    let plain = base.join("p/q");
    fs_err::create_dir_all(&plain).expect("created");
    assert_eq!(root(&inputs(&plain)), plain.join("data/kitbag"));
    fs_err::write(base.join("p/gorombo.config.json"), "{}").expect("written");
    assert_eq!(root(&inputs(&plain)), base.join("p"));
}

#[test]
fn overrides_resolve_below_the_root_and_never_leave_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let base = fs_err::canonicalize(folder.path()).expect("canonical");
    let root = base.join("root");
    fs_err::create_dir_all(root.join("real")).expect("created");
    std::os::unix::fs::symlink(&base, root.join("out")).expect("linked");
    let with = |database: &str, capabilities: &str, capability: &str| {
        let path = |text: &str| (!text.is_empty()).then(|| PathBuf::from(text));
        Settings::resolve(&Inputs {
            root: Some(root.clone()),
            database: path(database),
            capabilities: path(capabilities),
            capability: path(capability),
            ..inputs(&base)
        })
    };
    let settings = with("", "", "").expect("defaults");
    assert_eq!(settings.database, root.join("db/capabilities.sqlite"));
    assert_eq!(settings.capabilities, root.join("capabilities"));
    assert_eq!(settings.workspace, root.join("workspace"));
    assert_eq!(with("x/y.sqlite", "", "").expect("below").database, root.join("x/y.sqlite"));
    assert_eq!(
        with("", "real", "other").expect("the newer name wins").capabilities,
        root.join("real")
    );
    assert_eq!(with("", "", "other").expect("the fallback").capabilities, root.join("other"));
    assert_eq!(
        with("/abs/x.sqlite", "", "").expect("absolute").database,
        Path::new("/abs/x.sqlite")
    );
    for escape in ["../x", "a/../../x", "out/x"] {
        let error = with(escape, "", "").expect_err(escape);
        assert_eq!(error.code(), Code::SettingsEscape, "{escape}");
        assert_eq!(
            with("", escape, "").expect_err(escape).code(),
            Code::SettingsEscape,
            "{escape}"
        );
    }
}

#[test]
fn a_root_that_is_a_file_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    fs_err::write(&file, "x").expect("written");
    for root in [file.clone(), file.join("below")] {
        let error = Settings::at(&root).expect_err("refused");
        assert_eq!(error.code(), Code::SettingsRootUnusable);
    }
}
