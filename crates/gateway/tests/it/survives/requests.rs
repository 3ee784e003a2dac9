//! The features of requests, each with the function that adds it and the check that finds it.

use serde_json::{Value, json};
use windlass_protocol::{
    Arguments, CallId, Content, File, Grammar, Image, Message, OutputFormat, OutputSchema, ParallelCalls,
    Part, Payload, Reasoning, Request, ResultStatus, Role, Strictness, ToolCall, ToolChoice, ToolName,
    ToolResult, ToolSpec,
};

use crate::serve::tools;

/// A feature of a request: the function that adds it, and the check that finds it.
pub(super) struct Feature {
    pub(super) name: &'static str,
    pub(super) put: fn(&mut Request),
    pub(super) see: fn(&Request) -> Value,
}

fn name(text: &str) -> ToolName {
    ToolName::new(text).unwrap()
}

fn id(text: &str) -> CallId {
    CallId::new(text).unwrap()
}

fn call(id: &str, path: &str) -> Part {
    let arguments = Arguments::parse(json!({ "path": path }).to_string()).unwrap();
    Part::Call(ToolCall::function(self::id(id), name("read"), arguments))
}

fn round(request: &mut Request, parts: Vec<Part>, results: Vec<ToolResult>) {
    request.tools = tools();
    request.messages.push(Message::assistant(parts));
    request.messages.push(Message::results(results));
}

fn ok(id: &str) -> ToolResult {
    ToolResult::text(self::id(id), ResultStatus::Ok, "(empty)")
}

fn parts(request: &Request) -> impl Iterator<Item = &Part> {
    request.messages.iter().flat_map(|message| &message.parts)
}

fn results(request: &Request) -> impl Iterator<Item = &ToolResult> {
    parts(request).filter_map(|part| match part {
        Part::Result(result) => Some(result),
        _ => None,
    })
}

fn images(request: &Request) -> Value {
    let shown = |image: &Image| json!([image.media_type, image.source]);
    let said = parts(request).filter_map(move |part| match part {
        Part::Image(image) => Some(shown(image)),
        _ => None,
    });
    let given = results(request).flat_map(ToolResult::images).map(shown);
    said.chain(given).collect()
}

fn calls(request: &Request) -> Value {
    let all = request.messages.iter().flat_map(Message::calls);
    all.map(|call| json!([call.name.as_str(), call.payload.text()])).collect()
}

fn said_by(request: &Request, role: Role) -> Value {
    request
        .messages
        .iter()
        .filter(|message| message.role == role)
        .map(Message::text)
        .collect::<String>()
        .into()
}

fn schema_of(request: &Request) -> Value {
    let specs = request.tools.iter().map(|tool| match tool {
        ToolSpec::Function { name, description, parameters, .. } => {
            json!([name.as_str(), description, parameters.to_value()])
        }
        other => json!([other.name().as_str(), other.description()]),
    });
    specs.collect()
}

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

/// The features of requests. Each has its own request.
pub(super) fn features() -> impl Iterator<Item = &'static Feature> {
    [SAID, TOOL, ROUND, SETTING].into_iter().flatten()
}

const SAID: &[Feature] = &[
    Feature {
        name: "system prompt",
        put: |request| request.system = Some("You are brief.".into()),
        see: |request| json!([request.system, said_by(request, Role::System)]),
    },
    Feature {
        name: "words of the user",
        put: |request| request.messages[0] = Message::user("é🦀\n\"q\" \\ <x>"),
        see: |request| said_by(request, Role::User),
    },
    Feature {
        name: "image in base64",
        put: |request| request.messages[0].parts.push(Part::Image(Image::base64("image/png", PNG))),
        see: images,
    },
    Feature {
        name: "image at an address",
        put: |request| {
            let image = Image::url("image/png", "https://example.com/a.png");
            request.messages[0].parts.push(Part::Image(image));
        },
        see: images,
    },
    Feature {
        name: "document (PDF in base64)",
        put: |request| {
            let file = File::base64("application/pdf", "JVBERi0=").with_name(Some("a.pdf".into()));
            request.messages[0].parts.push(Part::File(file));
        },
        see: |request| {
            let files = parts(request).filter_map(|part| match part {
                Part::File(file) => Some(json!([file.media_type, file.name, file.source])),
                _ => None,
            });
            files.collect()
        },
    },
];

const TOOL: &[Feature] = &[
    Feature { name: "function and its schema", put: |request| request.tools = tools(), see: schema_of },
    Feature {
        name: "strict function",
        put: |request| {
            request.tools = tools();
            if let ToolSpec::Function { strict, .. } = &mut request.tools[0] {
                *strict = Strictness::On;
            }
        },
        see: |request| match request.tools.first() {
            Some(ToolSpec::Function { strict: Strictness::On, .. }) => json!("strict"),
            _ => Value::Null,
        },
    },
    Feature {
        name: "free-text tool with a grammar",
        put: |request| {
            let grammar = Some(Grammar::Lark("start: /.+/".into()));
            let spec = ToolSpec::Freeform { name: name("patch"), description: "Patches.".into(), grammar };
            request.tools = vec![spec];
        },
        see: |request| json!(request.tools),
    },
    Feature {
        name: "choice: a call is demanded",
        put: |request| {
            request.tools = tools();
            request.options.tool_choice = ToolChoice::Required;
        },
        see: |request| json!(request.options.tool_choice),
    },
    Feature {
        name: "choice: this tool",
        put: |request| {
            request.tools = tools();
            request.options.tool_choice = ToolChoice::Named(name("read"));
        },
        see: |request| json!(request.options.tool_choice),
    },
    Feature {
        name: "choice: no call",
        put: |request| {
            request.tools = tools();
            request.options.tool_choice = ToolChoice::None;
        },
        see: |request| json!(request.options.tool_choice),
    },
    Feature {
        name: "one call at a time",
        put: |request| {
            request.tools = tools();
            request.options.parallel_calls = ParallelCalls::Forbid;
        },
        see: |request| json!(request.options.parallel_calls),
    },
];

