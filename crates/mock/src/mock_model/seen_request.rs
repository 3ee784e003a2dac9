//! A request that a mock model received, with what tests ask about it.

use std::ops::Deref;

use windlass_protocol::{Part, Request, Role};

/// A request that a [`MockModel`](super::MockModel) received. It dereferences to the [`Request`].
#[derive(Clone, Debug, PartialEq)]
pub struct SeenRequest {
    request: Request,
}

impl SeenRequest {
    pub(super) fn new(request: Request) -> Self {
        Self { request }
    }

    /// Returns the names of the offered tools, in their order.
    pub fn tool_names(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.name().as_str()).collect()
    }

    /// Returns the text of the last message of the user.
    ///
    /// # Panics
    /// Panics if the messages contain none of the user.
    #[track_caller]
    pub fn user_text(&self) -> String {
        let mut users = self.messages.iter().filter(|message| message.role == Role::User);
        match users.next_back() {
            Some(message) => message.text(),
            None => panic!("the request has no message of the user:\n{}", self.describe()),
        }
    }

    /// Returns the text of the newest result of a tool.
    ///
    /// # Panics
    /// Panics if the messages contain no result of this tool.
    #[track_caller]
    pub fn tool_result(&self, tool: &str) -> String {
        let calls = self.messages.iter().flat_map(windlass_protocol::Message::calls);
        let ids: Vec<_> =
            calls.filter(|call| call.name.as_str() == tool).map(|call| call.id.clone()).collect();
        let mut results =
            self.messages.iter().flat_map(|message| message.parts.iter()).filter_map(|part| match part {
                Part::Result(result) if ids.contains(&result.call) => Some(result),
                _ => None,
            });
        match results.next_back() {
            Some(result) => result.wire_text(),
            None => panic!("the request has no result of the tool {tool}:\n{}", self.describe()),
        }
    }

    /// Returns the messages as lines for a person.
    pub fn describe(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.text.clone(),
            Part::Call(call) => format!("[call {} {}]", call.name, call.payload.text()),
            Part::Result(result) => format!("[result {}: {}]", result.status.as_str(), result.wire_text()),
            other => format!("{other:?}"),
        };
        let lines = self.messages.iter().map(|message| {
            let parts: Vec<_> = message.parts.iter().map(part).collect();
            format!("{:?}: {}", message.role, parts.join(" "))
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl Deref for SeenRequest {
    type Target = Request;

    fn deref(&self) -> &Request {
        &self.request
    }
}
