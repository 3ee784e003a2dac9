//! Helper functions of agent frameworks, which also parse the whole text again at every delta.

use rig_core::streaming::parse_partial_arguments;
use serde_json::Value;
use tool_parser::partial_json::PartialJson;

use super::{Observation, Viewer};

/// tool-parser's parser of partial JSON, including unfinished strings.
#[derive(Default)]
pub(super) struct ToolParser {
    text: String,
}

impl ToolParser {
    fn value(&self) -> Option<Value> {
        PartialJson::new(64, true).parse_value(&self.text, true).ok().map(|(value, _)| value)
    }
}

impl Viewer for ToolParser {
    fn push(&mut self, delta: &str) -> Option<Observation> {
        self.text.push_str(delta);
        self.value().as_ref().map(Observation::from_value)
    }

    fn finish(self) -> Option<Value> {
        self.value()
    }
}

/// rig's `parse_partial_arguments`.
#[derive(Default)]
pub(super) struct Rig {
    text: String,
}

impl Viewer for Rig {
    fn push(&mut self, delta: &str) -> Option<Observation> {
        self.text.push_str(delta);
        let members = parse_partial_arguments(&self.text);
        let content = members.get("content").and_then(Value::as_str).map_or(0, str::len);
        Some(Observation { keys: members.len(), content })
    }

    fn finish(self) -> Option<Value> {
        Some(Value::Object(parse_partial_arguments(&self.text)))
    }
}
