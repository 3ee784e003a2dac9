//! Checks that a wire format is named in few places, so that adding one stays cheap.

use super::Findings;

/// The hand-written places outside of a wire format's crate that each new format changes. CONTRIBUTING.md has an entry
/// for each.
const PLACES: [(&str, &str); 4] = [
    ("crates/vendors/", "the list of formats and the table of vendors"),
    ("crates/mock/", "a scripted provider speaks each format"),
    ("crates/windlass/", "the facade re-exports each format"),
    ("fuzz/", "each decoder has a fuzz target"),
];

/// Files that contain the same words for another reason, so that a new format does not change them.
const EXCEPTIONS: [(&str, &str); 4] = [
    ("crates/schema/src/dialect.rs", "dialects of JSON Schema, which have names of their own"),
    ("crates/testkit/src/oracle/encoded_history", "a cache option of one format, and a part of another"),
    ("crates/testkit/Cargo.toml", "the dependency of encoded_history"),
    ("crates/gateway/tests/", "tables of the differences between the formats"),
];

/// The section of CONTRIBUTING.md with the list of places.
const SECTION: &str = "## Add a wire format\n";

/// Reports code and manifests that name a wire format outside of the listed places. `formats` are the names of the
/// formats.
pub(super) fn check(path: &str, content: &str, formats: &[String], found: &mut Findings) {
    if PLACES.iter().chain(&EXCEPTIONS).any(|(place, _)| path.starts_with(place)) {
        return;
    }
    if path == "CONTRIBUTING.md" {
        check_list(content, found);
    } else if path.starts_with("crates/") && path.ends_with("/Cargo.toml") {
        check_manifest(path, content, formats, found);
    } else if super::language::extension(path) == "rs" {
        check_code(path, content, formats, found);
    }
}

/// Reports code of a crate that compares or writes the name of a wire format or uses its crate, and any code that lists
/// all formats in one line.
fn check_code(path: &str, content: &str, formats: &[String], found: &mut Findings) {
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    let is_product = path.starts_with("crates/") && path.contains("/src/") && !is_test;
    let lines = if is_product { code_of(content) } else { (1..).zip(content.lines()).collect() };
    let quoted: Vec<String> = formats.iter().map(|format| format!("\"{format}\"")).collect();
    for (index, line) in lines {
        if formats.len() > 1 && quoted.iter().all(|name| line.contains(name)) {
            found.errors.push(format!("{path}:{index}: lists the wire formats: use `WireFormat::all`"));
            continue;
        }
        for (format, name) in formats.iter().zip(&quoted).filter(|_| is_product) {
            let import = format!("windlass_wire_{}", format.replace('-', "_"));
            let is_own = path.starts_with(&format!("crates/wire-{format}/"));
            if !is_own && (line.contains(name) || line.contains(&import)) {
                found.errors.push(format!(
                    "{path}:{index}: names the wire format {format}: a difference between formats is a method of \
                     `Wire` or `Server`, and `WireFormat` lists them"
                ));
            }
        }
    }
}

/// Reports a crate that depends on a wire format, except for its tests.
fn check_manifest(path: &str, content: &str, formats: &[String], found: &mut Findings) {
    let mut is_for_tests = false;
    for line in content.lines() {
        if line.starts_with('[') {
            is_for_tests = line.starts_with("[dev-dependencies");
        }
        let dependency =
            line.split(['.', ' ', '=']).next().and_then(|name| name.strip_prefix("windlass-wire-"));
        if let Some(format) = dependency
            && !is_for_tests
            && formats.iter().any(|known| known == format)
        {
            found.errors.push(format!(
                "{path}: depends on the wire format {format}: use `WireFormat` of windlass-vendors"
            ));
        }
    }
}

/// Reports a place without an entry in the numbered list of CONTRIBUTING.md, and an entry without a place.
fn check_list(content: &str, found: &mut Findings) {
    let section = content.split_once(SECTION).map_or("", |(_, rest)| rest);
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let is_entry =
        |line: &&str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
    let entries: Vec<&str> = section.lines().filter(is_entry).collect();
    let has_all =
        PLACES.iter().zip(&entries).all(|((place, _), entry)| entry.contains(place.trim_end_matches('/')));
    if entries.len() != PLACES.len() || !has_all {
        let places: Vec<&str> = PLACES.iter().map(|(place, _)| *place).collect();
        found.errors.push(format!(
            "CONTRIBUTING.md: the list of \"Add a wire format\" must have one entry for each of {}, in this order",
            places.join(", ")
        ));
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
