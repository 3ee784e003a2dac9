//! Finds the parts of a request that OpenAI, and most servers of its format, would refuse.

use windlass_protocol::{
    OutputFormat, OutputSchema, Part, Refusal, RefusalKind, Request, Role, Strictness, ToolSpec,
};
use windlass_wire::{EncodedHistory, RequestBody, check_conversation};

use crate::encode::{self, several_answers};
use crate::media::media_refusal;
use crate::names::is_legal_name;
use crate::{OpenAiChatOptions, hosted};

/// Returns all refusals, in the order of the request.
pub(crate) fn check(options: &OpenAiChatOptions, request: &Request) -> Vec<Refusal> {
    let mut lint = Lint { refusals: check_conversation(request) };
    lint.parameters(request);
    lint.tools(request);
    lint.check_hosted_tools(options, request);
    for (position, message) in request.messages.iter().enumerate() {
        for (at, part) in message.parts.iter().enumerate() {
            lint.part(message.role, &format!("messages[{position}].parts[{at}]"), part);
        }
    }
    // Report a request that cannot be encoded at all, unless one of the rules already reported the cause.
    if lint.refusals.is_empty()
        && let Err(error) = encode::encode(options, request, RequestBody::new(&mut EncodedHistory::new()))
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
        if let Some(temperature) = request.options.temperature
            && !(0.0..=2.0).contains(&temperature)
        {
            let what = format!("the temperature is {temperature}, 0 to 2 is allowed");
            self.refuse(RefusalKind::Parameter, "temperature", what);
        }
        if let Some(share) = request.options.top_p.filter(|share| !(0.0..=1.0).contains(share)) {
            let what = format!("{share} is not in the range of 0 to 1");
            self.refuse(RefusalKind::Parameter, "top_p", what);
        }
        // API reference, `stop`: "Up to 4 sequences".
        if request.options.stop_sequences.len() > 4 {
            let what =
                format!("{} stop sequences, at most 4 are allowed", request.options.stop_sequences.len());
            self.refuse(RefusalKind::Parameter, "stop_sequences", what);
        }
        if request.options.max_output_tokens == Some(0) {
            self.refuse(RefusalKind::Parameter, "max_output_tokens", "an answer needs at least one token");
        }
        if several_answers(request) {
            let what = "several answers to one request: the calls of one only could get their results";
            self.refuse(RefusalKind::Parameter, "extra.n", what);
        }
        match &request.output {
            OutputFormat::Schema(schema) => self.output_schema(schema),
            OutputFormat::Json if !speaks_of_json(request) => {
                // "'messages' must contain the word 'json' in some form".
                let what = "an answer in JSON is requested, and the conversation does not contain the word \
                            JSON";
                self.refuse(RefusalKind::Parameter, "output", what);
            }
            _ => {}
        }
    }

    fn output_schema(&mut self, schema: &OutputSchema) {
        // API reference, `json_schema.name`: "a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum
        // length of 64".
        if schema.name.is_empty() || !is_legal_name(&schema.name) {
            let what =
                format!("the schema's name {:?} is not 1 to 64 of A-Z, a-z, 0-9, _ and -", schema.name);
            self.refuse(RefusalKind::Name, "output.name", what);
        }
        if schema.strict == Strictness::On {
            self.strict_root("output.schema", &schema.schema.to_value());
        }
    }

    fn check_hosted_tools(&mut self, options: &OpenAiChatOptions, request: &Request) {
        for (position, tool) in request.options.hosted_tools.iter().enumerate() {
            if let Err(error) = hosted::definition(options, &request.model, tool) {
                self.refuse(RefusalKind::Unsupported, format!("hosted_tools[{position}]"), error.to_string());
            }
        }
    }

    fn tools(&mut self, request: &Request) {
        // "Invalid 'tools': array too long. Expected an array with maximum length 128".
        let tools = request.tools.len().saturating_add(request.options.hosted_tools.len());
        if tools > 128 {
            self.refuse(RefusalKind::Parameter, "tools", format!("{tools} tools, at most 128 are allowed"));
        }
        for (position, tool) in request.tools.iter().enumerate() {
            if !is_legal_name(tool.name().as_str()) {
                let name = tool.name().as_str();
                let what = format!("the tool name {name:?} is not 1 to 64 of A-Z, a-z, 0-9, _ and -");
                self.refuse(RefusalKind::Name, format!("tools[{position}].name"), what);
            }
            let ToolSpec::Function { parameters, strict, .. } = tool else { continue };
            let place = format!("tools[{position}].parameters");
            let schema = parameters.to_value();
            if schema.is_null() {
                continue;
            }
            // The API: "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'". It accepts
            // an empty schema.
            let is_object = schema.get("type").is_some_and(|kind| kind == "object");
            if !is_object && schema.as_object().is_none_or(|schema| !schema.is_empty()) {
                let what = "the schema's root needs the type object";
                self.refuse(RefusalKind::Schema, place.as_str(), what);
            }
            // The API: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at
            // the top level".
            let words = ["oneOf", "anyOf", "allOf", "enum", "not"];
            if let Some(word) = words.iter().find(|word| schema.get(**word).is_some()) {
                let what = format!("the schema's root has {word}, which is taken only below it");
                self.refuse(RefusalKind::Schema, place.as_str(), what);
            }
            if *strict == Strictness::On {
                self.strict_root(&place, &schema);
            }
        }
    }

    /// Checks the root of a strict schema. Structured outputs: "additionalProperties: false must always be
    /// set in objects" and "all fields must be required". Only the root is checked; `windlass-schema`
    /// compiles whole schemas.
    fn strict_root(&mut self, place: &str, schema: &serde_json::Value) {
        if schema.get("additionalProperties").is_none_or(|more| more != false) {
            let what = "a strict schema's root needs additionalProperties: false";
            self.refuse(RefusalKind::Schema, place, what);
        }
        let names = schema.get("properties").and_then(|properties| properties.as_object());
        let required = schema.get("required").and_then(|required| required.as_array());
        let is_required = |name: &String| required.is_some_and(|all| all.iter().any(|one| one == name));
        if let Some(name) = names.into_iter().flat_map(|names| names.keys()).find(|name| !is_required(name)) {
            let what = format!("a strict schema needs all its properties as required, {name} is not");
            self.refuse(RefusalKind::Schema, place, what);
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
