//! The dependency table in docs/LAYERS.md: the dependencies of each crate, layer by layer.

use std::fmt::Write as _;

use crate::project::{Kind, Package, Project};

pub(super) const BEGIN: &str = "<!-- layers:begin -->";
pub(super) const END: &str = "<!-- layers:end -->";

/// Draws the table of the existing crates, in the order of the layers.
pub(super) fn draw(project: &Project) -> String {
    let mut text = String::from("| layer | crate | pure | uses |\n|---|---|---|---|\n");
    for (index, layer) in project.layers.order.iter().enumerate() {
        for name in &layer.crates {
            let Some(package) = project.crates().find(|package| package.layer_name() == Some(name)) else {
                continue;
            };
            let pure = if project.layers.pure.contains(name) { "yes" } else { "" };
            let uses = uses(project, package);
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "| {index} {} | `{name}` | {pure} | {uses} |", layer.name);
        }
    }
    text
}

/// Returns the page with `table` between its markers, or `None` if it has no markers.
pub(super) fn replace(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

/// Returns an initial page.
pub(super) fn empty_page() -> String {
    format!(
        "# Layers\n\n## Who uses whom\n\nDrawn by `cargo xtask layers --write` from the manifests: normal and \
         build dependencies between the crates.\n\n{BEGIN}\n{END}\n"
    )
}

fn uses(project: &Project, package: &Package) -> String {
    let mut names: Vec<&str> = package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind != Kind::Dev)
        .filter_map(|dependency| project.package(&dependency.name)?.layer_name())
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() { "–".to_owned() } else { format!("`{}`", names.join("`, `")) }
}
