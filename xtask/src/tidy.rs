//! `cargo xtask tidy`: the house's own rules that no compiler holds.

mod documents;
mod files;
mod manifests;
mod sources;
mod text;

#[cfg(test)]
mod tests;

use std::process::ExitCode;

use anyhow::Result;
use xshell::Shell;

use crate::arguments::Arguments;
use crate::layers;
use crate::project::Project;

pub(crate) const HELP: &str = "\
cargo xtask tidy

Checks layers, file sizes and names, headers, manifests, READMEs and forbidden text.

An error fails, a warning is only shown. A line that must show a machine path or the like as an
example says so on itself or on the line before: `tidy: sample`.";

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) errors: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn run(sh: &Shell, arguments: Arguments) -> Result<ExitCode> {
    arguments.finish()?;
    let findings = findings(sh)?;
    findings.print();
    println!("tidy: errors: {}, warnings: {}", findings.errors.len(), findings.warnings.len());
    Ok(if findings.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Findings {
    pub(crate) fn print(&self) {
        for warning in &self.warnings {
            println!("warning: {warning}");
        }
        for error in &self.errors {
            println!("error: {error}");
        }
    }
}

/// Looks at everything. Layers come first, because a wrong edge is the finding to read first.
pub(crate) fn findings(sh: &Shell) -> Result<Findings> {
    let project = Project::load(sh)?;
    let mut found = Findings { errors: layers::broken_rules(sh, &project)?, warnings: Vec::new() };
    found.errors.extend(layers::stale_table(sh, &project)?);
    for path in files::of_project(sh)? {
        let bytes = sh.read_binary_file(&path)?;
        // What is not UTF-8 is a picture or test data.
        let Ok(content) = String::from_utf8(bytes) else {
            continue;
        };
        text::check(&path, &content, &mut found);
        sources::check(&path, &content, &mut found);
    }
    for package in &project.packages {
        let manifest = sh.read_file(format!("{}/Cargo.toml", package.folder))?;
        manifests::check(package, &manifest, &mut found);
    }
    for package in project.crates() {
        let read = |name: &str| sh.read_file(format!("{}/{name}", package.folder)).unwrap_or_default();
        documents::check_readme(package, &read("README.md"), &mut found);
        documents::check_changelog(package, &read("CHANGELOG.md"), &mut found);
    }
    if sh.path_exists("README.md") {
        documents::check_crate_table(&project, &sh.read_file("README.md")?, &mut found);
    }
    Ok(found)
}
