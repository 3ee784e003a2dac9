//! Finds the parts of a request that OpenAI would refuse in this API.

use serde_json::Value;
use windlass_protocol::{
    Grammar, OutputFormat, OutputSchema, Part, Refusal, RefusalKind, Request, Role, Strictness, ToolSpec,
};
use windlass_wire::{EncodedHistory, RequestBody, check_conversation};

use crate::encode::{encode, several_answers};
use crate::media::media_refusal;
use crate::names::is_legal_name;
use crate::parameters::MISSING;
use crate::{OpenAiResponsesOptions, hosted};

/// Returns all refusals, in the order of the request.
pub(crate) fn check(options: &OpenAiResponsesOptions, request: &Request) -> Vec<Refusal> {
    let mut lint = Lint { refusals: check_conversation(request) };
    lint.parameters(request);
    lint.further(request);
    lint.output(request);
    lint.tools(request);
    lint.check_hosted_tools(request);
    lint.messages(request);
    // Report a request that cannot be encoded at all, unless one of the rules already reported the cause.
    if lint.refusals.is_empty()
        && let Err(error) = encode(options, request, RequestBody::new(&mut EncodedHistory::new()))
    {
        lint.refuse(RefusalKind::Unsupported, "", error.to_string());
    }
    lint.refusals
}

struct Lint {
    refusals: Vec<Refusal>,
}

impl Lint {
    fn refuse(&mut self, kind: RefusalKind, place: impl Into<String>, what: impl Into<String>) {
        self.refusals.push(Refusal::new(kind, place, what));
    }

    fn parameters(&mut self, request: &Request) {
        // API reference, `temperature`: "between 0 and 2".
        self.range("temperature", request.options.temperature, 2.0);
        // "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16".
        if let Some(tokens) = request.options.max_output_tokens.filter(|tokens| *tokens < 16) {
            let what = format!("at most {tokens} tokens are requested, the API accepts 16 and more");
            self.refuse(RefusalKind::Parameter, "max_output_tokens", what);
        }
        self.range("top_p", request.options.top_p, 1.0);
        // The API reference does not have the parameters `stop`, `seed` and `n`.
        for name in request.options.set_names().filter(|name| MISSING.contains(name)) {
            self.refuse(RefusalKind::Parameter, name, format!("this API does not have the option `{name}`"));
        }
        if several_answers(request) {
            self.refuse(RefusalKind::Parameter, "extra.n", "this API gives one answer to a request");
        }
    }

    fn range(&mut self, place: &str, value: Option<f64>, most: f64) {
        if let Some(value) = value.filter(|value| !(0.0..=most).contains(value)) {
            self.refuse(RefusalKind::Parameter, place, format!("{value} is not in the range of 0 to {most}"));
        }
    }

    /// Checks the fields of `extra`, which a `Request` does not have as fields of its own.
    fn further(&mut self, request: &Request) {
        let extra = &request.options.extra;
        self.range("extra.top_p", extra.get("top_p").and_then(Value::as_f64), 1.0);
        // API reference, `top_logprobs`: "An integer between 0 and 20".
        self.range("extra.top_logprobs", extra.get("top_logprobs").and_then(Value::as_f64), 20.0);
        // Guide to the background mode: "Background mode requires `store=true`".
        let is = |name: &str, value: bool| extra.get(name) == Some(&Value::Bool(value));
        if is("background", true) && is("store", false) {
            let what = "an answer in the background has to be stored";
            self.refuse(RefusalKind::Parameter, "extra.background", what);
        }
        // API reference, `previous_response_id`: "Cannot be used in conjunction with `conversation`".
        let is_given = |name: &str| extra.get(name).is_some_and(|value| !value.is_null());
        if is_given("previous_response_id") && is_given("conversation") {
            let what = "an answer follows a response or belongs to a conversation, not both";
            self.refuse(RefusalKind::Parameter, "extra.conversation", what);
        }
        // API reference, `metadata`: "Set of 16 key-value pairs … Keys are strings with a maximum length of 64
        // characters. Values are strings with a maximum length of 512 characters."
        let metadata = extra.get("metadata").and_then(Value::as_object);
        if metadata.is_some_and(|pairs| pairs.len() > 16) {
            self.refuse(RefusalKind::Parameter, "extra.metadata", "at most 16 pairs are allowed");
        }
        for (name, value) in metadata.into_iter().flatten() {
            if name.chars().count() > 64 || value.as_str().is_some_and(|value| value.chars().count() > 512) {
                let what = "names have at most 64 characters, values at most 512";
                self.refuse(RefusalKind::Parameter, format!("extra.metadata.{name}"), what);
            }
        }
    }

