//! Checks that every rule id in a comment, a page or a test's name has an entry in `docs/RULES.md` or
//! `docs/rules/`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use regex::Regex;

use super::Findings;

/// The page of rules, and the folder of the documents beside it.
const PAGE: &str = "docs/RULES.md";
const FOLDER: &str = "docs/rules/";

/// Words in comments that look like an id: names of models and of hash functions.
const OTHER_WORDS: &[&str] = &["R1", "M2", "M3", "F5", "P1"];

/// The citations and the definitions of rule ids.
pub(super) struct Rules {
    patterns: Patterns,
    defined: BTreeSet<String>,
    cited: BTreeMap<String, Vec<String>>,
    tested: BTreeSet<String>,
}

struct Patterns {
    /// `H4`, `J7a`: the letter of a family and a number.
    letter: Regex,
    /// `S2-S4` and `S2 to S4`: a range also cites the ids between its ends.
    range: Regex,
    /// `MCP-017`.
    case: Regex,
    /// `fn mcp_017_..` and `fn f68_..`: ids in the names of tests.
    test: Regex,
    /// `security 9`, `correctness-2 3, 4`: findings of an audit.
    finding: Regex,
    heading: Regex,
    number: Regex,
}

impl Patterns {
    fn new() -> Result<Self> {
        let pattern = |text: &str| Regex::new(text).with_context(|| format!("a bad pattern: {text}"));
        Ok(Self {
            letter: pattern(r"(^|[^A-Za-z0-9_%#./\\-])([PSJXNRHELMQTWFI][0-9]{1,2}a?)\b")?,
            range: pattern(r"\b([A-Z])([0-9]{1,2})(?: to |-)([A-Z])([0-9]{1,2})\b")?,
            case: pattern(r"\b([A-Z]{3}-[0-9]{3})\b")?,
            test: pattern(r"\bfn (?:([a-z]{3})_([0-9]{3})|(f)([0-9]{2}))_")?,
            finding: pattern(
                r"\b([Ss]ecurity|[Cc]orrectness(?:-[23])?) ((?:[0-9]{1,2}(?:, and |, | and )?)+)\b",
            )?,
            heading: pattern(r"(?m)^### (.+)$")?,
            number: pattern(r"[0-9]{1,2}")?,
        })
    }

    /// Returns the ids that a line of a comment or of a page cites.
    fn find_citations(&self, text: &str) -> BTreeSet<String> {
        let mut ids = BTreeSet::new();
        ids.extend(self.letter.captures_iter(text).map(|found| found[2].to_owned()));
        for found in self.range.captures_iter(text).filter(|found| found[1] == found[3]) {
            let (first, last) = (found[2].parse::<u8>().unwrap_or(0), found[4].parse::<u8>().unwrap_or(0));
            ids.extend((first..=last).map(|number| format!("{}{number}", &found[1])));
        }
        ids.extend(self.case.captures_iter(text).map(|found| found[1].to_owned()));
        for found in self.finding.captures_iter(text) {
            let audit = found[1].to_lowercase();
            ids.extend(self.number.find_iter(&found[2]).map(|number| format!("{audit} {}", number.as_str())));
        }
        ids
    }

    /// Returns the id in a test's name.
    fn find_in_test_name(&self, code: &str) -> Option<String> {
        let found = self.test.captures(code)?;
        let (family, number) =
            (found.get(1).or_else(|| found.get(3))?, found.get(2).or_else(|| found.get(4))?);
        let between = if family.as_str().len() == 3 { "-" } else { "" };
        Some(format!("{}{between}{}", family.as_str().to_uppercase(), number.as_str()))
    }
}

impl Rules {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            patterns: Patterns::new()?,
            defined: BTreeSet::new(),
            cited: BTreeMap::new(),
            tested: BTreeSet::new(),
        })
    }

    /// Reads the definitions of a rules page, or the citations of any other file.
    pub(super) fn read(&mut self, path: &str, content: &str) {
        if path == PAGE || path.starts_with(FOLDER) {
            let headings = self.patterns.heading.captures_iter(content);
            self.defined.extend(headings.map(|found| found[1].trim().to_owned()));
            return;
        }
        let is_page = path.ends_with("README.md") || path.starts_with("docs/");
        let is_source = path.rsplit_once('.').is_some_and(|(_, extension)| extension == "rs");
        if !is_page && !is_source {
            return;
        }
        let is_test = path.contains("/tests/") || path.ends_with("/tests.rs");
        for (number, line) in (1_usize..).zip(content.lines()) {
            let text = if is_source { line.split_once("//").map_or("", |(_, text)| text) } else { line };
            let mut ids = self.patterns.find_citations(text);
            if is_source {
                ids.extend(self.patterns.find_in_test_name(line));
            }
            for id in ids {
                if is_test {
                    self.tested.insert(id.clone());
                }
                self.cited.entry(id).or_default().push(format!("{path}:{number}"));
            }
        }
    }

    /// Reports an error for a cited id without an entry.
    pub(super) fn check(&self, found: &mut Findings) {
        let families: BTreeSet<&str> = self.defined.iter().map(|id| family_of(id)).collect();
        for (id, places) in &self.cited {
            let is_of_ours = families.contains(family_of(id)) && !OTHER_WORDS.contains(&id.as_str());
            if is_of_ours
                && !self.defined.contains(id)
                && let Some(place) = places.first()
            {
                found.errors.push(format!("{place}: `{id}` has no entry in {PAGE} or {FOLDER}"));
            }
        }
    }

    /// Prints the rules that no test cites.
    pub(super) fn print(&self) {
        let untested: Vec<&str> =
            self.defined.iter().filter(|id| !self.tested.contains(*id)).map(String::as_str).collect();
        let places: usize = self.cited.values().map(Vec::len).sum();
        println!(
            "{} rules, {places} citations, {} rules that no test cites:",
            self.defined.len(),
            untested.len()
        );
        for line in untested.chunks(16) {
            println!("  {}", line.join(", "));
        }
    }
}

/// Returns the part of an id before its number.
fn family_of(id: &str) -> &str {
    let end = id.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'a');
    end.trim_end_matches(['-', ' '])
}

#[cfg(test)]
mod tests {
    use super::{Findings, Rules};

    #[test]
    fn ids_without_an_entry_are_errors() {
        let mut rules = Rules::new().unwrap();
        rules.read("docs/RULES.md", "# Rules\n\n### H4\n\nA rule.\n\n### H5\n\n### RES-011\n");
        rules.read("docs/rules/findings.md", "### security 9\n");
        rules.read("crates/a/src/a.rs", "let H9 = 1; // H4 and H6, after SHA-256\n");
        rules.read("crates/a/tests/it/b.rs", "// H5\nfn res_011_a_ping() {}\nfn res_012_other() {}\n");
        rules.read("docs/PAGE.md", "Security 9, 10 and H4 to H7.\n");
        let mut found = Findings::default();
        rules.check(&mut found);
        let missing: Vec<_> = found.errors.iter().filter_map(|error| error.split('`').nth(1)).collect();
        assert_eq!(missing, ["H6", "H7", "RES-012", "security 10"]);
        assert!(
            rules.tested.contains("H5") && rules.tested.contains("RES-011") && !rules.tested.contains("H4")
        );
    }
}
