//! Tools that a client runs, in forms that only this format has, as functions for others; and their calls back.

mod agent_messages;
mod specs;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use windlass_protocol::{
    Arguments, CallId, HostedTool, Message, Opaque, Part, Request, ResultStatus, Role, ToolCall, ToolName,
    ToolResult, Unknown,
};
use windlass_stream::{CallChunk, CallKey, Chunk, WholeCall};
use windlass_wire::{CallRestorer, ProviderError, ProviderErrorKind};

use crate::item::ITEM_FIELD;
use crate::names::NAME;
use specs::{add, flat_name, spec};

/// The function in place of a search that the client runs.
const SEARCH: &str = "tool_search";
/// The kind of an item that offers tools in the middle of the input.
const ADDITIONAL: &str = "additional_tools";

/// The client's form of each function that replaces a tool of its own.
#[derive(Debug, Default)]
pub(crate) struct ClientTools {
    targets: BTreeMap<String, Target>,
    searches: BTreeMap<CallKey, Search>,
}

#[derive(Clone, Debug, PartialEq)]
enum Target {
    /// A function of a namespace.
    Namespaced { namespace: String, name: String },
    /// A search among tools, which the client runs.
    Search,
}

/// A call of a search that is buffered until it is complete.
#[derive(Clone, Debug, Default, PartialEq)]
struct Search {
    id: Option<String>,
    arguments: String,
}

impl ClientTools {
    /// Replaces the client's own tools and calls by functions. Returns `None` if calls stay as they are.
    pub(crate) fn replace(request: &mut Request) -> Option<Box<dyn CallRestorer>> {
        let mut tools = Self::default();
        agent_messages::replace(request);
        tools.offer_additional_tools(request);
        tools.offer_found_tools(request);
        Self::rename_calls(request);
        let hosted = std::mem::take(&mut request.options.hosted_tools);
        for tool in hosted {
            let is_replaced = match &tool {
                HostedTool::Native(native) if native.wire == NAME => tools.define(request, &native.value),
                _ => false,
            };
            if !is_replaced {
                request.options.hosted_tools.push(tool);
            }
        }
        if tools.targets.is_empty() { None } else { Some(Box::new(tools)) }
    }

    /// Adds the functions for a definition. Returns false for a tool that the provider runs.
    fn define(&mut self, request: &mut Request, tool: &Value) -> bool {
        let text = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "namespace" => {
                let functions = tool.get("tools").and_then(Value::as_array).map(Vec::as_slice);
                for function in functions.unwrap_or_default() {
                    self.add_function(request, text("name"), function);
                }
                true
            }
            "tool_search" if text("execution") == "client" => {
                self.targets.insert(SEARCH.to_owned(), Target::Search);
                add(request, spec(SEARCH, tool));
                true
            }
            _ => false,
        }
    }

    fn add_function(&mut self, request: &mut Request, namespace: &str, tool: &Value) {
        let text = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or_default();
        let flat = flat_name(namespace, text("name"));
        let target = Target::Namespaced { namespace: namespace.to_owned(), name: text("name").to_owned() };
        add(request, spec(&flat, tool));
        self.targets.insert(flat, target);
    }

    /// Removes the items that offer tools, and offers these. Tools of the provider become hosted tools of the request.
    fn offer_additional_tools(&mut self, request: &mut Request) {
        let is_offer = |part: &Part| item(part, ADDITIONAL).is_some();
        if !request.messages.iter().any(|message| message.parts.iter().any(is_offer)) {
            return;
        }
        let mut tools = Vec::new();
        let mut messages: Vec<Message> = request.messages.iter().cloned().collect();
        for message in &mut messages {
            let offers =
                message.parts.iter().filter_map(|part| item(part, ADDITIONAL)?.get("tools")?.as_array());
            tools.extend(offers.flatten().cloned());
            message.parts.retain(|part| !is_offer(part));
        }
        messages.retain(|message| !message.parts.is_empty());
        request.messages = messages.into();
        for tool in tools {
            match tool.get("type").and_then(Value::as_str) {
                Some("function" | "custom") => self.add_function(request, "", &tool),
                _ if self.define(request, &tool) => {}
                _ => request.options.hosted_tools.push(Unknown::new(NAME, tool).into()),
            }
        }
    }

    /// Replaces searches in the conversation by calls and results, and offers the tools that they found.
    fn offer_found_tools(&mut self, request: &mut Request) {
        let is_search =
            |part: &Part| item(part, "tool_search_call").or(item(part, "tool_search_output")).is_some();
        if !request.messages.iter().any(|message| message.parts.iter().any(is_search)) {
            return;
        }
        let mut messages: Vec<Message> = Vec::new();
        let mut found = Vec::new();
        for message in &request.messages {
            for part in &message.parts {
                let (role, part) = if let Some(call) = item(part, "tool_search_call").and_then(search_call) {
                    (Role::Assistant, Part::Call(call))
                } else if let Some(output) = item(part, "tool_search_output") {
                    let tools = output.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
                    let Some(result) = search_result(output, &tools) else { continue };
                    found.extend(tools);
                    (Role::Tool, Part::Result(result))
                } else {
                    (message.role, part.clone())
                };
                match messages.last_mut() {
                    Some(last) if last.role == role && role != Role::User => last.parts.push(part),
                    _ => messages.push(Message::new(role, vec![part])),
                }
            }
        }
        request.messages = messages.into();
        for tool in found {
            if tool.get("type").is_some_and(|kind| kind == "namespace") {
                self.define(request, &tool);
            } else {
                self.add_function(request, "", &tool);
            }
        }
    }

    fn rename_calls(request: &mut Request) {
        let calls = request.messages.iter_mut().flat_map(|message| message.parts.iter_mut());
        for part in calls {
            let Part::Call(call) = part else { continue };
            let namespace = call.opaque.as_ref().and_then(|opaque| opaque.for_wire(NAME)?.get("namespace"));
            let Some(namespace) = namespace.and_then(Value::as_str).filter(|text| !text.is_empty()) else {
                continue;
            };
            if let Ok(name) = ToolName::new(flat_name(namespace, call.name.as_str())) {
                call.name = name;
            }
        }
    }
}