const ROUND: &[Feature] = &[
    Feature {
        name: "call and result",
        put: |request| round(request, vec![call("call_1", "a")], vec![ok("call_1")]),
        see: |request| {
            let results: Value = results(request).map(ToolResult::wire_text).collect();
            json!([calls(request), results])
        },
    },
    Feature {
        name: "id of a call",
        put: |request| round(request, vec![call("call_1", "a")], vec![ok("call_1")]),
        see: |request| {
            let ids = request.messages.iter().flat_map(Message::calls).map(|call| call.id.as_str());
            ids.chain(results(request).map(|result| result.call.as_str())).collect()
        },
    },
    Feature {
        name: "words before a call",
        put: |request| {
            round(request, vec![Part::text("I look."), call("call_1", "a")], vec![ok("call_1")]);
        },
        see: |request| said_by(request, Role::Assistant),
    },
    Feature {
        name: "parallel calls in order",
        put: |request| {
            let both = vec![call("call_1", "a"), call("call_2", "b")];
            round(request, both, vec![ok("call_1"), ok("call_2")]);
        },
        see: calls,
    },
    Feature {
        name: "call with free text",
        put: |request| {
            let spec = ToolSpec::Freeform { name: name("patch"), description: "P.".into(), grammar: None };
            let payload = Payload::Custom { input: "*** x\n".into() };
            let part = Part::Call(ToolCall::new(id("call_1"), name("patch"), payload));
            round(request, vec![part], vec![ok("call_1")]);
            request.tools = vec![spec];
        },
        see: calls,
    },
    Feature {
        name: "calls of both kinds in order",
        put: |request| {
            let spec = ToolSpec::Freeform { name: name("patch"), description: "P.".into(), grammar: None };
            let patch = |id: &str| {
                let payload = Payload::Custom { input: "*** x\n".into() };
                Part::Call(ToolCall::new(self::id(id), name("patch"), payload))
            };
            let parts = vec![patch("call_1"), call("call_2", "a"), patch("call_3"), call("call_4", "b")];
            round(request, parts, ["call_1", "call_2", "call_3", "call_4"].map(ok).to_vec());
            request.tools.push(spec);
        },
        see: |request| {
            let ids = request.messages.iter().flat_map(Message::calls).map(|call| call.name.as_str());
            ids.collect()
        },
    },
    Feature {
        name: "status of a result that is not ok",
        put: |request| {
            let result = ToolResult::text(id("call_1"), ResultStatus::Denied, "not this file");
            round(request, vec![call("call_1", "a")], vec![result]);
        },
        see: |request| results(request).map(|result| json!([result.status, result.wire_text()])).collect(),
    },
    Feature {
        name: "image in a result",
        put: |request| {
            let content = vec![Content::text("a shot"), Content::Image(Image::base64("image/png", PNG))];
            let result = ToolResult::new(id("call_1"), ResultStatus::Ok, content);
            round(request, vec![call("call_1", "a")], vec![result]);
        },
        see: images,
    },
    Feature {
        name: "thoughts without a signature",
        put: |request| {
            let thought = Part::Reasoning(Reasoning::new("Let me see.", None));
            round(request, vec![thought, call("call_1", "a")], vec![ok("call_1")]);
        },
        see: |request| {
            let thoughts = parts(request).filter_map(|part| match part {
                Part::Reasoning(reasoning) => Some(reasoning.text.clone()),
                _ => None,
            });
            thoughts.collect::<String>().into()
        },
    },
];

const SETTING: &[Feature] = &[
    Feature {
        name: "limit of tokens",
        put: |request| request.options.max_output_tokens = Some(77),
        see: |request| json!(request.options.max_output_tokens),
    },
    Feature {
        name: "temperature",
        put: |request| request.options.temperature = Some(0.5),
        see: |request| json!(request.options.temperature),
    },
    Feature {
        name: "stop sequences",
        put: |request| request.options.stop_sequences = vec!["END".into()],
        see: |request| json!(request.options.stop_sequences),
    },
    Feature {
        name: "answer as JSON",
        put: |request| request.output = OutputFormat::Json,
        see: |request| if request.output == OutputFormat::Json { json!("json") } else { Value::Null },
    },
    Feature {
        name: "answer of a schema",
        put: |request| {
            let schema = r#"{"type":"object","properties":{"sky":{"type":"string"}},"required":["sky"],"additionalProperties":false}"#;
            request.output = OutputFormat::Schema(OutputSchema::new("weather", schema.parse().unwrap()));
        },
        see: |request| match &request.output {
            OutputFormat::Schema(schema) => schema.schema.to_value(),
            _ => Value::Null,
        },
    },
    Feature {
        name: "a field of the format's own",
        put: |request| {
            request.options.extra.insert("metadata".into(), json!({"user_id": "u"}));
        },
        see: |request| json!(request.options.extra.get("metadata")),
    },
];
