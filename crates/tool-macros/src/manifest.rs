//! The name under which a package depends on a crate, read from its manifest.
//!
//! The reader knows the lines of a manifest that name dependencies and skips all others. A complete TOML parser would
//! be the largest dependency of every program with a macro of this crate.

use std::path::{Path, PathBuf};

/// The way in which code of the current package names a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FoundCrate {
    /// The package is the crate itself.
    Itself,
    /// The package depends on the crate under this name.
    Name(String),
}

/// Finds a crate from the package that is compiled.
pub(crate) fn find(name: &str) -> Option<FoundCrate> {
    if std::env::var("CARGO_PKG_NAME").is_ok_and(|package| package == name) {
        return Some(FoundCrate::Itself);
    }
    let folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let from_workspace = |key: &str| {
        let workspace = workspace_manifest(&folder)?;
        dependencies(&workspace, "workspace.dependencies").find(|entry| entry.key == key)?.package
    };
    let found = name_in(&manifest, name, from_workspace)?;
    Some(FoundCrate::Name(found.replace('-', "_")))
}

/// Returns the key of a dependency. `from_workspace` returns the package that a key of the workspace renames.
fn name_in(manifest: &str, name: &str, from_workspace: impl Fn(&str) -> Option<String>) -> Option<String> {
    let sections = ["dependencies", "dev-dependencies", "build-dependencies"];
    let mut entries = sections.into_iter().flat_map(|section| dependencies(manifest, section));
    let found = entries.find(|entry| {
        let renamed = if entry.is_inherited { from_workspace(&entry.key) } else { entry.package.clone() };
        renamed.as_deref().unwrap_or(&entry.key) == name
    })?;
    Some(found.key)
}

fn workspace_manifest(folder: &Path) -> Option<String> {
    let manifests =
        folder.ancestors().filter_map(|folder| std::fs::read_to_string(folder.join("Cargo.toml")).ok());
    manifests.into_iter().find(|manifest| {
        manifest.lines().any(|line| header(line).is_some_and(|name| name.starts_with("workspace")))
    })
}

/// A dependency as a manifest writes it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Entry {
    key: String,
    package: Option<String>,
    is_inherited: bool,
}

/// Returns the dependencies of a section, also of those for one target.
fn dependencies(manifest: &str, section: &str) -> impl Iterator<Item = Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    // `None` outside of the section, `Some("")` in its table, and `Some(key)` in the table of one dependency.
    let mut place: Option<String> = None;
    for line in manifest.lines() {
        if let Some(name) = header(line) {
            place = in_section(&name, section);
            entries.extend(
                place
                    .iter()
                    .filter(|key| !key.is_empty())
                    .map(|key| Entry { key: key.clone(), ..Entry::default() }),
            );
            continue;
        }
        let (Some(place), Some((key, value))) = (&place, line.split_once('=')) else { continue };
        if place.is_empty() {
            let (key, field) = key.trim().split_once('.').unwrap_or((key.trim(), ""));
            let is_inherited =
                field == "workspace" || (value.contains('{') && member(value, "workspace").is_some());
            let package = member(value, "package").filter(|_| value.contains('{'));
            entries.push(Entry { key: unquote(key), package, is_inherited });
        } else if let Some(entry) = entries.last_mut() {
            match key.trim() {
                "package" => entry.package = Some(unquote(value)),
                "workspace" => entry.is_inherited = true,
                _ => {}
            }
        }
    }
    entries.into_iter()
}

/// Returns the name of a table if the line is its header.
fn header(line: &str) -> Option<String> {
    let name = line.trim().strip_prefix('[')?.split(']').next()?;
    (!name.starts_with('[')).then(|| name.replace(' ', ""))
}

/// Returns the rest of a table's name after the name of a section, which a target can precede.
fn in_section(table: &str, section: &str) -> Option<String> {
    let table = match table.strip_prefix("target.") {
        Some(target) => {
            target.rsplit_once(&format!(".{section}")).map(|(_, rest)| format!("{section}{rest}"))?
        }
        None => table.to_owned(),
    };
    match table.strip_prefix(section)? {
        "" => Some(String::new()),
        rest => rest.strip_prefix('.').map(unquote),
    }
}

/// Returns the value of a member of an inline table.
fn member(table: &str, name: &str) -> Option<String> {
    let members = table.split(['{', ',', '}']).filter_map(|member| member.split_once('='));
    members.into_iter().find(|(key, _)| key.trim() == name).map(|(_, value)| unquote(value))
}

fn unquote(text: &str) -> String {
    let text = text.split('#').next().unwrap_or_default();
    text.trim().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests;
