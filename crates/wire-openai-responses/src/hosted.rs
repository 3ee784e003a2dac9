//! The definitions of the tools that the API runs.

use std::borrow::Cow;

use serde_json::{Value, json};
use windlass_protocol::{HostedTool, McpServer, ToolMatching, WebSearch};
use windlass_wire::{EncodeError, HostedToolError, NativeTool, build_object, location_fields, text_list};

use crate::names::NAME;

/// The field of a function that the model sees only after a search.
pub(crate) const DEFERRED: &str = "defer_loading";

/// Returns the definition of a tool, as the list `tools` has it.
pub(crate) fn definition(tool: &HostedTool) -> Result<NativeTool<'_>, EncodeError> {
    let error = HostedToolError::new(NAME, tool);
    let value = match tool {
        HostedTool::Native(_) => {
            return tool.native_for(NAME).map(Cow::Borrowed).ok_or_else(|| error.missing());
        }
        HostedTool::WebSearch(search) => web_search(search, error)?,
        HostedTool::CodeExecution(code) => {
            let container =
                build_object([("file_ids", text_list(&code.files)), ("type", Some("auto".into()))]);
            json!({ "container": container, "type": "code_interpreter" })
        }
        HostedTool::FileSearch(search) => build_object([
            ("max_num_results", search.max_results.map(Value::from)),
            ("type", Some("file_search".into())),
            ("vector_store_ids", Some(search.stores.clone().into())),
        ]),
        HostedTool::ComputerUse(computer) => json!({
            "display_height": computer.height,
            "display_width": computer.width,
            "environment": computer.environment.as_str(),
            "type": "computer_use_preview",
        }),
        HostedTool::Mcp(server) => mcp(server),
        HostedTool::ToolSearch(search) => {
            error.refuse([("matching", search.matching != ToolMatching::Words)])?;
            json!({ "type": "tool_search" })
        }
        HostedTool::ProgrammaticCalling(_) => json!({ "type": "programmatic_tool_calling" }),
        HostedTool::ImageGeneration(image) => {
            let text = |text: &Option<String>| text.as_deref().map(Value::from);
            build_object([
                ("output_format", text(&image.format)),
                ("quality", text(&image.quality)),
                ("size", text(&image.size)),
                ("type", Some("image_generation".into())),
            ])
        }
        _ => return Err(error.missing()),
    };
    Ok(Cow::Owned(value))
}

fn web_search(search: &WebSearch, error: HostedToolError<'_>) -> Result<Value, EncodeError> {
    // The API has only a list of allowed domains, and the limit `max_tool_calls` for all tools together.
    error.refuse([
        ("blocked_domains", !search.blocked_domains.is_empty()),
        ("max_uses", search.max_uses.is_some()),
    ])?;
    let filters = text_list(&search.allowed_domains).map(|domains| json!({ "allowed_domains": domains }));
    let location = search.location.as_ref().map(|location| {
        build_object(location_fields(location).into_iter().chain([("type", Some("approximate".into()))]))
    });
    Ok(build_object([("filters", filters), ("type", Some("web_search".into())), ("user_location", location)]))
}

fn mcp(server: &McpServer) -> Value {
    // Without the field, the API asks for approval of each call.
    let approval = if server.requires_approval { "always" } else { "never" };
    build_object([
        ("allowed_tools", text_list(&server.allowed_tools)),
        ("authorization", server.authorization.as_ref().map(|token| token.expose().into())),
        ("require_approval", Some(approval.into())),
        ("server_label", Some(server.label.as_str().into())),
        ("server_url", Some(server.url.as_str().into())),
        ("type", Some("mcp".into())),
    ])
}
