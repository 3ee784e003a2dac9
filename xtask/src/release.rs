//! `cargo xtask release`: checks that a crate could be published. It does not publish.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::arguments::Arguments;
use crate::capture::{self, Keep};
use crate::project::{Kind, Package, Project};

pub(crate) const HELP: &str = "\
cargo xtask release CRATE --dry-run [--verify]
cargo xtask release --all --dry-run [--verify]

Checks that a crate can be released: changelog, publish order, package. Publishes nothing.

CRATE is a folder of crates/, such as `sse`. Prints the tag and the crates that must be published before.

  --all       checks every crate under crates/, in the order of publishing: a crate follows its dependencies. Leaves
              out crates with `publish = false`
  --dry-run   required: publishing itself is not automated
  --verify    also compiles each archive, as `cargo publish` does; takes minutes

For example: `cargo xtask release sse --dry-run`";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let is_dry = arguments.flag("--dry-run");
    let is_all = arguments.flag("--all");
    let verify = arguments.flag("--verify");
    let name = arguments.word();
    arguments.finish()?;
    if !is_dry {
        bail!("publishing is not automated: `--dry-run` checks everything except the upload");
    }
    let project = Project::load(sh)?;
    let packages: Vec<&Package> = match (is_all, &name) {
        (true, None) => in_publish_order(&project),
        (false, Some(name)) => match find(&project, name)? {
            package if package.is_published => vec![package],
            package => bail!("the manifest of `{}` has `publish = false`", package.name),
        },
        (true, Some(_)) => bail!("give a crate or --all, not both"),
        (false, None) => bail!("which crate? for example `cargo xtask release sse --dry-run`"),
    };
    let mut success = true;
    for package in &packages {
        success &= check_files(sh, package)?;
    }
    success &= archive(sh, &project, &packages, verify)?;
    let mut without_entry = 0;
    for (index, package) in packages.iter().enumerate() {
        without_entry += usize::from(!print_package(sh, &project, package, index + 1)?);
    }
    success &= without_entry == 0;
    let verdict = if success { "ok" } else { "FAILED" };
    println!("\n{} packages, {without_entry} without a changelog entry: {verdict}", packages.len());
    Ok(if success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Finds a crate by its folder or its package name.
pub(crate) fn find<'a>(project: &'a Project, name: &str) -> Result<&'a Package> {
    project
        .crates()
        .find(|package| package.layer_name() == Some(name) || package.name == name)
        .with_context(|| format!("unknown crate `{name}`: it is not under crates/"))
}

/// Returns the published crates under `crates/`, each after its dependencies.
fn in_publish_order(project: &Project) -> Vec<&Package> {
    let mut order = Vec::new();
    for package in project.crates().filter(|package| package.is_published) {
        visit(project, package, &mut order);
    }
    order.iter().filter_map(|name| project.package(name)).collect()
}

/// Prints the row of one package. Returns false if its changelog has nothing to release.
fn print_package(sh: &Shell, project: &Project, package: &Package, number: usize) -> Result<bool> {
    let changelog = sh.read_file(format!("{}/CHANGELOG.md", package.folder))?;
    let entry = changelog_entry(&changelog, &package.version);
    let before = publish_order(project, package).len().saturating_sub(1);
    println!(
        "{number:>3}  tag {:<34} after {before:>2} crates  changelog {}",
        format!("{}-v{}", package.name, package.version),
        entry.as_deref().unwrap_or("FAILED: no entry for this version and no unreleased entry")
    );
    Ok(entry.is_some())
}

/// Checks that the archive of a crate contains the files that a registry shows.
fn check_files(sh: &Shell, package: &Package) -> Result<bool> {
    let name = &package.name;
    let listing = cmd!(sh, "cargo package -p {name} --list --locked --offline --allow-dirty");
    let listed = capture::run(listing, Keep::Stdout, |_| true)?;
    let lacks = |file: &str| !listed.lines.iter().any(|line| line == file);
    let is_whole = listed.success && !lacks("README.md") && !lacks("CHANGELOG.md");
    if !is_whole {
        println!("error: the package of `{name}` lacks README.md or CHANGELOG.md");
    }
    Ok(is_whole)
}

/// Creates the archives of the packages and of their workspace dependencies. Cargo resolves the archives among
/// themselves, so earlier crates need not be published yet.
fn archive(sh: &Shell, project: &Project, packages: &[&Package], verify: bool) -> Result<bool> {
    let mut names = Vec::new();
    for package in packages {
        visit(project, package, &mut names);
    }
    let names: Vec<String> = names.into_iter().map(|name| format!("--package={name}")).collect();
    let verify = (!verify).then_some("--no-verify");
    capture::pass_through(cmd!(sh, "cargo package {names...} {verify...} --locked --offline --allow-dirty"))
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
