//! Matchers of hooks: exact names, lists of names, and regular expressions.

use regex::{Regex, RegexBuilder};

use crate::error::{Context as _, Result, ensure};

/// Maximum length of a matcher in bytes, and of its compiled form.
const MAX_PATTERN: usize = 1_024;
const MAX_COMPILED: usize = 256 * 1024;

/// The names for which a hook is started.
#[derive(Clone, Debug)]
pub(super) enum Matcher {
    /// Every name.
    All,
    /// These names.
    Names(Vec<String>),
    /// Names in which the expression is found.
    Pattern(Regex),
}

impl Matcher {
    /// Parses a matcher. Letters, digits, `_`, spaces, `,` and `|` are a list of names; other characters make it a regular
    /// expression.
    pub(super) fn parse(text: Option<&str>) -> Result<Self> {
        let text = text.unwrap_or_default().trim();
        if text.is_empty() || text == "*" {
            return Ok(Self::All);
        }
        ensure!(text.len() <= MAX_PATTERN, Invalid, "a matcher has more than {MAX_PATTERN} bytes");
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_, |".contains(letter);
        if text.chars().all(is_name) {
            let names = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return Ok(Self::Names(names.map(str::to_owned).collect()));
        }
        let pattern = RegexBuilder::new(text).size_limit(MAX_COMPILED).build();
        Ok(Self::Pattern(
            pattern.ok().with_context(|| format!("the matcher {text} is not a regular expression"))?,
        ))
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.iter().any(|known| known == name),
            Self::Pattern(pattern) => pattern.is_match(name),
        }
    }
}

/// The condition `if` of a hook: `Tool` or `Tool(pattern)`, where `*` matches any text.
#[derive(Clone, Debug)]
pub(super) struct CallFilter {
    tool: String,
    pattern: Option<String>,
}

impl CallFilter {
    pub(super) fn parse(text: &str) -> Result<Self> {
        ensure!(text.len() <= MAX_PATTERN, Invalid, "a condition has more than {MAX_PATTERN} bytes");
        let Some((tool, rest)) = text.trim().split_once('(') else {
            return Ok(Self { tool: text.trim().to_owned(), pattern: None });
        };
        let pattern = rest.strip_suffix(')').with_context(|| format!("the condition {text} has no `)`"))?;
        Ok(Self { tool: tool.trim().to_owned(), pattern: Some(pattern.replace(":*", " *")) })
    }

    /// Returns true if the hook is started for a call. `subject` is the command or the path. A command that is not simple
    /// counts as a match, so that a guard is not avoided by a substitution.
    pub(super) fn matches(&self, tool: &str, subject: Option<&str>) -> bool {
        if self.tool != tool {
            return false;
        }
        let (Some(pattern), Some(subject)) = (&self.pattern, subject) else { return true };
        if tool != "Bash" {
            return matches_glob(pattern, subject) || matches_glob(&format!("*/{pattern}"), subject);
        }
        let is_complex = subject.contains(['`', '$', '(', '{', '\\', '\'', '"']);
        let words = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
        is_complex
            || subject.split(['\n', ';', '|', '&']).map(words).any(|part| {
                // `rm *` also covers `rm` without arguments.
                matches_glob(pattern, &part) || pattern.strip_suffix(" *") == Some(&part)
            })
    }
}

/// Matches a text against a pattern in which `*` matches any text. Takes linear memory and quadratic time.
fn matches_glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = rest.get(at.saturating_add(part.len())..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_are_names_lists_or_expressions() {
        for (matcher, matching, other) in [
            ("", "Bash", None),
            ("*", "Bash", None),
            ("Write", "Write", Some("NotebookWrite")),
            ("Edit|Write", "Write", Some("Read")),
            ("Edit, Write", "Edit", Some("Ed")),
            ("Notebook.*", "NotebookEdit", Some("Edit")),
            ("mcp__memory__.*", "mcp__memory__add", Some("mcp__files__add")),
            ("^Bash$", "Bash", Some("BashOutput")),
        ] {
            let parsed = Matcher::parse(Some(matcher)).unwrap();
            assert!(parsed.matches(matching), "{matcher}");
            assert!(other.is_none_or(|other| !parsed.matches(other)), "{matcher}");
        }
        assert!(Matcher::parse(Some("(")).is_err());
        assert!(Matcher::parse(Some(&"x{1000}".repeat(100))).is_err());
    }

    #[test]
    fn a_condition_narrows_and_never_misses_a_command_that_is_not_simple() {
        let filter = CallFilter::parse("Bash(rm *)").unwrap();
        for command in ["rm -rf x", "rm", "ls && rm x", "ls; rm  x", "$(echo rm) x", "'rm' x", "true\nrm x"] {
            assert!(filter.matches("Bash", Some(command)), "{command}");
        }
        for command in ["ls rm", "rmdir x", "git rm x"] {
            assert!(!filter.matches("Bash", Some(command)), "{command}");
        }
        assert!(!filter.matches("Write", Some("rm x")));
        let filter = CallFilter::parse("Edit(*.ts)").unwrap();
        assert!(filter.matches("Edit", Some("/p/src/a.ts")) && !filter.matches("Edit", Some("/p/a.rs")));
        assert!(CallFilter::parse("Bash(git push:*)").unwrap().matches("Bash", Some("git push origin")));
        assert!(CallFilter::parse("Bash(x").is_err());
    }

    #[test]
    fn globs_match_from_end_to_end() {
        for (pattern, text, is_match) in [
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "abd", false),
            ("*", "", true),
            ("a", "ab", false),
            ("*a*b*", "xaxbx", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches_glob(pattern, text), is_match, "{pattern} {text}");
        }
    }
}
