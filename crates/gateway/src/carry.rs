//! Conversion of a request to another wire format, with a report of the fields that are lost.

mod options;

use serde_json::Value;
use windlass_protocol::{
    FileSource, HostedTool, Message, OutputFormat, ParallelCalls, Part, Payload, PromptCache, Request, Role,
    ToolChoice, ToolSpec,
};
use windlass_wire::{CallRestorer, Server, Wire};

use crate::loss::Loss;
use crate::{fields, instructions};

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
    /// True if the answer may have one call, and the other format cannot demand it: the gateway drops further calls.
    pub is_single_call: bool,
    /// The kind of a part in a message of the user that the other format cannot express. It is also in `lost`.
    pub lost_input: Option<String>,
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
    convert(request, from, to).converted
}

/// A converted request, and the conversion of the calls in its answer.
pub(crate) struct Conversion {
    pub(crate) converted: ConvertedRequest,
    pub(crate) restorer: Option<Box<dyn CallRestorer>>,
    /// The client's free-text tools, which can be functions in the converted request.
    pub(crate) free_tools: Vec<ToolSpec>,
    /// The losses behind the names in `converted`.
    pub(crate) losses: Vec<Loss>,
}

/// A refusal, and the field at fault.
struct CarryRefusal {
    reason: String,
    field: Option<&'static str>,
}

/// Converts a request like [`carry`].
pub(crate) fn convert(mut request: Request, from: &dyn Server, to: &dyn Wire) -> Conversion {
    // A client of the gateway decides about the cache: its own markers are sent, and no others.
    request.options.prompt_cache = PromptCache::Off;
    if from.name() == to.name() {
        let free_tools = free_text_tools(&request);
        let converted = ConvertedRequest::new(request);
        return Conversion { converted, restorer: None, free_tools, losses: Vec::new() };
    }
    let refused_field = fields::find_refused(from, &request);
    let restorer = from.share_tools(&mut request);
    let mut losses = options::translate(&mut request, from, to);
    let refused_tool = remove_hosted_tools(&mut request, &mut losses);
    let mut converted = take_over(ConvertedRequest::new(request), to);
    let request = &mut converted.request;
    let free_tools = free_text_tools(request);
    if !to.takes_free_text() {
        functions_only(request);
    }
    system_prompts(request, to);
    converted.lost_input = parts_of_one_format(request, to.name(), &mut losses);
    let no_field =
        |name| CarryRefusal { reason: format!("{name} is not available for this model"), field: Some(name) };
    let no_tool = |reason| CarryRefusal { reason, field: Some("tools") };
    let no_file = |reason| CarryRefusal { reason, field: None };
    let refused = refused_field.map(no_field).or_else(|| refuse_uploaded(request).map(no_file));
    if let Some(CarryRefusal { reason, field }) = refused.or_else(|| refused_tool.map(no_tool)) {
        (converted.refused, converted.refused_field) = (Some(reason), field);
    }
    losses.sort_by(|left, right| left.name.cmp(&right.name));
    converted.lost = losses.iter().map(|loss| loss.name.clone()).collect();
    converted.lost.dedup();
    Conversion { converted, restorer, free_tools, losses }
}

impl ConvertedRequest {
    /// Creates the conversion of a request that stays as it is.
    fn new(request: Request) -> Self {
        Self {
            request,
            lost: Vec::new(),
            refused: None,
            refused_field: None,
            stop_sequences: Vec::new(),
            is_json: false,
            is_single_call: false,
            lost_input: None,
        }
    }
}

/// Moves the demands of a request that the other format cannot express to the gateway, which fulfils them itself.
fn take_over(mut converted: ConvertedRequest, to: &dyn Wire) -> ConvertedRequest {
    let request = &mut converted.request;
    if !to.takes_stop_sequences() {
        converted.stop_sequences = std::mem::take(&mut request.options.stop_sequences);
    }
    if !to.takes_parallel_calls() {
        // A model of a format without the switch may send several calls.
        converted.is_single_call =
            std::mem::take(&mut request.options.parallel_calls) == ParallelCalls::Forbid;
    }
    // Clients of this mode also ask for JSON in the prompt, because OpenAI requires it.
    converted.is_json = !to.takes_json_output() && request.output == OutputFormat::Json;
    if converted.is_json {
        request.output = OutputFormat::Text;
        instructions::add(request, instructions::JSON);
    }
    converted
}