    fn output(&mut self, request: &Request) {
        match &request.output {
            OutputFormat::Schema(schema) => self.output_schema(schema),
            // "Response input messages must contain the word 'json' in some form to use 'text.format' of type
            // 'json_object'."
            OutputFormat::Json if !speaks_of_json(request) => {
                let what = "an answer in JSON is requested, and the conversation does not contain the word \
                            JSON";
                self.refuse(RefusalKind::Parameter, "output", what);
            }
            _ => {}
        }
    }

    fn output_schema(&mut self, schema: &OutputSchema) {
        // API reference, `name`: "Must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length
        // of 64."
        if schema.name.is_empty() || !is_legal_name(&schema.name) {
            let what = format!("the name {:?} is not 1 to 64 of A-Z, a-z, 0-9, _ and -", schema.name);
            self.refuse(RefusalKind::Name, "output.name", what);
        }
        let value = schema.schema.to_value();
        self.root("output.schema", &value);
        if schema.strict == Strictness::On {
            self.strict_root("output.schema", &value);
        }
    }

    fn check_hosted_tools(&mut self, request: &Request) {
        for (position, tool) in request.options.hosted_tools.iter().enumerate() {
            if let Err(error) = hosted::definition(tool) {
                self.refuse(RefusalKind::Unsupported, format!("hosted_tools[{position}]"), error.to_string());
            }
        }
    }

    fn tools(&mut self, request: &Request) {
        // "Invalid 'tools': array too long. Expected an array with maximum length 128".
        let count = request.tools.len().saturating_add(request.options.hosted_tools.len());
        if count > 128 {
            self.refuse(RefusalKind::Parameter, "tools", format!("{count} tools, at most 128 are allowed"));
        }
        for (position, tool) in request.tools.iter().enumerate() {
            let name = tool.name().as_str();
            // "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern
            // '^[a-zA-Z0-9_-]+$'".
            if !is_legal_name(name) {
                let what = format!("the tool name {name:?} is not 1 to 64 of A-Z, a-z, 0-9, _ and -");
                self.refuse(RefusalKind::Name, format!("tools[{position}].name"), what);
            }
            match tool {
                ToolSpec::Function { parameters, strict, .. } => {
                    let (place, schema) = (format!("tools[{position}].parameters"), parameters.to_value());
                    // A null schema is a function without parameters.
                    if !schema.is_null() {
                        self.root(&place, &schema);
                    }
                    if *strict == Strictness::On {
                        self.strict_root(&place, &schema);
                    }
                }
                ToolSpec::Freeform { grammar: Some(grammar), .. } => self.grammar(position, grammar),
                _ => {}
            }
        }
    }

    /// Checks a grammar. Guide to function calling: the definition must not be empty.
    fn grammar(&mut self, position: usize, grammar: &Grammar) {
        if grammar.text().trim().is_empty() {
            self.refuse(RefusalKind::Schema, format!("tools[{position}].grammar"), "the grammar is empty");
        }
    }

    fn root(&mut self, place: &str, schema: &Value) {
        // The API: "Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got
        // 'type: \"None\"'". It accepts an empty schema.
        let is_object = schema.get("type").is_some_and(|kind| kind == "object");
        if !is_object && schema.as_object().is_none_or(|schema| !schema.is_empty()) {
            self.refuse(RefusalKind::Schema, place, "the schema's root needs the type object");
        }
        // The API: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the
        // top level".
        let words = ["oneOf", "anyOf", "allOf", "enum", "not"];
        if let Some(word) = words.into_iter().find(|word| schema.get(*word).is_some()) {
            let what = format!("the schema's root has {word}, which is taken only below it");
            self.refuse(RefusalKind::Schema, place, what);
        }
    }

    /// Checks the root of a strict schema. Structured outputs: "additionalProperties: false must always be
    /// set in objects" and "all fields must be required". Only the root is checked; `windlass-schema`
    /// compiles whole schemas.
    fn strict_root(&mut self, place: &str, schema: &Value) {
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

    fn messages(&mut self, request: &Request) {
        for (position, message) in request.messages.iter().enumerate() {
            for (at, part) in message.parts.iter().enumerate() {
                self.part(message.role, &format!("messages[{position}].parts[{at}]"), part);
            }
            let is_nothing = |part: &Part| matches!(part, Part::Text(text) if text.text.is_empty());
            let is_said = matches!(message.role, Role::User | Role::System) && !message.parts.is_empty();
            if is_said && message.parts.iter().all(is_nothing) {
                let what = "the message has no words";
                self.refuse(RefusalKind::Empty, format!("messages[{position}]"), what);
            }
        }
    }

    fn part(&mut self, role: Role, place: &str, part: &Part) {
        if let Some(what) = media_refusal(role, part) {
            self.refuse(RefusalKind::Unsupported, place, what);
        }
    }
}

fn speaks_of_json(request: &Request) -> bool {
    let says = |text: &str| text.to_ascii_lowercase().contains("json");
    request.system.as_deref().is_some_and(says)
        || request.messages.iter().any(|message| says(&message.text()))
}
