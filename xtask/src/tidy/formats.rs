//! Checks that a wire format is named in few places, so that adding one stays cheap.

use super::Findings;

/// Places outside of a wire format's crate that may name it. CONTRIBUTING.md lists the first four, which each new
/// format changes.
const PLACES: [(&str, &str); 6] = [
    ("crates/vendors/", "the list of formats and the table of vendors"),
    ("crates/mock/", "a scripted provider speaks each format"),
    ("crates/windlass/", "the facade re-exports each format"),
    ("crates/testkit/", "test code"),
    ("crates/schema/src/dialect.rs", "dialects of JSON Schema, which have names of their own"),
    ("crates/telemetry/src/options.rs", "names of vendors in the conventions for spans"),
];

/// Reports code that compares or writes the name of a wire format, or that uses its crate. `formats` are the
/// names of the formats.
pub(super) fn check(path: &str, content: &str, formats: &[String], found: &mut Findings) {
    let is_product = path.starts_with("crates/") && path.contains("/src/") && path.ends_with(".rs");
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    if !is_product || is_test || PLACES.iter().any(|(place, _)| path.starts_with(place)) {
        return;
    }
    for format in formats.iter().filter(|format| !path.starts_with(&format!("crates/wire-{format}/"))) {
        let (name, import) = (format!("\"{format}\""), format!("windlass_wire_{}", format.replace('-', "_")));
        for (index, line) in code_of(content) {
            if line.contains(&name) || line.contains(&import) {
                found.errors.push(format!(
                    "{path}:{index}: names the wire format {format}: a difference between formats is a method of \
                     `Wire` or `Server`, and `WireFormat` lists them"
                ));
            }
        }
    }
}

/// Returns the names of the wire formats from the folders of their crates.
pub(super) fn names<'a>(crates: impl Iterator<Item = &'a str>) -> Vec<String> {
    crates.filter_map(|folder| folder.strip_prefix("crates/wire-")).map(str::to_owned).collect()
}

/// Returns the lines of code with their numbers, without comments and without `#[cfg(test)] mod name { .. }` blocks.
fn code_of(content: &str) -> Vec<(usize, &str)> {
    let mut code = Vec::new();
    let mut lines = (1_usize..).zip(content.lines());
    while let Some((number, line)) = lines.next() {
        if line == "#[cfg(test)]" {
            if lines.next().is_some_and(|(_, next)| next.ends_with('{')) {
                let _ = lines.by_ref().find(|(_, line)| *line == "}");
            }
            continue;
        }
        code.push((number, line.split("//").next().unwrap_or_default()));
    }
    code
}
