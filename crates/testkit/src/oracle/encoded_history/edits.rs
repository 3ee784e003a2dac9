//! Changes of a conversation between two requests.

use serde_json::{Value, json};
use windlass_protocol::{
    Arguments, CallId, Content, History, Image, Message, Opaque, Part, RawJson, Reasoning, Request,
    ResultStatus, Role, Text, ToolCall, ToolName, ToolResult, ToolSpec, Unknown,
};
use windlass_vendors::WireFormat;

/// A request that changes from turn to turn.
pub(super) struct EditedRequest {
    pub(super) request: Request,
    /// True if the request is encoded with options that differ from each format's default.
    pub(super) is_otherwise: bool,
    calls: usize,
}

/// The kind of a change.
pub(super) enum Edit {
    /// An answer and its results were appended, and nothing else changed.
    Turn,
    Other,
}

impl EditedRequest {
    pub(super) fn new() -> Self {
        let request = Request::new("m", vec![Message::user("begin")]);
        Self { request, is_otherwise: false, calls: 0 }
    }

    /// Applies one change. `argument` selects its variant.
    pub(super) fn edit(&mut self, operation: u8, argument: u8) -> Edit {
        match operation % 8 {
            0..=3 => return self.turn(operation, argument),
            4 => self.say(argument),
            5 => self.change(argument),
            6 => self.shorten(argument),
            _ => self.ask_otherwise(argument),
        }
        Edit::Other
    }

    fn turn(&mut self, operation: u8, argument: u8) -> Edit {
        let messages = &mut self.request.messages;
        // A cache marker of the user's own replaces the marker at the start, so the prefix changes.
        let is_turn = messages.last().is_some_and(|last| last.role != Role::Assistant)
            && !matches!(opaque_fields(argument), Some(fields) if fields.to_string().contains("cache_control"));
        let mut parts = vec![opaque_part(argument), Part::text(format!("I look {argument}."))];
        parts.rotate_left(usize::from(argument % 2));
        let mut results = Vec::new();
        for index in 0..argument % 4 {
            self.calls += 1;
            let id = CallId::new(format!("call_{}", self.calls)).expect("a legal id");
            let name = ToolName::new(["read", "odd name"][usize::from(argument & 1)]).expect("a legal name");
            let arguments =
                Arguments::parse(json!({ "n": argument, "é": "\n" }).to_string()).expect("an object");
            parts.push(Part::Call(ToolCall::function(id.clone(), name, arguments)));
            results.push(result(id, argument.wrapping_add(index)));
        }
        messages.push(Message::assistant(parts));
        if results.is_empty() {
            messages.push(Message::user(format!("and {argument}?")));
        } else if operation % 4 == 3 {
            // Put some results into the user's own message, as other programs do.
            let rest = results.split_off(results.len() / 2);
            let mut last: Vec<Part> = rest.into_iter().map(Part::Result).collect();
            last.push(Part::text("by the way"));
            if !results.is_empty() {
                messages.push(Message::results(results));
            }
            messages.push(Message::new(Role::User, last));
        } else {
            messages.push(Message::results(results));
        }
        if is_turn { Edit::Turn } else { Edit::Other }
    }

    /// Appends a message at a place where an answer is not expected.
    fn say(&mut self, argument: u8) {
        let message = match argument % 8 {
            0 => Message::user("stop"),
            1 => Message::new(Role::System, vec![Part::text("be brief")]),
            2 => Message::assistant(vec![Part::text(" ")]),
            3 => Message::assistant(vec![opaque_part(argument / 8)]),
            4 => Message::assistant(vec![Part::Text(
                Text::new("more")
                    .with_opaque(Some(Opaque::new("openai-responses", json!({ "joined": true })))),
            )]),
            5 => Message::new(Role::Tool, vec![Part::text("beside"), Part::Image(picture())]),
            6 => Message::user(""),
            _ => Message::new(Role::User, vec![opaque_part(argument / 8), Part::Image(picture())]),
        };
        self.request.messages.push(message);
    }

