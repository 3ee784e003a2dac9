//! The definitions of the tools that the API runs.

use std::borrow::Cow;

use serde_json::{Value, json};
use windlass_protocol::{HostedTool, McpServer, Request, ToolMatching, WebFetch, WebSearch};
use windlass_wire::{
    EncodeError, HostedToolError, HttpRequest, NativeTool, build_object, location_fields, text_list,
};

use crate::model::claude_version;
use crate::names::NAME;
use crate::programs::CODE_EXECUTION;
use crate::{AnthropicOptions, programs};

/// The beta feature of servers in `mcp_servers`.
const MCP_BETA: &str = "mcp-client-2025-11-20";

/// Returns the definition of a tool, as the list `tools` has it.
pub(crate) fn definition<'a>(
    options: &AnthropicOptions,
    model: &str,
    tool: &'a HostedTool,
) -> Result<NativeTool<'a>, EncodeError> {
    let error = HostedToolError::new(NAME, tool);
    let version = |name: &str| Value::from(options.tool_version(name));
    let value = match tool {
        HostedTool::Native(_) => {
            return tool.native_for(NAME).map(Cow::Borrowed).ok_or_else(|| error.missing());
        }
        HostedTool::WebSearch(search) => web_search(search, version("web_search"), error)?,
        HostedTool::WebFetch(fetch) => web_fetch(fetch, version("web_fetch"), error)?,
        HostedTool::CodeExecution(code) => {
            error.refuse([("files", !code.files.is_empty())])?;
            json!({ "name": CODE_EXECUTION, "type": version(CODE_EXECUTION) })
        }
        HostedTool::ProgrammaticCalling(_) => json!({
            "name": CODE_EXECUTION,
            "type": programs::code_execution(options),
        }),
        HostedTool::ComputerUse(computer) => build_object([
            ("display_height_px", Some(computer.height.into())),
            ("display_width_px", Some(computer.width.into())),
            ("name", Some("computer".into())),
            ("type", Some(computer_version(model).0.into())),
        ]),
        HostedTool::Mcp(server) => {
            error.refuse([("requires_approval", server.requires_approval)])?;
            toolset(server)
        }
        HostedTool::ToolSearch(search) => {
            let name = match search.matching {
                ToolMatching::Words => "tool_search_tool_bm25",
                ToolMatching::Pattern => "tool_search_tool_regex",
                _ => return Err(error.missing()),
            };
            json!({ "name": name, "type": version(name) })
        }
        _ => return Err(error.missing()),
    };
    Ok(Cow::Owned(value))
}

/// Returns the field `mcp_servers` of a request with remote MCP servers.
pub(crate) fn servers(request: &Request) -> Vec<Value> {
    let servers = request.options.hosted_tools.iter().filter_map(|tool| match tool {
        HostedTool::Mcp(server) => Some(server),
        _ => None,
    });
    let token = |server: &McpServer| server.authorization.as_ref().map(|token| token.expose().into());
    let object = |server: &McpServer| {
        build_object([
            ("authorization_token", token(server)),
            ("name", Some(server.label.as_str().into())),
            ("type", Some("url".into())),
            ("url", Some(server.url.as_str().into())),
        ])
    };
    servers.map(object).collect()
}

/// Adds the header `anthropic-beta` with the beta features of the options, those that the hosted tools need, and one that
/// the conversation needs.
pub(crate) fn add_betas(
    http: HttpRequest,
    options: &AnthropicOptions,
    request: &Request,
    of_conversation: Option<&'static str>,
) -> HttpRequest {
    let mut betas: Vec<&str> = options.betas.iter().map(String::as_str).collect();
    let of_tools = request.options.hosted_tools.iter().filter_map(|tool| match tool {
        HostedTool::Mcp(_) => Some(MCP_BETA),
        HostedTool::ComputerUse(_) => Some(computer_version(&request.model).1),
        _ => None,
    });
    for needed in of_tools.chain(of_conversation) {
        if !betas.contains(&needed) {
            betas.push(needed);
        }
    }
    if betas.is_empty() { http } else { http.with_header("anthropic-beta", betas.join(",")) }
}

fn web_search(search: &WebSearch, version: Value, error: HostedToolError<'_>) -> Result<Value, EncodeError> {
    let WebSearch { allowed_domains, blocked_domains, max_uses, location, .. } = search;
    refuse_both(allowed_domains, blocked_domains, error)?;
    let location = location.as_ref().map(|location| {
        build_object(location_fields(location).into_iter().chain([("type", Some("approximate".into()))]))
    });
    Ok(build_object([
        ("allowed_domains", text_list(allowed_domains)),
        ("blocked_domains", text_list(blocked_domains)),
        ("max_uses", max_uses.map(Value::from)),
        ("name", Some("web_search".into())),
        ("type", Some(version)),
        ("user_location", location),
    ]))
}

fn web_fetch(fetch: &WebFetch, version: Value, error: HostedToolError<'_>) -> Result<Value, EncodeError> {
    refuse_both(&fetch.allowed_domains, &fetch.blocked_domains, error)?;
    Ok(build_object([
        ("allowed_domains", text_list(&fetch.allowed_domains)),
        ("blocked_domains", text_list(&fetch.blocked_domains)),
        // Citations of fetched pages are off by default.
        ("citations", Some(json!({ "enabled": true }))),
        ("max_content_tokens", fetch.max_content_tokens.map(Value::from)),
        ("max_uses", fetch.max_uses.map(Value::from)),
        ("name", Some("web_fetch".into())),
        ("type", Some(version)),
    ]))
}

/// Refuses both lists of domains together. The API, `blocked_domains`: "Cannot be used alongside `allowed_domains`".
fn refuse_both(
    allowed: &[String],
    blocked: &[String],
    error: HostedToolError<'_>,
) -> Result<(), EncodeError> {
    error.refuse([("blocked_domains` beside `allowed_domains", !allowed.is_empty() && !blocked.is_empty())])
}

/// Returns the entry of a server's tools. The server itself is in the field `mcp_servers`.
fn toolset(server: &McpServer) -> Value {
    let is_limited = !server.allowed_tools.is_empty();
    let enabled = || json!({ "enabled": true });
    let configs = build_object(server.allowed_tools.iter().map(|name| (name.as_str(), Some(enabled()))));
    build_object([
        ("configs", is_limited.then_some(configs)),
        ("default_config", is_limited.then(|| json!({ "enabled": false }))),
        ("mcp_server_name", Some(server.label.as_str().into())),
        ("type", Some("mcp_toolset".into())),
    ])
}

/// Returns the type of the computer tool for a model and its beta feature. The models since Opus 4.5 and version 4.6 take
/// the newer one.
fn computer_version(model: &str) -> (&'static str, &'static str) {
    let is_new = claude_version(model)
        .is_some_and(|version| version >= (4, 6) || (version == (4, 5) && model.contains("opus")));
    if is_new {
        ("computer_20251124", "computer-use-2025-11-24")
    } else {
        ("computer_20250124", "computer-use-2025-01-24")
    }
}
