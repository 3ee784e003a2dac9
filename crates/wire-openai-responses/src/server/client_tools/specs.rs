//! Tool specifications for definitions in the client's form.

use serde_json::{Value, json};
use windlass_protocol::{RawJson, Request, ToolName, ToolSpec};

use crate::server::request::{Format, format};

/// The longest name of a function that every provider takes.
const NAME_BYTES: usize = 64;

/// Returns the specification of a function or of a free-text tool under another name; `None` for a name or a schema
/// that no provider takes. A format of text without a [`Grammar`](windlass_protocol::Grammar) is left out.
pub(super) fn spec(name: &str, tool: &Value) -> Option<ToolSpec> {
    let text = |field: &str| tool.get(field).and_then(Value::as_str).unwrap_or_default();
    if text("type") == "custom" {
        let grammar = match format(tool.get("format")) {
            Format::Grammar(grammar) => Some(grammar),
            Format::Any | Format::Other => None,
        };
        let description = text("description").to_owned();
        return Some(ToolSpec::Freeform { name: ToolName::new(name).ok()?, description, grammar });
    }
    let parameters = tool.get("parameters").cloned().unwrap_or_else(|| json!({"type": "object"}));
    let parameters: RawJson = parameters.to_string().parse().ok()?;
    Some(ToolSpec::function(ToolName::new(name).ok()?, text("description"), parameters))
}

/// Offers a tool, unless one of this name is offered.
pub(super) fn add(request: &mut Request, spec: Option<ToolSpec>) {
    if let Some(spec) = spec
        && request.tools.iter().all(|tool| tool.name() != spec.name())
    {
        request.tools.push(spec);
    }
}

/// Returns the name of a namespace's function outside of the namespace. It is the same in every turn.
pub(super) fn flat_name(namespace: &str, name: &str) -> String {
    let joined = match namespace {
        "" => name.to_owned(),
        namespace => format!("{}__{name}", namespace.trim_end_matches('_')),
    };
    if joined.len() <= NAME_BYTES {
        return joined;
    }
    // FNV-1a keeps cut names apart.
    let hash = joined.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let start: String = joined.chars().filter(char::is_ascii).take(47).collect();
    format!("{start}_{hash:016x}")
}
