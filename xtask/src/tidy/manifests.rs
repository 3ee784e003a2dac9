//! Checks of manifests: inherited keys, a crate's own keys, and the sources of dependencies.
//!
//! Only the text shows whether a value is inherited, so these checks read lines; all manifests have one key
//! per line.

use super::Findings;
use crate::project::Package;

const INHERITED: [&str; 3] = ["edition", "rust-version", "license"];

/// The documentation has all features, and names the feature of each item.
const DOCS_RS: &str =
    "[package.metadata.docs.rs]\nall-features = true\nrustdoc-args = [\"--cfg\", \"docsrs\"]";

/// Checks the manifest of a package; `root` is the manifest of the workspace.
pub(super) fn check(package: &Package, manifest: &str, root: &str, found: &mut Findings) {
    let path = format!("{}/Cargo.toml", package.folder);
    let mut report = |problem: String| found.errors.push(format!("{path}: {problem}"));
    for key in INHERITED {
        if !has_line(manifest, &format!("{key}.workspace = true")) {
            report(format!("`{key}.workspace = true` is missing"));
        }
    }
    if !manifest.contains("[lints]\nworkspace = true") {
        report("`[lints] workspace = true` is missing".to_owned());
    }
    if package.description.is_empty() {
        report("`description` is missing".to_owned());
    }
    for problem in foreign_dependencies(manifest, root) {
        report(problem);
    }
    if let Some(folder) = package.layer_name() {
        for problem in crate_rules(package, folder, manifest) {
            report(problem);
        }
    }
}

/// Returns the violations of the rules for published crates.
fn crate_rules(package: &Package, folder: &str, manifest: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let name = if folder == "windlass" { folder.to_owned() } else { format!("windlass-{folder}") };
    if package.name != name {
        problems.push(format!("the package in this folder is `{name}`, not `{}`", package.name));
    }
    for key in ["repository", "homepage"] {
        if !has_line(manifest, &format!("{key}.workspace = true")) {
            problems.push(format!("`{key}.workspace = true` is missing"));
        }
    }
    let page = format!("documentation = \"https://docs.rs/{name}\"");
    if !has_line(manifest, &page) {
        problems.push(format!("`{page}` is missing"));
    }
    if !manifest.lines().any(|line| line.starts_with("version = \"")) {
        problems.push("a crate has its own `version`".to_owned());
    }
    if package.readme.as_deref() != Some("README.md") || !has_line(manifest, "readme = \"README.md\"") {
        problems.push("`readme = \"README.md\"` is missing".to_owned());
    }
    for key in ["keywords", "categories"] {
        if !manifest.lines().any(|line| line.starts_with(&format!("{key} = ["))) {
            problems.push(format!("`{key}` is missing: people find a crate by it"));
        }
    }
    if !manifest.contains(DOCS_RS) {
        problems.push("`[package.metadata.docs.rs]` lacks `all-features` or `--cfg docsrs`".to_owned());
    }
    problems
}

/// Returns the dependency lines that neither inherit from the workspace, nor are dev-dependencies by path, nor leave
/// out the default features of a version that the workspace has.
fn foreign_dependencies(manifest: &str, root: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut section = "";
    for line in manifest.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            if section.contains("dependencies.") {
                problems.push(format!("write `[{section}]` as one line of its section"));
            }
            continue;
        }
        if !section.ends_with("dependencies") || line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        let from_workspace = name.trim().ends_with(".workspace") || value.contains("workspace = true");
        let is_path_kit = section.ends_with("dev-dependencies")
            && name.trim().starts_with("windlass-")
            && value.contains("path =")
            && !value.contains("version");
        // Cargo refuses to switch off the default features of an inherited dependency.
        let is_reduced = value.contains("default-features = false")
            && parse_version(value).is_some_and(|version| root_version(root, name.trim()) == Some(version));
        if !from_workspace && !is_path_kit && !is_reduced {
            problems.push(format!("`{}` comes through [workspace.dependencies]", name.trim()));
        }
    }
    problems
}

/// Returns the version in the value of a dependency, `{ version = "1.2.3", .. }`.
fn parse_version(value: &str) -> Option<&str> {
    value.split_once("version = \"")?.1.split('"').next()
}

/// Returns the version of a dependency in the workspace's manifest.
fn root_version<'a>(root: &'a str, name: &str) -> Option<&'a str> {
    let dependencies = root.split_once("[workspace.dependencies]")?.1;
    let mut lines = dependencies.lines().filter_map(|line| line.split_once(" = "));
    let value = lines.find(|(known, _)| *known == name)?.1;
    value.strip_prefix('"').map_or_else(|| parse_version(value), |version| version.split('"').next())
}

fn has_line(manifest: &str, wanted: &str) -> bool {
    manifest.lines().any(|line| line.trim() == wanted)
}
