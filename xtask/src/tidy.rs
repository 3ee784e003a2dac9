//! `cargo xtask tidy`: checks the project's own rules, which no compiler checks.

mod documents;
mod facade;
mod files;
mod formats;
mod language;
mod links;
mod manifests;
mod rules;
mod rust_version;
mod skips;
mod sources;
mod text;
mod walk;

#[cfg(test)]
mod tests;

use std::io;
use std::process::ExitCode;

use anyhow::Result;
use xshell::Shell;

use crate::arguments::Arguments;
use crate::project::{self, Project};
use crate::{circles, layers};
use language::Language;
use rules::Rules;

pub(crate) const HELP: &str = "\
cargo xtask tidy [--rules | --language [--only PATH | --sample SEED]]

Checks the form of the project's files.

The checks are: layers, circles of imports, file sizes and names, headers, manifests, READMEs, forbidden
text, language, places that name a wire format, types that the facade cannot name, links between pages, the lengths of the walks in
docs/WALK.md, the bounds of the Rust version in docs/STABILITY.md, and an entry for each cited rule.

An error fails, a warning is only shown. A line that must show a machine path or the like as an
example contains `tidy: sample`, or follows a line with it.

  --rules       prints the rules that no test cites
  --language    prints a table of sentences, messages and names that are not plain English, by crate
  --only PATH   with --language: prints each of them in files whose path begins so
  --sample SEED with --language: prints 200 sentences that this number draws at random

For example, the sentences to rewrite in one crate: `cargo xtask tidy --language --only crates/loop`";

/// The findings of all checks.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) errors: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let is_about_rules = arguments.flag("--rules");
    let is_about_language = arguments.flag("--language");
    let only = arguments.option("--only")?;
    let sample = arguments.number("--sample")?;
    arguments.finish()?;
    if is_about_rules {
        rules_of(sh)?.print();
        return Ok(ExitCode::SUCCESS);
    }
    if is_about_language {
        let language = language_of(sh)?;
        let mut out = io::stdout().lock();
        let printed = match sample {
            Some(seed) => language.print_sample(seed, &mut out),
            None => language.print(only.as_deref(), &mut out),
        };
        return end_of_print(printed);
    }
    let findings = findings(sh)?;
    findings.print();
    println!("tidy: errors: {}, warnings: {}", findings.errors.len(), findings.warnings.len());
    Ok(if findings.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns success if the output was printed, or if its reader closed the pipe.
fn end_of_print(printed: io::Result<()>) -> Result<ExitCode> {
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
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

/// Runs all checks. Layers come first, because a layer violation should be read first.
pub(crate) fn findings(sh: &Shell) -> Result<Findings> {
    let project = Project::load(sh)?;
    let mut found = Findings { errors: layers::find_broken_rules(sh, &project)?, warnings: Vec::new() };
    found.errors.extend(layers::stale_table(sh, &project)?);
    let formats = formats::names(project.crates().map(|package| package.folder.as_str()));
    let texts = texts(sh)?;
    let files = files::list_project_files(sh)?;
    let files = files.iter().map(String::as_str).collect();
    for (path, content) in &texts {
        links::check(path, content, &files, &mut found);
        text::check(path, content, &mut found);
        skips::check(path, content, &mut found);
        sources::check(path, content, &mut found);
        formats::check(path, content, &formats, &mut found);
    }
    circles::check(&texts, &mut found);
    walk::check(&texts, &mut found);
    facade::check(&texts, &mut found);
    language_of(sh)?.check(&mut found);
    rules_of(sh)?.check(&mut found);
    let root = sh.read_file("Cargo.toml")?;
    for package in &project.packages {
        let manifest = sh.read_file(format!("{}/Cargo.toml", package.folder))?;
        manifests::check(package, &manifest, &root, &mut found);
    }
    for package in project.crates() {
        let read = |name: &str| sh.read_file(format!("{}/{name}", package.folder)).unwrap_or_default();
        documents::check_readme(package, &read("README.md"), &mut found);
        documents::check_changelog(package, &read("CHANGELOG.md"), &mut found);
    }
    documents::check_first_pages(|path| sh.read_file(path).unwrap_or_default(), &mut found);
    let stated = root.lines().find_map(|line| line.strip_prefix("rust-version = \""));
    let stated = stated.unwrap_or_default().trim_end_matches('"');
    let page = sh.read_file("docs/STABILITY.md").unwrap_or_default();
    rust_version::check(&page, stated, &project::requirements(sh)?, &texts, &mut found);
    if sh.path_exists("README.md") {
        documents::check_crate_table(&project, &sh.read_file("docs/CRATES.md")?, &mut found);
    }
    Ok(found)
}

/// Returns the path and text of each file of the project. Files that are not UTF-8 are images or test data.
pub(crate) fn texts(sh: &Shell) -> Result<Vec<(String, String)>> {
    let mut texts = Vec::new();
    for path in files::list_project_files(sh)? {
        if let Ok(content) = String::from_utf8(sh.read_binary_file(&path)?) {
            texts.push((path, content));
        }
    }
    Ok(texts)
}

fn language_of(sh: &Shell) -> Result<Language> {
    let mut language = Language::default();
    for (path, content) in texts(sh)? {
        language.read(&path, &content);
    }
    Ok(language)
}

fn rules_of(sh: &Shell) -> Result<Rules> {
    let mut rules = Rules::new()?;
    for (path, content) in texts(sh)? {
        rules.read(&path, &content);
    }
    Ok(rules)
}
