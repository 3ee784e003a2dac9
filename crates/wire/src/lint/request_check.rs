//! `RequestCheck`: collects the refusals of a request, and has the checks that several formats share.

use serde_json::Value;
use windlass_protocol::{HostedTool, Message, Part, Refusal, RefusalKind, Request, Role, ToolName};

use crate::{EncodeError, check_conversation};

/// The refusals of one request, in the order of the request, as [`Wire::check`](crate::Wire::check) returns them.
///
/// A format starts with the rules for conversations that all providers share, adds its own rules with `refuse` and the
/// other methods, and ends with `finish`.
///
/// ```
/// use windlass_protocol::{Message, RefusalKind, Request};
/// use windlass_wire::RequestCheck;
///
/// let mut request = Request::new("any", vec![Message::user("hi")]);
/// request.options.temperature = Some(3.0);
/// let mut check = RequestCheck::new(&request);
/// check.check_range("temperature", request.options.temperature, 2.0);
/// let refusals = check.finish(|| Ok(()));
/// assert_eq!(refusals[0].kind, RefusalKind::Parameter);
/// assert_eq!(refusals[0].what, "3 is not in the range of 0 to 2");
/// ```
#[derive(Debug)]
pub struct RequestCheck {
    refusals: Vec<Refusal>,
}

impl RequestCheck {
    /// Starts a check with the refusals of [`check_conversation`].
    pub fn new(request: &Request) -> Self {
        Self { refusals: check_conversation(request) }
    }

    /// Appends a refusal.
    pub fn refuse(&mut self, kind: RefusalKind, place: impl Into<String>, what: impl Into<String>) {
        self.refusals.push(Refusal::new(kind, place, what));
    }

    /// Refuses a number that is not in the range of 0 to `most`.
    pub fn check_range(&mut self, place: &str, value: Option<f64>, most: f64) {
        if let Some(value) = value.filter(|value| !(0.0..=most).contains(value)) {
            self.refuse(RefusalKind::Parameter, place, format!("{value} is not in the range of 0 to {most}"));
        }
    }

    /// Refuses the options of the request that the API does not have, by their names in `Request`.
    pub fn refuse_options(&mut self, request: &Request, missing: &[&str]) {
        for name in request.options.set_names().filter(|name| missing.contains(name)) {
            self.refuse(RefusalKind::Parameter, name, format!("this API does not have the option `{name}`"));
        }
    }

    /// Refuses an answer in JSON without a schema if the conversation does not contain the word JSON.
    pub fn require_word_json(&mut self, request: &Request) {
        let contains = |text: &str| text.to_ascii_lowercase().contains("json");
        let is_in_system = request.system.as_deref().is_some_and(contains);
        if !is_in_system && !request.messages.iter().any(|message| contains(&message.text())) {
            let what = "an answer in JSON is requested, and the conversation does not contain the word JSON";
            self.refuse(RefusalKind::Parameter, "output", what);
        }
    }

    /// Refuses a request with more tools than `most`, hosted tools included.
    pub fn check_tool_count(&mut self, request: &Request, most: usize) {
        let count = request.tools.len().saturating_add(request.options.hosted_tools.len());
        if count > most {
            let what = format!("{count} tools, at most {most} are allowed");
            self.refuse(RefusalKind::Parameter, "tools", what);
        }
    }

    /// Refuses the name of the tool at `position` if it is not legal; `rule` describes legal names.
    pub fn check_tool_name(
        &mut self,
        position: usize,
        name: &ToolName,
        is_legal: impl Fn(&str) -> bool,
        rule: &str,
    ) {
        if !is_legal(name.as_str()) {
            let what = format!("the tool name {:?} is not {rule}", name.as_str());
            self.refuse(RefusalKind::Name, format!("tools[{position}].name"), what);
        }
    }

    /// Refuses each hosted tool for which `define` has no definition.
    pub fn check_hosted_tools<'a, T>(
        &mut self,
        request: &'a Request,
        define: impl Fn(&'a HostedTool) -> Result<T, EncodeError>,
    ) {
        for (position, tool) in request.options.hosted_tools.iter().enumerate() {
            if let Err(error) = define(tool) {
                self.refuse(RefusalKind::Unsupported, format!("hosted_tools[{position}]"), error.to_string());
            }
        }
    }

    /// Refuses a tool's schema whose root is neither empty nor of the type object, and one whose root has one of the
    /// words.
    pub fn check_root(&mut self, place: &str, schema: &Value, words: &[&str]) {
        let is_object = schema.get("type").is_some_and(|kind| kind == "object");
        if !is_object && schema.as_object().is_none_or(|schema| !schema.is_empty()) {
            self.refuse(RefusalKind::Schema, place, "the schema's root needs the type object");
        }
        self.refuse_root_words(place, schema, words);
    }

    /// Refuses a tool's schema whose root has one of the words.
    pub fn refuse_root_words(&mut self, place: &str, schema: &Value, words: &[&str]) {
        if let Some(word) = words.iter().find(|word| schema.get(**word).is_some()) {
            let what = format!("the schema's root has {word}, which is taken only below it");
            self.refuse(RefusalKind::Schema, place, what);
        }
    }

    /// Refuses a strict schema whose root is open or has an optional property. `windlass-schema` compiles whole
    /// schemas; the levels below the root are not checked here.
    pub fn check_strict_root(&mut self, place: &str, schema: &Value) {
        if schema.get("additionalProperties").is_none_or(|more| more != false) {
            let what = "a strict schema's root needs additionalProperties: false";
            self.refuse(RefusalKind::Schema, place, what);
        }
        let names = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &String| required.is_some_and(|all| all.iter().any(|one| one == name));
        if let Some(name) = names.into_iter().flat_map(|names| names.keys()).find(|name| !is_required(name)) {
            let what = format!("a strict schema needs all its properties as required, {name} is not");
            self.refuse(RefusalKind::Schema, place, what);
        }
    }

    /// Refuses the pictures and documents of a message for which `refusal` has a reason.
    pub fn check_media(
        &mut self,
        position: usize,
        message: &Message,
        refusal: impl Fn(Role, &Part) -> Option<String>,
    ) {
        for (at, part) in message.parts.iter().enumerate() {
            if let Some(what) = refusal(message.role, part) {
                self.refuse(RefusalKind::Unsupported, format!("messages[{position}].parts[{at}]"), what);
            }
        }
    }

    /// Refuses a message of the user or the system whose parts are all empty texts.
    pub fn refuse_empty_text(&mut self, position: usize, message: &Message) {
        let is_empty = |part: &Part| matches!(part, Part::Text(text) if text.text.is_empty());
        let is_input = matches!(message.role, Role::User | Role::System) && !message.parts.is_empty();
        if is_input && message.parts.iter().all(is_empty) {
            self.refuse(RefusalKind::Empty, format!("messages[{position}]"), "the message has no words");
        }
    }

    /// Returns the refusals. If no rule found one, encodes the request, and reports an error of the encoder.
    pub fn finish<T>(mut self, encode: impl FnOnce() -> Result<T, EncodeError>) -> Vec<Refusal> {
        if self.refusals.is_empty()
            && let Err(error) = encode()
        {
            self.refuse(RefusalKind::Unsupported, "", error.to_string());
        }
        self.refusals
    }
}
