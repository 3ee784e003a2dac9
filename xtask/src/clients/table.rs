//! The results of the conversations as a table: clients by formats of the upstream.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;
use windlass_vendors::WireFormat;

/// The result of one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Failed(String),
    Skipped(String),
}

/// One conversation of one client through one gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conversation {
    pub(super) mock: &'static str,
    pub(super) client: String,
    pub(super) case: String,
    pub(super) upstream: String,
    pub(super) verdict: Verdict,
}

impl Conversation {
    /// Parses a line of a suite.
    pub(super) fn parse(mock: &'static str, line: &str) -> Result<Self> {
        let parsed: Value =
            serde_json::from_str(line).with_context(|| format!("the suite printed {line:?}"))?;
        let word = |name: &str| parsed[name].as_str().unwrap_or_default().to_owned();
        let verdict = match (&parsed["ok"], parsed["skipped"].as_str()) {
            (_, Some(why)) => Verdict::Skipped(why.to_owned()),
            (Value::Bool(true), None) => Verdict::Passed,
            _ => Verdict::Failed(word("words")),
        };
        let client = format!("{} {}", word("client"), word("version"));
        let client = client.trim_end().to_owned();
        Ok(Self { mock, client, case: word("case"), upstream: word("upstream"), verdict })
    }

    pub(super) fn is_failed(&self) -> bool {
        matches!(self.verdict, Verdict::Failed(_))
    }
}

/// Formats one row for each client and case, with one column for each format of the upstream.
pub(super) fn rows(conversations: &[Conversation]) -> Vec<String> {
    let mut cells: BTreeMap<(&str, &str, &str), BTreeMap<&str, &Verdict>> = BTreeMap::new();
    for conversation in conversations {
        let row = (conversation.mock, conversation.client.as_str(), conversation.case.as_str());
        cells.entry(row).or_default().insert(&conversation.upstream, &conversation.verdict);
    }
    let mut lines = vec![row(["mock", "client", "case"], WireFormat::name)];
    for ((mock, client, case), verdicts) in cells {
        lines.push(row([mock, client, case], |format| match verdicts.get(format.name()) {
            None => "-",
            Some(Verdict::Passed) => "ok",
            Some(Verdict::Failed(_)) => "FAILED",
            Some(Verdict::Skipped(_)) => "skipped",
        }));
    }
    lines
}

/// Formats the table of a page: one row for each client and case, one column for each format of the upstream. A cell has
/// a word for each mock, or one word for all.
pub(super) fn to_markdown(conversations: &[Conversation]) -> String {
    let mut cells: BTreeMap<(&str, &str), BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for Conversation { mock, client, case, upstream, verdict } in conversations {
        let word = match verdict {
            Verdict::Passed => "ok",
            Verdict::Failed(_) => "failed",
            Verdict::Skipped(_) => "skipped",
        };
        let words = cells.entry((client, case)).or_default().entry(upstream).or_default();
        words.push(if word == "ok" { word.to_owned() } else { format!("{word} ({mock})") });
    }
    let names: Vec<&str> = WireFormat::all().iter().map(WireFormat::name).collect();
    let mut lines = vec![format!("| client | case | {} |", names.join(" | "))];
    lines.push(format!("|---|---|{}", "---|".repeat(names.len())));
    for ((client, case), upstreams) in cells {
        let words = names.iter().map(|wire| {
            let mut words = upstreams.get(*wire).cloned().unwrap_or_default();
            words.dedup();
            words.join(", ")
        });
        let words: Vec<String> = words.collect();
        lines.push(format!("| {client} | {case} | {} |", words.join(" | ")));
    }
    lines.join("\n") + "\n"
}

/// Formats a line: three columns, and one for each format of the upstream.
fn row([mock, client, case]: [&str; 3], word: impl Fn(&'static WireFormat) -> &'static str) -> String {
    let words = WireFormat::all().iter().map(|format| {
        let width = format.name().len() + 2;
        format!("{:<width$}", word(format))
    });
    let words: Vec<String> = words.collect();
    format!("{mock:<9}{client:<40}{case:<38}{}", words.concat()).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(upstream: &str, rest: &str) -> Conversation {
        let line = format!(r#"{{"client":"a","version":"1","case":"c","upstream":"{upstream}",{rest}}}"#);
        Conversation::parse("windlass", &line).unwrap()
    }

    #[test]
    fn each_verdict_has_its_cell() {
        let all = [
            conversation("openai-chat", r#""ok":true"#),
            conversation("anthropic", r#""ok":false,"words":"no text""#),
            conversation("gemini", r#""skipped":"not installed""#),
        ];
        assert_eq!(all[1].verdict, Verdict::Failed("no text".to_owned()));
        let rows = rows(&all);
        assert_eq!(rows.len(), 2);
        let words: Vec<&str> = rows[1].split_whitespace().collect();
        assert_eq!(words, ["windlass", "a", "1", "c", "ok", "-", "FAILED", "skipped"]);
    }

    #[test]
    fn a_table_cell_has_one_status_if_all_mocks_agree() {
        let mut all =
            vec![conversation("openai-chat", r#""ok":true"#), conversation("gemini", r#""ok":true"#)];
        let second = Conversation { mock: "aimock", ..conversation("openai-chat", r#""ok":true"#) };
        let third = Conversation { mock: "aimock", ..conversation("gemini", r#""skipped":"gap""#) };
        all.extend([second, third]);
        let page = to_markdown(&all);
        assert!(page.ends_with("| a 1 | c | ok |  |  | ok, skipped (aimock) |\n"), "{page}");
    }

    #[test]
    fn a_line_that_is_not_of_a_suite_is_an_error() {
        assert!(Conversation::parse("windlass", "Traceback").is_err());
        assert!(conversation("gemini", r#""ok":null"#).is_failed());
    }
}
