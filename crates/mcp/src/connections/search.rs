//! The tool `tool_search`, which finds tools of servers when there are too many to offer all.

use std::fmt;
use std::sync::{OnceLock, Weak};

use serde::Deserialize;
use windlass_hitl::display_safe;
use windlass_protocol::{Effect, Hints, Payload, Risk, ToolName, ToolSpec};
use windlass_tool::{Context, Output, Tool, ToolError, ToolFuture};
use windlass_toolbox::Identity;

use super::Shared;
use super::ranking::Ranking;
use crate::{Definition, outcome};

/// Default number of results, and its maximum.
const FOUND: usize = 5;
const MOST_FOUND: usize = 20;
/// Maximum length of a description in the results, in bytes.
const WORDS_BYTES: usize = 300;

const DESCRIPTION: &str = "Searches the tools of the connected MCP servers by keywords, because there are \
                           too many to list. The tools that it finds are offered to you from your next turn \
                           on.";

const SCHEMA: &str = r#"{"type":"object","properties":{"query":{"type":"string","description":"A few words about the task of the tool, or its name."},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"The maximum number of tools. Default 5."}},"required":["query"],"additionalProperties":false}"#;

/// The tool `tool_search`. It holds a weak reference, because the connections own the list of dynamic tools.
pub(crate) struct ToolSearch {
    shared: Weak<Shared>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchRequest {
    query: String,
    #[serde(default)]
    limit: Option<usize>,
}

impl ToolSearch {
    pub(crate) const NAME: &str = "tool_search";

    pub(crate) fn new(shared: Weak<Shared>) -> Self {
        Self { shared }
    }

    fn search(&self, payload: &Payload) -> Result<Output, ToolError> {
        let Payload::Function { arguments } = payload else {
            return Err(refuse_query("it is not a function call"));
        };
        let wanted: SearchRequest = serde_json::from_str(arguments.as_str()).map_err(refuse_query)?;
        let Some(shared) = self.shared.upgrade() else {
            return Err(ToolError::model("the MCP servers are closed").with_advice("Continue without them."));
        };
        let definitions = shared.definitions();
        let mut ranking = Ranking::default();
        for definition in &definitions {
            ranking.push(&definition.name, &index_text(definition));
        }
        let most = wanted.limit.unwrap_or(FOUND).clamp(1, MOST_FOUND);
        let best = ranking.best(&wanted.query, most);
        let found: Vec<_> = best.into_iter().filter_map(|place| definitions.get(place)).collect();
        if found.is_empty() {
            return Ok(Output::text(format!(
                "None of the {} tools of the servers matches. Try other words, or continue without.",
                definitions.len()
            )));
        }
        shared
            .offer_found(found.iter().map(|definition| (definition.server.clone(), definition.name.clone())));
        let lines: Vec<String> = found.iter().map(|definition| line(definition)).collect();
        Ok(Output::text(format!(
            "{} tools, offered from your next turn on.\n{}",
            found.len(),
            outcome::enclose(&lines.join("\n"), "whose tools these are")
        )))
    }
}

impl Tool for ToolSearch {
    fn spec(&self) -> &ToolSpec {
        static SPEC: OnceLock<ToolSpec> = OnceLock::new();
        SPEC.get_or_init(|| {
            let name = ToolName::new(Self::NAME).expect("it is a name");
            ToolSpec::function(name, DESCRIPTION, SCHEMA.parse().expect("it is JSON"))
        })
    }

    fn hints(&self) -> Hints {
        Hints { risk: Risk::Low, ..Hints::read_only() }
    }

    /// A search has no effects: it reads the lists in memory.
    fn effects(&self, _: &Payload) -> Vec<Effect> {
        Vec::new()
    }

    fn call<'a>(&'a self, _: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async { self.search(payload) })
    }
}

/// Returns the text to index besides the name: server id, description and names of parameters.
fn index_text(definition: &Definition) -> String {
    let schema: serde_json::Value =
        serde_json::from_str(definition.input_schema.as_str()).unwrap_or_default();
    let properties = schema.get("properties").and_then(serde_json::Value::as_object);
    let names: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    format!("{} {} {}", definition.server, definition.description, names.join(" "))
}

fn line(definition: &Definition) -> String {
    let words = display_safe(&definition.description).replace('\n', " ");
    let head = words.get(..words.floor_char_boundary(WORDS_BYTES)).unwrap_or_default();
    format!("{}: {head}", Identity::mcp(&definition.server, &definition.name).name())
}

/// Returns the error of arguments that are not a query.
fn refuse_query(problem: impl fmt::Display) -> ToolError {
    ToolError::model(format!("the call has no query: {problem}"))
        .with_advice("Give an object with a `query`.")
}
