//! The definitions of the tools that the API runs.

use std::borrow::Cow;

use serde_json::{Value, json};
use windlass_protocol::{ComputerEnvironment, HostedTool, McpServer, Request};
use windlass_wire::{EncodeError, HostedToolError, NativeTool, build_object};

use crate::names::NAME;

/// The member of `toolConfig` without which the API refuses functions beside tools of its own.
pub(crate) const INCLUDE_CALLS: &str = "includeServerSideToolInvocations";

/// Returns the definition of a tool, as the list `tools` has it.
pub(crate) fn definition(tool: &HostedTool) -> Result<NativeTool<'_>, EncodeError> {
    let error = HostedToolError::new(NAME, tool);
    let value = match tool {
        HostedTool::Native(_) => {
            return tool.native_for(NAME).map(Cow::Borrowed).ok_or_else(|| error.missing());
        }
        HostedTool::WebSearch(search) => {
            // `excludeDomains` exists only on Vertex AI, and a place is a latitude and a longitude.
            error.refuse([
                ("allowed_domains", !search.allowed_domains.is_empty()),
                ("blocked_domains", !search.blocked_domains.is_empty()),
                ("max_uses", search.max_uses.is_some()),
                ("location", search.location.is_some()),
            ])?;
            json!({ "googleSearch": {} })
        }
        HostedTool::WebFetch(fetch) => {
            error.refuse([
                ("allowed_domains", !fetch.allowed_domains.is_empty()),
                ("blocked_domains", !fetch.blocked_domains.is_empty()),
                ("max_uses", fetch.max_uses.is_some()),
                ("max_content_tokens", fetch.max_content_tokens.is_some()),
            ])?;
            json!({ "urlContext": {} })
        }
        HostedTool::CodeExecution(code) => {
            error.refuse([("files", !code.files.is_empty())])?;
            json!({ "codeExecution": {} })
        }
        HostedTool::FileSearch(search) => json!({
            "fileSearch": build_object([
                ("fileSearchStoreNames", Some(search.stores.clone().into())),
                ("topK", search.max_results.map(Value::from)),
            ]),
        }),
        HostedTool::ComputerUse(computer) => {
            // The API gives coordinates from 0 to 999, so it does not need the size of the display.
            error.refuse([("environment", computer.environment != ComputerEnvironment::Browser)])?;
            json!({ "computerUse": { "environment": "ENVIRONMENT_BROWSER" } })
        }
        HostedTool::Mcp(server) => {
            error.refuse([
                ("allowed_tools", !server.allowed_tools.is_empty()),
                ("requires_approval", server.requires_approval),
            ])?;
            json!({ "mcpServers": [mcp(server)] })
        }
        _ => return Err(error.missing()),
    };
    Ok(Cow::Owned(value))
}

fn mcp(server: &McpServer) -> Value {
    let headers = server.authorization.as_ref();
    let headers = headers.map(|token| json!({ "Authorization": format!("Bearer {}", token.expose()) }));
    let transport = build_object([("headers", headers), ("url", Some(server.url.as_str().into()))]);
    json!({ "name": server.label, "streamableHttpTransport": transport })
}

/// Returns true if the request has functions beside typed hosted tools. A caller of a native definition sets the member
/// of `toolConfig` itself.
pub(crate) fn is_beside_functions(request: &Request) -> bool {
    let mut hosted = request.options.hosted_tools.iter();
    !request.tools.is_empty() && hosted.any(|tool| !matches!(tool, HostedTool::Native(_)))
}
