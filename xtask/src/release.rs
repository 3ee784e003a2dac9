//! `cargo xtask release`: checks that a crate could be published. It does not publish.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::project::{Kind, Package, Project};

pub(crate) const HELP: &str = "\
cargo xtask release CRATE --dry-run

Checks that a crate can be released: changelog, publish order, package. Publishes nothing.

CRATE is a folder of crates/, such as `sse`. Says the tag and what must be published before.

  --dry-run   required: publishing itself is not automated";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let is_dry = arguments.flag("--dry-run");
    let name = arguments.word().context("which crate? for example `cargo xtask release sse --dry-run`")?;
    arguments.finish()?;
    if !is_dry {
        bail!(
            "publishing is not automated: `cargo xtask release {name} --dry-run` checks all but the upload"
        );
    }
    let project = Project::load(sh)?;
    let package = project
        .crates()
        .find(|package| package.layer_name() == Some(&name) || package.name == name)
        .with_context(|| format!("there is no crate `{name}` under crates/"))?;
    let entry = changelog_entry(&sh.read_file(format!("{}/CHANGELOG.md", package.folder))?, &package.version);
    let is_packaged = check_package(sh, &project, package)?;
    println!("\nversion    {}", package.version);
    println!("order      {}", publish_order(&project, package).join(", "));
    println!("tag        {}-v{}", package.name, package.version);
    println!("package    {}", if is_packaged { "builds its archive" } else { "FAILED" });
    println!(
        "changelog  {}",
        entry.as_deref().unwrap_or("FAILED: no entry for this version and nothing unreleased")
    );
    Ok(if is_packaged && entry.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Creates the archives of the crate and of its workspace dependencies, which cargo resolves among
/// themselves, so earlier crates need not be published yet. Compiles nothing.
fn check_package(sh: &Shell, project: &Project, package: &Package) -> Result<bool> {
    let name = &package.name;
    let listing = cmd!(sh, "cargo package -p {name} --list --offline --allow-dirty");
    let listed = capture::run(listing, Keep::Stdout, |_| true)?;
    let lacks = |file: &str| !listed.lines.iter().any(|line| line == file);
    if !listed.success || lacks("README.md") || lacks("CHANGELOG.md") {
        println!("error: the package of `{name}` lacks README.md or CHANGELOG.md");
        return Ok(false);
    }
    let names: Vec<String> =
        publish_order(project, package).into_iter().map(|name| format!("--package={name}")).collect();
    capture::pass_through(cmd!(sh, "cargo package {names...} --no-verify --offline --allow-dirty"))
}

/// Returns the crate and its workspace dependencies, each after its own dependencies.
fn publish_order(project: &Project, package: &Package) -> Vec<String> {
    let mut order = Vec::new();
    visit(project, package, &mut order);
    order
}

/// Depth-first search. The layer rule forbids cycles, so the depth is at most the number of layers.
fn visit(project: &Project, package: &Package, order: &mut Vec<String>) {
    if order.contains(&package.name) {
        return;
    }
    let needed = package.dependencies.iter().filter(|dependency| dependency.kind != Kind::Dev);
    for before in needed.filter_map(|dependency| project.package(&dependency.name)) {
        visit(project, before, order);
    }
    order.push(package.name.clone());
}

/// Describes the changelog entry for this version: its own heading, or unreleased entries.
fn changelog_entry(changelog: &str, version: &str) -> Option<String> {
    let heading = format!("## {version}");
    if changelog.lines().any(|line| line == heading || line.starts_with(&format!("{heading} "))) {
        return Some(format!("has `{heading}`"));
    }
    let (_, rest) = changelog.split_once("## Unreleased\n")?;
    let entries = rest
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter(|line| line.starts_with("- "))
        .count();
    (entries > 0).then(|| format!("{entries} entries under `## Unreleased`, to be named `{heading}`"))
}

#[cfg(test)]
mod tests {
    use super::changelog_entry;

    #[test]
    fn a_release_needs_an_entry() {
        assert!(changelog_entry("# Changelog\n\n## Unreleased\n\n- New.\n", "0.1.0").is_some());
        assert!(
            changelog_entry("# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-12-01)\n\n- New.\n", "0.1.0")
                .is_some()
        );
        assert_eq!(changelog_entry("# Changelog\n\n## Unreleased\n\n## 0.0.9\n\n- Old.\n", "0.1.0"), None);
    }
}
