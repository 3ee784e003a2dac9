//! `cargo xtask layers`: enforces the rule which crates may depend on which, and draws the dependency table.

mod rule;
mod table;
mod weight;

#[cfg(test)]
mod tests;

use std::process::ExitCode;

use anyhow::{Context, Result};
use xshell::Shell;

use crate::arguments::Arguments;
use crate::project::{self, Project};

pub(crate) const HELP: &str = "\
cargo xtask layers [--write]

Checks that each crate uses only crates of earlier layers.

The layers are [workspace.metadata.layers] in the root Cargo.toml. Normal and build dependencies
must go to a strictly earlier layer; pure crates must not reach the dependencies that are listed as impure,
through any number of crates; dev-dependencies are free, but the test kit and the mock come by path only.
The tests of a crate in `test-packages` compile at most that many packages.

  --write   writes the edge table into docs/LAYERS.md, between its two markers";

/// The page that contains the dependency table.
const PAGE: &str = "docs/LAYERS.md";

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let write = arguments.flag("--write");
    arguments.finish()?;
    let project = Project::load(sh)?;
    let problems = find_broken_rules(sh, &project)?;
    for problem in &problems {
        println!("error: {problem}");
    }
    if write {
        write_table(sh, &project)?;
    }
    let crates = project.crates().count();
    println!("layers: {crates} crates, errors: {}", problems.len());
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns a message for every violation of the layer rule. Checks direct dependencies first, without
/// resolving, because a wrong dependency can create a cycle that cargo refuses to resolve.
pub(crate) fn find_broken_rules(sh: &Shell, project: &Project) -> Result<Vec<String>> {
    let direct = rule::direct(project);
    if !direct.is_empty() {
        return Ok(direct);
    }
    let mut problems = rule::transitive(project, &project::resolve(sh)?);
    problems.extend(weight::heavy_tests(sh, project)?);
    Ok(problems)
}

/// Returns the problem with the table in the page, if it has one.
pub(crate) fn stale_table(sh: &Shell, project: &Project) -> Result<Option<String>> {
    if !sh.path_exists(PAGE) {
        return Ok(Some(format!("{PAGE} is missing: `cargo xtask layers --write` begins it")));
    }
    let page = sh.read_file(PAGE)?;
    Ok(match table::replace(&page, &table::draw(project)) {
        None => Some(format!("{PAGE} lacks the markers `{}` and `{}`", table::BEGIN, table::END)),
        Some(current) if current == page => None,
        Some(_) => Some(format!("{PAGE}: the edge table is old: `cargo xtask layers --write` renews it")),
    })
}

fn write_table(sh: &Shell, project: &Project) -> Result<()> {
    let page = if sh.path_exists(PAGE) { sh.read_file(PAGE)? } else { table::empty_page() };
    let page = table::replace(&page, &table::draw(project))
        .with_context(|| format!("{PAGE} lacks the markers `{}` and `{}`", table::BEGIN, table::END))?;
    sh.write_file(PAGE, page)?;
    println!("wrote the edge table of {PAGE}");
    Ok(())
}