    /// Changes an earlier message.
    fn change(&mut self, argument: u8) {
        let messages = &mut self.request.messages;
        let at = usize::from(argument / 8) % messages.len().max(1);
        let Some(message) = messages.get_mut(at) else { return };
        match argument % 8 {
            0 => message.parts.push(Part::text("changed")),
            1 => message.parts.clear(),
            2 => message.role = Role::User,
            3 => message.role = Role::Assistant,
            // Equal values with different bytes.
            4 => {
                for value in message.parts.iter_mut().filter_map(value) {
                    *value = json!({ "block": { "z": 0.0, "y": -0.0 } });
                }
            }
            5 => {
                for value in message.parts.iter_mut().filter_map(value) {
                    *value = json!({ "block": { "z": -0.0, "y": 0.0 } });
                }
            }
            // Equal messages without shared allocations.
            _ => {
                let text = serde_json::to_string(messages).expect("messages become JSON");
                *messages = serde_json::from_str(&text).expect("messages are read again");
            }
        }
    }

    /// Removes a part of the conversation.
    fn shorten(&mut self, argument: u8) {
        let messages = &mut self.request.messages;
        let at = usize::from(argument / 4) % (messages.len() + 1);
        match argument % 4 {
            0 => messages.truncate(at),
            1 => messages.retain(|message| message.role != Role::System),
            _ => {
                let rest = messages.iter().skip(at).cloned();
                let first = messages.first().cloned();
                let summary = Message::user("so far: much");
                *messages = first.into_iter().chain([summary]).chain(rest).collect::<History>();
            }
        }
    }

    /// Changes the parts before the conversation, or the target of the encoding.
    fn ask_otherwise(&mut self, argument: u8) {
        let request = &mut self.request;
        match argument % 8 {
            0 => request.tools = (0..argument / 8).map(tool).collect(),
            1 => request.system = (argument > 99).then(|| format!("You are number {argument}.")),
            2 => {
                request.model = format!("gemini-{}-pro", 2 + argument / 8 % 2);
            }
            3 => self.is_otherwise = !self.is_otherwise,
            4 => request.options.max_output_tokens = Some(u64::from(argument)),
            5 => {
                let name = ["messages", "input", "contents", "seed"][usize::from(argument / 8 % 4)];
                if request.options.extra.remove(name).is_none() {
                    request
                        .options
                        .extra
                        .insert(name.to_owned(), json!([{ "role": "user", "content": "else" }]));
                }
            }
            6 => request.options.temperature = Some(f64::from(argument) / 256.0),
            _ => {}
        }
    }
}

fn tool(number: u8) -> ToolSpec {
    let name = ToolName::new(format!("tool_{number}")).expect("a legal name");
    ToolSpec::function(name, "does it", RawJson::default())
}

fn result(id: CallId, argument: u8) -> ToolResult {
    let status = if argument.is_multiple_of(5) { ResultStatus::Error } else { ResultStatus::Ok };
    let mut result = ToolResult::text(id, status, format!("line {argument}\n\"quoted\""));
    match argument % 7 {
        0 => result.content.push(Content::Image(picture())),
        1 => result.content = vec![Content::Structured { value: json!({ "b": -0.0, "a": [1, null] }) }],
        _ => {}
    }
    result
}

fn picture() -> Image {
    Image::base64("image/png", "iVBORw0KGgo=")
}

/// Returns a part with opaque fields of one of the formats.
fn opaque_part(argument: u8) -> Part {
    let formats = WireFormat::all();
    let wire = formats[usize::from(argument) % formats.len()].name();
    let value = opaque_fields(argument).unwrap_or_default();
    match argument / 16 % 3 {
        0 => Part::Reasoning(Reasoning::new("hm", Some(Opaque::new(wire, value)))),
        1 => Part::Text(Text::new("word").with_opaque(Some(Opaque::new(wire, value)))),
        _ => Part::Unknown(Unknown::new(wire, value)),
    }
}

fn opaque_fields(argument: u8) -> Option<Value> {
    let fields = [
        json!({ "signature": "s", "type": "thinking", "field": "reasoning_content", "thought_signature": "t" }),
        json!({ "block": { "cache_control": { "type": "ephemeral" } }, "joined": true }),
        json!({ "item": { "type": "reasoning", "encrypted_content": "x" }, "content_block": { "type": "odd" } }),
        json!({ "block": { "z": -0.0, "y": 0.0 }, "part": { "type": "odd" } }),
    ];
    fields.get(usize::from(argument / 4) % fields.len()).cloned()
}

/// Returns the opaque fields of a text part.
fn value(part: &mut Part) -> Option<&mut Value> {
    match part {
        Part::Text(text) => text.opaque.as_mut().map(|opaque| &mut opaque.value),
        _ => None,
    }
}
