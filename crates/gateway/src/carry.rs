//! Conversion of a request to another wire format, with a report of the fields that are lost.

use windlass_protocol::{
    FileSource, HostedTool, Message, OutputFormat, ParallelCalls, Part, Payload, PromptCache, Request, Role,
    ToolChoice, ToolSpec,
};
use windlass_wire::{CallRestorer, Server, Wire};

use crate::{fields, instructions, options};

/// A request converted to another format, with its losses.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConvertedRequest {
    /// The request, valid for the other format.
    pub request: Request,
    /// Descriptions of the parts that the other format cannot express.
    pub lost: Vec<String>,
    /// The reason why the request must not be sent, if leaving out a part would change its meaning.
    pub refused: Option<String>,
    /// The field at fault, if the request is refused because of one.
    pub refused_field: Option<&'static str>,
    /// Sequences at which the gateway cuts the answer, because the other format has none.
    pub stop_sequences: Vec<String>,
    /// True if the answer must be JSON and the other format cannot demand it: the system prompt does, and the gateway
    /// removes a Markdown fence.
    pub is_json: bool,
}

/// Converts a request from the wire format `from` to the format `to`. A request that stays in its format
/// keeps all parts. No cache markers are added to any request.
///
/// Fields, hosted tools and parts that are specific to the first format are removed and reported. Tools with
/// free text input become functions if the other format does not support them. A document that only the first
/// provider stores is a refusal, because the model would answer without it.
///
/// ```
/// use windlass_protocol::{Message, Request};
/// use windlass_wire_anthropic::Anthropic;
/// use windlass_wire_openai_chat::OpenAiChat;
/// let mut request = Request::new("m", vec![Message::user("hi")]);
/// request.options.extra.insert("service_tier".into(), "flex".into());
/// let carried = windlass_gateway::carry(request, &OpenAiChat::default(), &Anthropic::default());
/// assert!(carried.request.options.extra.is_empty());
/// assert_eq!(carried.lost, ["service_tier"]);
/// ```
pub fn carry(request: Request, from: &dyn Server, to: &dyn Wire) -> ConvertedRequest {
    convert(request, from, to).0
}

/// Converts a request like [`carry`], and returns the conversion of the answer's calls.
pub(crate) fn convert(
    mut request: Request,
    from: &dyn Server,
    to: &dyn Wire,
) -> (ConvertedRequest, Option<Box<dyn CallRestorer>>) {
    let mut lost = Vec::new();
    // A client of the gateway decides about the cache: its own markers are sent, and no others.
    request.options.prompt_cache = PromptCache::Off;
    if from.name() == to.name() {
        let (stop_sequences, is_json) = (Vec::new(), false);
        let same =
            ConvertedRequest { request, lost, refused: None, refused_field: None, stop_sequences, is_json };
        return (same, None);
    }
    let refused_field = fields::find_refused(from.field_rules(), &request.options.extra);
    let restorer = from.share_tools(&mut request);
    lost.extend(options::translate(&mut request, from, to));
    let refused_tool = remove_hosted_tools(&mut request, &mut lost);
    let stop_sequences = if to.takes_stop_sequences() {
        Vec::new()
    } else {
        std::mem::take(&mut request.options.stop_sequences)
    };
    if !to.takes_parallel_calls() && request.options.parallel_calls != ParallelCalls::ProviderDefault {
        request.options.parallel_calls = ParallelCalls::ProviderDefault;
        lost.push("parallel calls".to_owned());
    }
    // Clients of this mode also ask for JSON in the prompt, because OpenAI requires it.
    let is_json = !to.takes_json_output() && request.output == OutputFormat::Json;
    if is_json {
        request.output = OutputFormat::Text;
        instructions::add(&mut request, instructions::JSON);
    }
    if !to.takes_free_text() {
        functions_only(&mut request);
    }
    system_prompts(&mut request, to);
    parts_of_one_format(&mut request, to.name(), &mut lost);
    lost.sort_unstable();
    lost.dedup();
    let no_field = |name| format!("{name} is not available for this model");
    let refused = refused_field.map(no_field).or_else(|| refuse_uploaded(&request));
    let refused_field =
        refused_field.or_else(|| refused_tool.as_ref().filter(|_| refused.is_none()).map(|_| "tools"));
    let refused = refused.or(refused_tool);
    (ConvertedRequest { request, lost, refused, refused_field, stop_sequences, is_json }, restorer)
}

