//! Rules for conversations that all providers share.

mod request_check;

use std::collections::BTreeSet;

use windlass_protocol::{CallId, Message, Part, Refusal, RefusalKind, Request, Role, ToolChoice};

pub use self::request_check::RequestCheck;

/// Returns the reasons for which every provider would reject a request: results without calls or calls
/// without results, calls and results out of order, duplicate ids, messages without parts, a request without
/// messages, two tools of one name, and a required tool that is not offered. Each format adds its own rules.
///
/// ```
/// use windlass_protocol::{CallId, Message, RefusalKind, Request, ResultStatus, ToolResult};
/// let stray = ToolResult::text(CallId::new("call_1")?, ResultStatus::Ok, "done");
/// let request = Request::new("any", vec![Message::user("hi"), Message::results([stray])]);
/// let refusals = windlass_wire::check_conversation(&request);
/// assert_eq!(refusals[0].kind, RefusalKind::Pairing);
/// # Ok::<(), windlass_protocol::IdError>(())
/// ```
pub fn check_conversation(request: &Request) -> Vec<Refusal> {
    let mut lint = Lint { refusals: Vec::new(), open: Vec::new(), seen: BTreeSet::new() };
    lint.tools(request);
    if request.messages.is_empty() {
        lint.refuse(RefusalKind::Empty, "messages", "a request needs at least one message");
    }
    for (position, message) in request.messages.iter().enumerate() {
        lint.message(position, message);
    }
    lint.close(request.messages.len());
    lint.refusals
}

/// The state of the check: open calls, known ids and the reasons found.
struct Lint<'a> {
    refusals: Vec<Refusal>,
    open: Vec<&'a CallId>,
    seen: BTreeSet<&'a CallId>,
}

impl<'a> Lint<'a> {
    fn refuse(&mut self, kind: RefusalKind, place: impl Into<String>, what: impl Into<String>) {
        self.refusals.push(Refusal::new(kind, place, what));
    }

    // N7
    fn tools(&mut self, request: &'a Request) {
        let mut names = BTreeSet::new();
        for (position, tool) in request.tools.iter().enumerate() {
            if !names.insert(tool.name()) {
                let what = format!("a second tool is called {}", tool.name());
                self.refuse(RefusalKind::Name, format!("tools[{position}].name"), what);
            }
        }
        let has_tools = !request.tools.is_empty() || !request.options.hosted_tools.is_empty();
        match &request.options.tool_choice {
            ToolChoice::Required if !has_tools => {
                self.refuse(
                    RefusalKind::Parameter,
                    "tool_choice",
                    "a call is demanded and no tool is offered",
                );
            }
            ToolChoice::Named(name) if !names.contains(name) && request.options.hosted_tools.is_empty() => {
                let what = format!("a call of {name} is demanded, which is not offered");
                self.refuse(RefusalKind::Parameter, "tool_choice", what);
            }
            _ => {}
        }
    }

    fn message(&mut self, position: usize, message: &'a Message) {
        let place = |part: usize| format!("messages[{position}].parts[{part}]");
        if message.parts.is_empty() {
            self.refuse(RefusalKind::Empty, format!("messages[{position}]"), "the message has no parts");
        }
        for (part, result) in message.parts.iter().enumerate() {
            match result {
                Part::Result(_) if message.role != Role::Tool => {
                    self.refuse(RefusalKind::Order, place(part), "a result is outside a message of results");
                }
                Part::Result(result) => self.result(&place(part), &result.call),
                // An unknown part of one format can be a result of a special kind.
                Part::Unknown(_) => {}
                _ if message.role == Role::Tool => {
                    self.refuse(
                        RefusalKind::Order,
                        place(part),
                        "a message of results contains something else",
                    );
                }
                _ => {}
            }
        }
        // Results of one round may be split over several messages; any other message ends the round.
        if message.role != Role::Tool {
            self.close(position);
        }
        for (part, call) in message.parts.iter().enumerate() {
            let Part::Call(call) = call else { continue };
            if message.role != Role::Assistant {
                let what = format!("the call {} is in a message that is not the assistant's", call.id);
                self.refuse(RefusalKind::Order, place(part), what);
                continue;
            }
            // P1
            if !self.seen.insert(&call.id) {
                let what = format!("the id {} names an earlier call already", call.id);
                self.refuse(RefusalKind::Id, place(part), what);
            }
            self.open.push(&call.id);
        }
    }

    // R1
    fn result(&mut self, place: &str, id: &CallId) {
        match self.open.iter().position(|call| *call == id) {
            None => {
                self.refuse(
                    RefusalKind::Pairing,
                    place,
                    format!("a result for {id}, which no call waits for"),
                );
            }
            Some(at) => {
                self.open.remove(at);
            }
        }
    }

    fn close(&mut self, position: usize) {
        for call in std::mem::take(&mut self.open) {
            let what = format!("the call {call} has no result before it");
            self.refuse(RefusalKind::Pairing, format!("messages[{position}]"), what);
        }
    }
}
