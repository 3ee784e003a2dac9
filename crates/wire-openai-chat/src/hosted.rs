//! The tools that the server runs.

use serde_json::{Value, json};
use windlass_protocol::{HostedTool, WebSearch};
use windlass_wire::{EncodeError, HostedToolError, build_object, location_fields};

use crate::names::NAME;
use crate::{OpenAiChatOptions, WebSearchModels};

/// A hosted tool in a body.
pub(crate) enum Definition<'a> {
    /// An entry of the list `tools`.
    Tool(&'a Value),
    /// The value of the body's field `web_search_options`.
    Search(Value),
}

/// Returns the definition of a tool. This API has only a search in the web, and only for the models that are made for it.
pub(crate) fn definition<'a>(
    options: &OpenAiChatOptions,
    model: &str,
    tool: &'a HostedTool,
) -> Result<Definition<'a>, EncodeError> {
    let error = HostedToolError::new(NAME, tool);
    match tool {
        HostedTool::Native(_) => tool.native_for(NAME).map(Definition::Tool).ok_or_else(|| error.missing()),
        HostedTool::WebSearch(search) if takes_search(options, model) => {
            Ok(Definition::Search(web_search(search, error)?))
        }
        _ => Err(error.missing()),
    }
}

fn web_search(search: &WebSearch, error: HostedToolError<'_>) -> Result<Value, EncodeError> {
    error.refuse([
        ("allowed_domains", !search.allowed_domains.is_empty()),
        ("blocked_domains", !search.blocked_domains.is_empty()),
        ("max_uses", search.max_uses.is_some()),
    ])?;
    let location = search.location.as_ref().map(
        |location| json!({ "approximate": build_object(location_fields(location)), "type": "approximate" }),
    );
    Ok(build_object([("user_location", location)]))
}

/// Returns true if the model takes `web_search_options`: OpenAI's `gpt-4o-search-preview` and `gpt-5-search-api`, which
/// search before each answer.
fn takes_search(options: &OpenAiChatOptions, model: &str) -> bool {
    match options.web_search {
        WebSearchModels::ByName => model.contains("-search-"),
        WebSearchModels::All => true,
    }
}