/// Removes tools that only the first provider runs. Returns the refusal of a request that is about one of them: its choice
/// demands one, or it offers no other tool. Beside tools of the client they are left out and named.
fn remove_hosted_tools(request: &mut Request, lost: &mut Vec<String>) -> Option<String> {
    let mut kinds: Vec<String> = Vec::new();
    request.options.hosted_tools.retain(|tool| match tool {
        HostedTool::Native(definition) => {
            let kind = definition.value.get("type").and_then(|kind| kind.as_str());
            kinds.push(kind.unwrap_or("of its own kind").to_owned());
            false
        }
        // A typed tool has a meaning in every format; a format without it refuses the request by name.
        _ => true,
    });
    let has_tools = !request.tools.is_empty() || !request.options.hosted_tools.is_empty();
    let is_offered = match &request.options.tool_choice {
        ToolChoice::Named(name) => request.tools.iter().any(|tool| tool.name() == name),
        ToolChoice::Required => has_tools,
        ToolChoice::Auto => true,
        // The model calls no tool.
        ToolChoice::None => return None,
    };
    if !is_offered {
        lost.push("tool choice of a hosted tool".to_owned());
        request.options.tool_choice = ToolChoice::Auto;
    }
    let kind = kinds.first()?.clone();
    lost.extend(kinds.into_iter().map(|kind| format!("hosted tool {kind}")));
    let is_needed = !is_offered || !has_tools;
    is_needed.then(|| format!("the tool {kind} runs at another provider and is not available for this model"))
}

/// Replaces free-text tools and calls by functions.
pub(crate) fn functions_only(request: &mut Request) {
    request.tools = request.tools.iter().map(ToolSpec::as_function).collect();
    request.messages.iter_mut().for_each(calls_as_functions);
}

/// Separates the texts of each system message, which another format may join without a space, and moves the
/// leading ones into the system prompt if the format has no such messages.
fn system_prompts(request: &mut Request, to: &dyn Wire) {
    let mut messages: Vec<Message> = request.messages.iter().cloned().collect();
    let leading = messages.iter().take_while(|message| message.role == Role::System).count();
    let is_hoisted = leading > 0 && !to.takes_system_messages();
    let needs_separator = |message: &Message| message.role == Role::System && message.parts.len() > 1;
    if !is_hoisted && !messages.iter().any(needs_separator) {
        return;
    }
    for message in messages.iter_mut().filter(|message| needs_separator(message)) {
        let is_text = |part: &Part| matches!(part, Part::Text(_));
        if message.parts.iter().all(is_text) {
            message.parts = vec![Part::text(texts(&message.parts))];
        }
    }
    if is_hoisted {
        let rest = messages.split_off(leading);
        let hoisted = messages.iter().map(|message| texts(&message.parts));
        let prompts: Vec<String> = request.system.take().into_iter().chain(hoisted).collect();
        request.system = Some(prompts.join("\n\n"));
        messages = rest;
    }
    request.messages = messages.into();
}

/// Returns the texts of a message as paragraphs.
fn texts(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn calls_as_functions(message: &mut Message) {
    for part in &mut message.parts {
        if let Part::Call(call) = part
            && !matches!(call.payload, Payload::Function { .. })
        {
            *call = call.as_function();
        }
    }
}

/// Removes and reports parts that are specific to another format; encoding would drop them silently.
fn parts_of_one_format(request: &mut Request, to: &str, lost: &mut Vec<String>) {
    for message in request.messages.iter_mut() {
        message.parts.retain(|part| match part {
            Part::Unknown(unknown) if unknown.wire != to => {
                let kind = unknown.value.get("type").and_then(|kind| kind.as_str()).unwrap_or("unknown");
                lost.push(format!("part {kind}"));
                false
            }
            _ => true,
        });
    }
    request.messages.retain(|message| !message.parts.is_empty());
}

/// Returns a refusal if the request refers to a document that only the first provider stores.
fn refuse_uploaded(request: &Request) -> Option<String> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let mut ids = parts.filter_map(|part| match part {
        Part::File(file) => match &file.source {
            FileSource::Id(id) => Some(id),
            _ => None,
        },
        _ => None,
    });
    let id = ids.next()?;
    Some(format!("the file {id} is stored at another provider; send its bytes instead"))
}
