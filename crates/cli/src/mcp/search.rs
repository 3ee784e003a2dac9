//! `tool_search`: the way to tools of servers where there are too many to tell a model all of them.

use std::collections::HashMap;

use serde::Deserialize;
use windlass_hitl::display_safe;
use windlass_mcp::McpConnections;
use windlass_protocol::{Effect, Hints, Payload, ToolName, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture, read_arguments};

/// Its name.
pub(crate) const SEARCH: &str = "tool_search";

/// How many tools are told, if nothing is said, and at the most.
const USUAL: usize = 5;
const MOST: usize = 20;

/// The two numbers of BM25: how fast more of a word counts less, and how much a long text counts against itself.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// Words that say nothing about a tool.
const EMPTY: [&str; 12] = ["a", "an", "and", "for", "in", "is", "of", "on", "or", "the", "to", "with"];

const DESCRIPTION: &str = "Finds tools of the connected MCP servers by words for what they do, with the schema of their \
    arguments. Call one that was found with use_mcp_tool.";

const SCHEMA: &str = r#"{"type":"object","properties":{
"query":{"type":"string","description":"Words for what the tool is to do."},
"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many tools are told."}
},"required":["query"],"additionalProperties":false}"#;

/// Finds tools by words.
pub(crate) struct ToolSearch {
    spec: ToolSpec,
    connections: McpConnections,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    #[serde(default)]
    limit: Option<usize>,
}

/// A tool's words, counted.
struct Document {
    text: String,
    counts: HashMap<String, f64>,
    length: f64,
}

impl ToolSearch {
    pub(crate) fn new(connections: McpConnections) -> Self {
        let name = ToolName::new(SEARCH).expect("a name of letters");
        let schema = SCHEMA.parse().expect("the schema is written above");
        Self { spec: ToolSpec::function(name, DESCRIPTION, schema), connections }
    }

    fn found(&self, payload: &Payload) -> Result<Output, ToolError> {
        let Arguments { query, limit } = read_arguments(payload)?;
        let documents = self.documents();
        let best = ranked(&documents, &query);
        if best.is_empty() {
            let servers: Vec<String> =
                self.connections.names().into_iter().map(|(server, _)| server).collect();
            return Err(ToolError::model(format!(
                "no tool has any of these words; try others. There are {} tools of: {}",
                documents.len(),
                servers.join(", ")
            )));
        }
        let texts = best.iter().take(limit.unwrap_or(USUAL).min(MOST)).map(|at| at.text.as_str());
        Ok(Output::text(texts.collect::<Vec<_>>().join("\n\n")))
    }

    fn documents(&self) -> Vec<Document> {
        let mut documents = Vec::new();
        for (server, tools) in self.connections.names() {
            for name in tools {
                let Some(tool) = self.connections.tool(&server, &name) else { continue };
                let spec = tool.spec();
                let description = display_safe(spec.description());
                let schema = match spec {
                    ToolSpec::Function { parameters, .. } => parameters.as_str(),
                    _ => "{}",
                };
                let text = format!(
                    "server_name: {server}\ntool_name: {name}\ndescription (the server's words): {description}\narguments: \
                     {schema}"
                );
                // The name says more than the words around it.
                let words = format!("{server} {name} {name} {description}");
                documents.push(Document::of(text, &words));
            }
        }
        documents
    }
}

impl Document {
    fn of(text: String, words: &str) -> Self {
        let mut counts = HashMap::new();
        let mut length = 0.0;
        for word in words_of(words) {
            *counts.entry(word).or_insert(0.0) += 1.0;
            length += 1.0;
        }
        Self { text, counts, length }
    }
}

/// The documents that have one of the words, the best first (BM25); of two that are equal the first.
fn ranked<'a>(documents: &'a [Document], query: &str) -> Vec<&'a Document> {
    let count = count_of(documents.len());
    let average = documents.iter().map(|document| document.length).sum::<f64>() / count.max(1.0);
    let mut words: Vec<String> = words_of(query).collect();
    words.sort_unstable();
    words.dedup();
    let mut scored: Vec<(f64, &Document)> = documents.iter().map(|document| (0.0, document)).collect();
    for word in &words {
        let with = count_of(documents.iter().filter(|document| document.counts.contains_key(word)).count());
        let rarity = (1.0 + (count - with + 0.5) / (with + 0.5)).ln();
        for (score, document) in &mut scored {
            let often = document.counts.get(word).copied().unwrap_or_default();
            let norm = 1.0 - LENGTH + LENGTH * document.length / average.max(1.0);
            *score += rarity * often * (SATURATION + 1.0) / (often + SATURATION * norm);
        }
    }
    scored.retain(|(score, _)| *score > 0.0);
    scored.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    scored.into_iter().map(|(_, document)| document).collect()
}

fn count_of(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

/// Words in small letters, without their last `s`; names are cut at signs and at capitals.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let mut cut = String::with_capacity(text.len());
    let mut was_small = false;
    for letter in text.chars() {
        if letter.is_uppercase() && was_small {
            cut.push(' ');
        }
        was_small = letter.is_lowercase();
        cut.extend(letter.to_lowercase());
    }
    let words: Vec<String> = cut
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty() && !EMPTY.contains(word))
        .map(|word| word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word).to_owned())
        .collect();
    words.into_iter()
}

impl Tool for ToolSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hints(&self) -> Hints {
        Hints::read_only()
    }

    fn effects(&self, _: &Payload) -> Vec<Effect> {
        vec![Effect::Internal]
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move { self.found(payload) })
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, ranked};

    #[track_caller]
    fn check(query: &str, expected: &[&str]) {
        let tools = [
            ("read_file", "Reads a file of the workspace."),
            ("createIssue", "Opens an issue in a repository, with a title and words."),
            ("list_issues", "The issues of a repository."),
            ("weather", "The weather of a place."),
        ];
        let documents: Vec<Document> = tools
            .iter()
            .map(|(name, words)| Document::of((*name).to_owned(), &format!("hub {name} {name} {words}")))
            .collect();
        let found: Vec<&str> =
            ranked(&documents, query).iter().map(|document| document.text.as_str()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn tools_are_found_by_words_of_their_names_and_descriptions_the_best_first() {
        check("weather in Paris", &["weather"]);
        check("create an issue", &["createIssue", "list_issues"]);
        check("ISSUES", &["list_issues", "createIssue"]);
        check("files", &["read_file"]);
        check("nothing here", &[]);
        check("", &[]);
    }
}