impl CallRestorer for ClientTools {
    fn push(&mut self, chunk: Chunk, out: &mut Vec<Chunk>) {
        match chunk {
            Chunk::Call(CallChunk::Start { key, id, name, opaque }) => match self.targets.get(&name) {
                Some(Target::Search) => {
                    self.searches.insert(key, Search { id, arguments: String::new() });
                }
                Some(target) => {
                    let (name, opaque) = target.form(opaque);
                    out.push(Chunk::Call(CallChunk::Start { key, id, name, opaque }));
                }
                None => out.push(Chunk::Call(CallChunk::Start { key, id, name, opaque })),
            },
            Chunk::Call(CallChunk::Delta { key, arguments }) => match self.searches.get_mut(&key) {
                Some(search) => search.arguments.push_str(&arguments),
                None => out.push(Chunk::Call(CallChunk::Delta { key, arguments })),
            },
            Chunk::Call(CallChunk::End { key, arguments }) => match self.searches.remove(&key) {
                Some(search) => {
                    let text = if search.arguments.is_empty() {
                        arguments.unwrap_or_default()
                    } else {
                        search.arguments
                    };
                    out.push(search_chunk(search.id, &text));
                }
                None => out.push(Chunk::Call(CallChunk::End { key, arguments })),
            },
            Chunk::Call(CallChunk::Whole { id, name, body, opaque }) => match (self.targets.get(&name), body)
            {
                (Some(Target::Search), WholeCall::Arguments(text)) => out.push(search_chunk(id, &text)),
                (Some(target @ Target::Namespaced { .. }), body) => {
                    let (name, opaque) = target.form(opaque);
                    out.push(Chunk::Call(CallChunk::Whole { id, name, body, opaque }));
                }
                (_, body) => out.push(Chunk::Call(CallChunk::Whole { id, name, body, opaque })),
            },
            other => out.push(other),
        }
    }
}

impl Target {
    /// Returns the client's name of a call, with the namespace among its fields.
    fn form(&self, opaque: Option<Opaque>) -> (String, Option<Opaque>) {
        match self {
            Self::Namespaced { namespace, name } if !namespace.is_empty() => {
                let fields = Map::from_iter([("namespace".to_owned(), namespace.as_str().into())]);
                (name.clone(), Some(Opaque::new(NAME, Value::Object(fields))))
            }
            Self::Namespaced { name, .. } => (name.clone(), opaque),
            Self::Search => (SEARCH.to_owned(), opaque),
        }
    }
}

/// Returns a kept item of this kind.
fn item<'a>(part: &'a Part, kind: &str) -> Option<&'a Value> {
    let Part::Unknown(unknown) = part else { return None };
    unknown.value.get(ITEM_FIELD).filter(|item| item.get("type").is_some_and(|held| held == kind))
}

fn search_call(item: &Value) -> Option<ToolCall> {
    let id = CallId::new(item.get("call_id")?.as_str()?).ok()?;
    let arguments = match item.get("arguments") {
        Some(Value::String(text)) => Arguments::parse(text.as_str()),
        Some(value) => Arguments::parse(value.to_string()),
        None => Arguments::parse("{}"),
    };
    Some(ToolCall::function(id, ToolName::new(SEARCH).ok()?, arguments.ok()?))
}

fn search_result(output: &Value, tools: &[Value]) -> Option<ToolResult> {
    let id = CallId::new(output.get("call_id")?.as_str()?).ok()?;
    let names = tools.iter().filter_map(|tool| tool.get("name")?.as_str()).collect::<Vec<_>>().join(", ");
    Some(ToolResult::text(id, ResultStatus::Ok, format!("these tools are now available: {names}")))
}

/// Returns the item of a search in the client's form.
fn search_chunk(id: Option<String>, arguments: &str) -> Chunk {
    let parsed: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
    let item = json!({ "type": "tool_search_call", "call_id": id, "execution": "client", "arguments": parsed,
        "status": "completed" });
    let opaque = Some(Opaque::new(NAME, json!({ ITEM_FIELD: item })));
    let body = WholeCall::Arguments(arguments.to_owned());
    Chunk::Call(CallChunk::Whole { id, name: SEARCH.to_owned(), body, opaque })
}

/// Returns the refusal of a request that continues what only a server of this format stores. Clients that see the code
/// send the whole conversation.
pub(crate) fn refuse_references(request: &Request) -> Option<ProviderError> {
    let refusal = |what: String, parameter: &str| {
        ProviderError::new(ProviderErrorKind::Request, None, what).with_parameter(Some(parameter.to_owned()))
    };
    if let Some(id) = request.options.extra.get("previous_response_id").and_then(Value::as_str) {
        let what = format!("Previous response with id '{id}' not found.");
        let mut error = refusal(what, "previous_response_id");
        error.code = Some("previous_response_not_found".to_owned());
        return Some(error);
    }
    let unknown_items = [
        ("item_reference", "an item_reference names an item of another provider; send the item"),
        ("compaction", "a compaction is encrypted by another provider; send the conversation"),
        ("compaction_trigger", "compactions are not available for this model"),
    ];
    let parts = || request.messages.iter().flat_map(|message| &message.parts);
    let found = unknown_items.into_iter().find(|(kind, _)| parts().any(|part| item(part, kind).is_some()));
    found.map(|(_, what)| refusal(what.to_owned(), "input"))
}
