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

    /// Asserts that the request offers a tool.
    ///
    /// # Panics
    /// Panics with the offered tools if it does not.
    #[track_caller]
    pub fn assert_offers(&self, tool: &str) -> &Self {
        let names = self.tool_names();
        assert!(
            names.contains(&tool),
            "the request does not offer the tool {tool}; it offers {}",
            list(&names)
        );
        self
    }

    /// Asserts that the request does not offer a tool.
    ///
    /// # Panics
    /// Panics with the offered tools if it does.
    #[track_caller]
    pub fn assert_no_tool(&self, tool: &str) -> &Self {
        let names = self.tool_names();
        assert!(!names.contains(&tool), "the request offers the tool {tool}, beside {}", list(&names));
        self
    }

    /// Asserts that a message of the user contains a text.
    ///
    /// # Panics
    /// Panics with the messages if none contains it.
    #[track_caller]
    pub fn assert_user_said(&self, text: &str) -> &Self {
        let mut users = self.messages.iter().filter(|message| message.role == Role::User);
        assert!(
            users.any(|message| message.text().contains(text)),
            "no message of the user contains {text:?}:\n{}",
            self.describe()
        );
        self
    }

    /// Asserts that the system prompt contains a text.
    ///
    /// # Panics
    /// Panics with the system prompt if it does not.
    #[track_caller]
    pub fn assert_system_says(&self, text: &str) -> &Self {
        let system = self.system.as_deref().unwrap_or_default();
        assert!(system.contains(text), "the system prompt does not contain {text:?}:\n{system}");
        self
    }

    /// Asserts that the newest result of a tool contains a text.
    ///
    /// # Panics
    /// Panics with the result if it does not, and with the messages if they contain no result of this tool.
    #[track_caller]
    pub fn assert_result(&self, tool: &str, text: &str) -> &Self {
        let result = self.tool_result(tool);
        assert!(result.contains(text), "the result of the tool {tool} does not contain {text:?}:\n{result}");
        self
    }

    /// Describes the last message in one line.
    pub(super) fn describe_last(&self) -> String {
        self.describe().lines().next_back().unwrap_or("without a message").to_owned()
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

/// Returns names for a person.
fn list(names: &[&str]) -> String {
    if names.is_empty() { "no tools".to_owned() } else { names.join(", ") }
}

impl Deref for SeenRequest {
    type Target = Request;

    fn deref(&self) -> &Request {
        &self.request
    }
}