/// Removes tools that only the first provider runs. Returns the refusal of a request that is about one of them: its choice
/// demands one, or it offers no other tool. Beside tools of the client they are left out and named.
fn remove_hosted_tools(request: &mut Request, losses: &mut Vec<Loss>) -> Option<String> {
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
        losses.push(Loss::part("tool choice of a hosted tool"));
        request.options.tool_choice = ToolChoice::Auto;
    }
    let kind = kinds.first()?.clone();
    losses.extend(kinds.into_iter().map(|kind| Loss::part(format!("hosted tool {kind}"))));
    let is_needed = !is_offered || !has_tools;
    is_needed.then(|| format!("the tool {kind} runs at another provider and is not available for this model"))
}

fn free_text_tools(request: &Request) -> Vec<ToolSpec> {
    let is_free = |tool: &&ToolSpec| matches!(tool, ToolSpec::Freeform { .. });
    request.tools.iter().filter(is_free).cloned().collect()
}

/// Replaces free-text tools and calls by functions.
pub(crate) fn functions_only(request: &mut Request) {
    request.tools = request.tools.iter().map(ToolSpec::as_function).collect();
    let is_free =
        |part: &Part| matches!(part, Part::Call(call) if !matches!(call.payload, Payload::Function { .. }));
    if request.messages.iter().any(|message| message.parts.iter().any(is_free)) {
        request.messages.iter_mut().for_each(calls_as_functions);
    }
}

/// Separates the texts of each system message, which another format may join without a space, and moves the
/// leading ones into the system prompt if the format has no such messages.
fn system_prompts(request: &mut Request, to: &dyn Wire) {
    let leading = request.messages.iter().take_while(|message| message.role == Role::System).count();
    let is_hoisted = leading > 0 && !to.takes_system_messages();
    let needs_separator = |message: &Message| message.role == Role::System && message.parts.len() > 1;
    // The indexes come first, because a mutable reference copies a message that another conversation shares.
    let separated: Vec<usize> = (0..)
        .zip(request.messages.iter())
        .filter(|(_, held)| needs_separator(held))
        .map(|(at, _)| at)
        .collect();
    for at in separated {
        let is_text = |part: &Part| matches!(part, Part::Text(_));
        if let Some(message) = request.messages.get_mut(at)
            && message.parts.iter().all(is_text)
        {
            message.parts = vec![Part::text(texts(&message.parts))];
        }
    }
    if is_hoisted {
        let hoisted = request.messages.iter().take(leading).map(|message| texts(&message.parts));
        let prompts: Vec<String> = request.system.take().into_iter().chain(hoisted).collect();
        request.system = Some(prompts.join("\n\n"));
        let rest = (leading..request.messages.len()).filter_map(|at| request.messages.get_shared(at));
        request.messages = rest.cloned().collect();
    }
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

/// Removes and reports parts that are specific to another format; encoding would drop them silently. Returns the kind
/// of a picture or file in a message of the user.
fn parts_of_one_format(request: &mut Request, to: &str, losses: &mut Vec<Loss>) -> Option<String> {
    let mut lost_input = None;
    let is_unknown = |part: &Part| matches!(part, Part::Unknown(unknown) if unknown.wire != to);
    if !request
        .messages
        .iter()
        .any(|message| message.parts.is_empty() || message.parts.iter().any(is_unknown))
    {
        return lost_input;
    }
    for message in request.messages.iter_mut() {
        let is_input = message.role == Role::User;
        message.parts.retain(|part| match part {
            Part::Unknown(unknown) if unknown.wire != to => {
                let kind = find_kind(&unknown.value).unwrap_or("unknown");
                losses.push(Loss::part(format!("part {kind}")));
                if is_input {
                    lost_input.get_or_insert_with(|| kind.to_owned());
                }
                false
            }
            _ => true,
        });
    }
    request.messages.retain(|message| !message.parts.is_empty());
    lost_input
}

/// Returns the kind of a part that only one format has. A format can hold its part in a field.
fn find_kind(value: &Value) -> Option<&str> {
    let inner = value.as_object().into_iter().flat_map(|fields| fields.values());
    std::iter::once(value).chain(inner).find_map(|value| value.get("type")?.as_str())
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
