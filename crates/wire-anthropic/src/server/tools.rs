//! Decodes the tools that a client offers and its tool choice.

use serde_json::Value;
use windlass_protocol::{HostedTool, ParallelCalls, RawJson, Request, Strictness, ToolChoice, ToolSpec};
use windlass_wire::{Fields, RequestError};

use crate::marks;
use crate::names::NAME;
use crate::server::blocks::name;

/// The field with which a client asks for arguments as the model writes them.
const EAGER: &str = "eager_input_streaming";

pub(crate) fn read(fields: &mut Fields<'_>, request: &mut Request) -> Result<(), RequestError> {
    for (place, raw) in fields.list("tools")?.into_iter().flatten() {
        let mut tool = Fields::parse(place, raw.get())?;
        if tool.text("type")?.is_some_and(|kind| kind != "custom") {
            let definition = serde_json::from_str(raw.get())?;
            request.options.hosted_tools.push(HostedTool::native(NAME, definition));
            continue;
        }
        let name = name(&mut tool)?;
        let description = tool.text("description")?.unwrap_or_default();
        let parameters: RawJson = match tool.raw("input_schema") {
            Some(raw) => raw.get().parse()?,
            None => return Err(tool.wrong("input_schema", "expected an object")),
        };
        let strict = Strictness::from_flag(tool.flag("strict")?);
        let eager = tool.flag(EAGER)?;
        let mut rest = tool.rest();
        // A tool of `windlass_protocol` does not distinguish this from a missing field.
        if eager == Some(false) {
            rest.insert(EAGER.to_owned(), Value::Bool(false));
        }
        if let Some(opaque) = marks::wrap_rest(rest) {
            request.tool_fields.insert(name.clone(), opaque);
        }
        let spec = ToolSpec::function(name, description, parameters).with_strict(strict);
        request.tools.push(if eager == Some(true) { spec.with_eager_arguments() } else { spec });
    }
    choice(fields, request)
}

fn choice(fields: &mut Fields<'_>, request: &mut Request) -> Result<(), RequestError> {
    let Some(mut choice) = fields.object("tool_choice")? else { return Ok(()) };
    request.options.tool_choice = match choice.take_required_text("type")?.as_str() {
        "auto" => ToolChoice::Auto,
        "any" => ToolChoice::Required,
        "none" => ToolChoice::None,
        "tool" => ToolChoice::Named(name(&mut choice)?),
        _ => return Err(choice.wrong("type", "expected auto, any, tool or none")),
    };
    request.options.parallel_calls = match choice.flag("disable_parallel_tool_use")? {
        None => ParallelCalls::ProviderDefault,
        Some(true) => ParallelCalls::Forbid,
        Some(false) => ParallelCalls::Allow,
    };
    Ok(())
}
