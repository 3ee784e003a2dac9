//! The ways in which a manifest names a dependency.

use super::{dependencies, name_in};

#[track_caller]
fn check(manifest: &str, expected: Option<&str>) {
    let workspace = "[workspace.dependencies]\nshort = { path = \"x\", package = \"windlass\" }\n";
    let from_workspace =
        |key: &str| dependencies(workspace, "workspace.dependencies").find(|entry| entry.key == key)?.package;
    assert_eq!(name_in(manifest, "windlass", from_workspace).as_deref(), expected, "{manifest}");
}

#[test]
fn a_dependency_is_found_in_every_spelling() {
    check("[dependencies]\nwindlass = \"0.1\"\n", Some("windlass"));
    check(
        "[dependencies]\nserde = \"1\"\nwindlass = { version = \"0.1\", features = [\"full\"] } # all\n",
        Some("windlass"),
    );
    check("[dependencies]\nwindlass.workspace = true\n", Some("windlass"));
    check("[dependencies]\nwindlass = { workspace = true }\n", Some("windlass"));
    check("[ dependencies ]\n\"windlass\"=\"0.1\"\n", Some("windlass"));
    check("[dependencies.windlass]\nversion = \"0.1\"\n", Some("windlass"));
    check("[dev-dependencies]\nwindlass = \"0.1\"\n", Some("windlass"));
    check("[target.'cfg(unix)'.dependencies]\nwindlass = \"0.1\"\n", Some("windlass"));
    check(
        "[target.\"cfg(target_os = 'linux')\".dev-dependencies.windlass]\nversion = \"0.1\"\n",
        Some("windlass"),
    );
}

#[test]
fn a_renamed_dependency_is_found_by_its_package() {
    check("[dependencies]\nw = { package = \"windlass\", version = \"0.1\" }\n", Some("w"));
    check("[dependencies.w]\nversion = \"0.1\"\npackage = 'windlass'\n", Some("w"));
    check("[dependencies]\nshort.workspace = true\n", Some("short"));
    check("[dependencies]\nshort = { workspace = true, features = [\"full\"] }\n", Some("short"));
}

#[test]
fn other_tables_and_packages_are_not_dependencies() {
    check("[package]\nname = \"windlass\"\n[features]\nwindlass = []\n", None);
    check(
        "[dependencies]\nwindlass-tool = \"0.1\"\nwindlass = { package = \"other\", version = \"1\" }\n",
        None,
    );
    check("[[bin]]\nname = \"windlass\"\n[workspace.dependencies]\nwindlass = \"0.1\"\n", None);
    check("", None);
}
