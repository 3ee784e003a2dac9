//! What of a request has no word in another format, and what stands in for it.

use windlass_protocol::{
    FileSource, Message, OutputFormat, ParallelCalls, Part, Payload, Request, ToolChoice, ToolSpec,
};

/// A request on its way to another format, and what it left behind.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Carried {
    /// The request, for the other format.
    pub request: Request,
    /// What had no word there, in words.
    pub lost: Vec<String>,
    /// What cannot be left out without changing what is asked: the request must not be sent.
    pub refused: Option<String>,
}

/// Carries a request from one wire format to another, by their names. Within one format nothing changes.
///
/// Fields of the first format's own, hosted tools and parts that only it knows stay behind and are named. Tools that
/// take free text become functions where the other format has none. A document that only the first provider holds
/// cannot be carried: the model would answer without it.
///
/// ```
/// use windlass_protocol::{Message, Request};
/// let mut request = Request::new("m", vec![Message::user("hi")]);
/// request.extra.insert("top_p".into(), 1.into());
/// let carried = windlass_gateway::carry(request, "openai-chat", "anthropic");
/// assert!(carried.request.extra.is_empty());
/// assert_eq!(carried.lost, ["top_p"]);
/// ```
pub fn carry(mut request: Request, from: &str, to: &str) -> Carried {
    let mut lost = Vec::new();
    if from == to {
        return Carried { request, lost, refused: None };
    }
    lost.extend(std::mem::take(&mut request.extra).into_iter().map(|(name, _)| name));
    for tool in std::mem::take(&mut request.hosted_tools) {
        let kind = tool.value.get("type").and_then(|kind| kind.as_str()).unwrap_or("of its own kind");
        lost.push(format!("hosted tool {kind}"));
    }
    let has_tools = !request.tools.is_empty();
    let is_offered = |choice: &ToolChoice| match choice {
        ToolChoice::Named(name) => request.tools.iter().any(|tool| tool.name() == name),
        ToolChoice::Required => has_tools,
        ToolChoice::Auto | ToolChoice::None => true,
    };
    if !is_offered(&request.tool_choice) {
        lost.push("tool choice of a hosted tool".to_owned());
        request.tool_choice = ToolChoice::Auto;
    }
    // Responses has no such field.
    if to == "openai-responses" && !request.stop_sequences.is_empty() {
        request.stop_sequences.clear();
        lost.push("stop sequences".to_owned());
    }
    if to == "gemini" && request.parallel_calls != ParallelCalls::ProviderDefault {
        request.parallel_calls = ParallelCalls::ProviderDefault;
        lost.push("parallel calls".to_owned());
    }
    // It has schemas, but no JSON of any form. Whoever asks for that says so in words too, as OpenAI demands.
    if to == "anthropic" && request.output == OutputFormat::Json {
        request.output = OutputFormat::Text;
        lost.push("answer as JSON".to_owned());
    }
    if !takes_free_text(to) {
        request.tools = request.tools.iter().map(ToolSpec::as_function).collect();
        request.messages.iter_mut().for_each(calls_as_functions);
    }
    parts_of_one_format(&mut request, to, &mut lost);
    lost.sort_unstable();
    lost.dedup();
    let refused = uploaded(&request);
    Carried { request, lost, refused }
}

/// Whether a format has tools that take free text.
pub(crate) fn takes_free_text(wire: &str) -> bool {
    wire.starts_with("openai-")
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

/// Parts that only the first format knows stay behind; encoding would leave them out without a word.
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

/// A document that only the first provider holds.
fn uploaded(request: &Request) -> Option<String> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let mut ids = parts.filter_map(|part| match part {
        Part::File(file) => match &file.source {
            FileSource::Id(id) => Some(id),
            _ => None,
        },
        _ => None,
    });
    let id = ids.next()?;
    Some(format!("the file {id} is with another provider; send its bytes instead"))
}
