//! Reads the public types of `windlass-protocol` from its source.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The fields of a struct or a variant with their types. The fields of a tuple are numbered.
pub(crate) type Fields = BTreeMap<String, String>;

/// The public structs and enums of a source.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) structs: BTreeMap<String, Fields>,
    pub(crate) enums: BTreeMap<String, BTreeMap<String, Fields>>,
}

impl Declared {
    /// Reads all files of the crate.
    pub(crate) fn read() -> Self {
        let mut sources = Vec::new();
        read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/src"), &mut sources);
        Self::parse(sources)
    }

    /// Reads the types in the form in which rustfmt writes them.
    pub(crate) fn parse(sources: impl IntoIterator<Item = String>) -> Self {
        let mut declared = Self::default();
        for source in sources {
            let mut lines = source.lines();
            while let Some(line) = lines.next() {
                let mut words = line.split_whitespace();
                let (Some("pub"), Some(kind @ ("struct" | "enum")), Some(name)) =
                    (words.next(), words.next(), words.next())
                else {
                    continue;
                };
                if !line.ends_with('{') {
                    continue;
                }
                // The body ends with the first brace at the start of a line.
                let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
                if kind == "struct" {
                    declared.structs.insert(name.to_owned(), fields(&body, "    pub "));
                } else {
                    declared.enums.insert(name.to_owned(), variants(&body));
                }
            }
        }
        declared
    }
}

#[expect(clippy::disallowed_methods, reason = "the test reads the source of another crate")]
fn read_folder(folder: &Path, sources: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_folder(&path, sources);
        } else {
            sources.push(fs::read_to_string(path).unwrap());
        }
    }
}

fn fields(body: &[&str], before: &str) -> Fields {
    let field = |line: &&str| {
        let (name, of) = line.strip_prefix(before)?.strip_suffix(',')?.split_once(": ")?;
        Some((name.to_owned(), base(of)))
    };
    body.iter().filter_map(field).collect()
}

fn variants(body: &[&str]) -> BTreeMap<String, Fields> {
    let mut variants = BTreeMap::new();
    let mut lines = body.iter();
    while let Some(line) = lines.next() {
        let Some(line) = line.strip_prefix("    ").filter(|line| line.starts_with(char::is_uppercase)) else {
            continue;
        };
        if let Some(name) = line.strip_suffix(" {") {
            let body: Vec<&str> = lines.by_ref().copied().take_while(|line| *line != "    },").collect();
            variants.insert(name.to_owned(), fields(&body, "        "));
        } else if let Some((name, of)) = line.strip_suffix("),").and_then(|line| line.split_once('(')) {
            variants.insert(name.to_owned(), Fields::from([("0".to_owned(), base(of))]));
        } else if let Some((name, rest)) = line.strip_suffix(" },").and_then(|line| line.split_once(" { ")) {
            let body: Vec<String> = rest.split(", ").map(|field| format!("{field},")).collect();
            let body: Vec<&str> = body.iter().map(String::as_str).collect();
            variants.insert(name.to_owned(), fields(&body, ""));
        } else if let Some(name) = line.strip_suffix(',') {
            variants.insert(name.to_owned(), Fields::new());
        }
    }
    variants
}

/// Returns the innermost type: of an option, a list, or the values of a map. A history is a list of messages.
fn base(of: &str) -> String {
    let inner = of.rsplit([' ', '<']).next().unwrap_or(of).trim_end_matches('>');
    if inner == "History" { "Message".to_owned() } else { inner.to_owned() }
}
