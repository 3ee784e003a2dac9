//! What survives between each two formats: every feature is sent on its way, and what arrives is compared.
//!
//! The table in `SURVIVES.md` is written by this test: `UPDATE_EXPECT=1 cargo test -p windlass-gateway survives`.

use std::fmt::Write as _;

use expect_test::expect_file;
use serde_json::{Value, json};
use windlass_assemble::{Answer, Assembler, Normalizer, Options};
use windlass_gateway::carry;
use windlass_protocol::{
    Arguments, CallId, Content, File, Grammar, Image, Message, OutputFormat, OutputSchema, ParallelCalls, Part,
    Payload, Reasoning, Request, ResultStatus, Role, StopReason, Strictness, ToolCall, ToolChoice, ToolName,
    ToolResult, ToolSpec, Usage,
};
use windlass_stream::{CallChunk, CallKey, Chunk, FreeText, StreamError, StreamErrorKind};
use windlass_wire::{Asked, Framing, Limits, Reply};

use crate::formats::{Format, formats};
use crate::serve::tools;

/// What became of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It arrived as it was.
    Whole,
    /// It arrived changed.
    Changed,
    /// It did not arrive.
    Lost,
    /// It was refused before anything was sent.
    Refused,
}

impl Fate {
    fn word(self) -> &'static str {
        match self {
            Self::Whole => "yes",
            Self::Changed => "changed",
            Self::Lost => "no",
            Self::Refused => "refused",
        }
    }

    fn of(sent: &Value, arrived: &Value) -> Self {
        if sent == arrived {
            return Self::Whole;
        }
        let is_nothing = arrived.is_null()
            || arrived.as_array().is_some_and(Vec::is_empty)
            || arrived.as_str().is_some_and(str::is_empty);
        if is_nothing { Self::Lost } else { Self::Changed }
    }
}

/// A feature of a request: how it is put in, and how it is looked for.
struct Feature {
    name: &'static str,
    put: fn(&mut Request),
    see: fn(&Request) -> Value,
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
    all.map(|call| json!([call.id.as_str(), call.name.as_str(), call.payload.text()])).collect()
}

fn said_by(request: &Request, role: Role) -> Value {
    request.messages.iter().filter(|message| message.role == role).map(Message::text).collect::<String>().into()
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

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

/// The features of requests. Each stands in a request of its own.
fn features() -> Vec<Feature> {
    let mut all = said_features();
    all.extend(tool_features());
    all.extend(round_features());
    all.extend(setting_features());
    all
}

fn said_features() -> Vec<Feature> {
    vec![
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
    ]
}

fn tool_features() -> Vec<Feature> {
    vec![
        Feature {
            name: "function and its schema",
            put: |request| request.tools = tools(),
            see: schema_of,
        },
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
                request.tool_choice = ToolChoice::Required;
            },
            see: |request| json!(request.tool_choice),
        },
        Feature {
            name: "choice: this tool",
            put: |request| {
                request.tools = tools();
                request.tool_choice = ToolChoice::Named(name("read"));
            },
            see: |request| json!(request.tool_choice),
        },
        Feature {
            name: "choice: no call",
            put: |request| {
                request.tools = tools();
                request.tool_choice = ToolChoice::None;
            },
            see: |request| json!(request.tool_choice),
        },
        Feature {
            name: "one call at a time",
            put: |request| {
                request.tools = tools();
                request.parallel_calls = ParallelCalls::Forbid;
            },
            see: |request| json!(request.parallel_calls),
        },
    ]
}

fn round_features() -> Vec<Feature> {
    vec![
        Feature {
            name: "call and result",
            put: |request| round(request, vec![call("call_1", "a")], vec![ok("call_1")]),
            see: |request| {
                let results: Value = results(request).map(|result| json!([result.call.as_str(), result.wire_text()])).collect();
                json!([calls(request), results])
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
    ]
}

fn setting_features() -> Vec<Feature> {
    vec![
        Feature {
            name: "limit of tokens",
            put: |request| request.max_output_tokens = Some(77),
            see: |request| json!(request.max_output_tokens),
        },
        Feature {
            name: "temperature",
            put: |request| request.temperature = Some(0.5),
            see: |request| json!(request.temperature),
        },
        Feature {
            name: "stop sequences",
            put: |request| request.stop_sequences = vec!["END".into()],
            see: |request| json!(request.stop_sequences),
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
                request.extra.insert("metadata".into(), json!({"user_id": "u"}));
            },
            see: |request| json!(request.extra.get("metadata")),
        },
    ]
}

/// Sends a request from a client of one format to a provider of another, and compares what arrives.
fn request_fate(feature: &Feature, from: &Format, to: &Format) -> Fate {
    let mut asked = Request::new("m", vec![Message::user("hi")]);
    (feature.put)(&mut asked);
    let wanted = (feature.see)(&asked);
    let Ok(first) = from.wire.encode(&asked) else { return Fate::Refused };
    let asked = from.server.decode_request(&first.path, &first.body).unwrap();
    let carried = carry(asked.request, from.name(), to.name());
    if carried.refused.is_some() {
        return Fate::Refused;
    }
    let Ok(second) = to.wire.encode(&carried.request) else { return Fate::Refused };
    let arrived = to.server.decode_request(&second.path, &second.body).unwrap();
    Fate::of(&wanted, &(feature.see)(&arrived.request))
}

/// A feature of an answer: its chunks, and how it is looked for.
struct Said {
    name: &'static str,
    chunks: fn() -> Vec<Chunk>,
    see: fn(&Answer) -> Value,
}

fn finish(reason: StopReason) -> Chunk {
    Chunk::Finish { raw: format!("{reason:?}"), reason }
}

fn call_chunks(key: u64, id: &str, path: &str) -> [Chunk; 3] {
    let (key, id) = (CallKey(key), Some(id.to_owned()));
    [
        Chunk::Call(CallChunk::Start { key, id, name: "read".into(), opaque: None }),
        Chunk::Call(CallChunk::Delta { key, arguments: json!({ "path": path }).to_string() }),
        Chunk::Call(CallChunk::End { key, arguments: None }),
    ]
}

fn answer_calls(answer: &Answer) -> Value {
    let calls = answer.good_calls();
    calls.map(|call| json!([call.id.as_str(), call.name.as_str(), call.payload.text()])).collect()
}

fn stop(answer: &Answer) -> Value {
    json!(answer.stop)
}

fn answers() -> Vec<Said> {
    vec![
        Said {
            name: "words",
            chunks: || vec![Chunk::text("é🦀 "), Chunk::text("\"q\"\n"), finish(StopReason::End)],
            see: |answer| json!([answer.text(), answer.stop]),
        },
        Said {
            name: "call",
            chunks: || {
                let mut chunks = vec![Chunk::text("I look.")];
                chunks.extend(call_chunks(0, "call_1", "a"));
                chunks.push(finish(StopReason::Calls));
                chunks
            },
            see: |answer| json!([answer_calls(answer), answer.text(), answer.stop]),
        },
        Said {
            name: "parallel calls in order",
            chunks: || {
                let mut chunks = call_chunks(0, "call_1", "a").to_vec();
                chunks.extend(call_chunks(1, "call_2", "b"));
                chunks.push(finish(StopReason::Calls));
                chunks
            },
            see: answer_calls,
        },
        Said {
            name: "thoughts",
            chunks: || {
                let end = Chunk::ReasoningEnd { opaque: None };
                vec![Chunk::reasoning("Let me see."), end, Chunk::text("Yes."), finish(StopReason::End)]
            },
            see: |answer| {
                let thoughts = answer.parts.iter().filter_map(|part| match part {
                    Part::Reasoning(reasoning) => Some(reasoning.text.clone()),
                    _ => None,
                });
                thoughts.collect::<String>().into()
            },
        },
        Said {
            name: "usage",
            chunks: || {
                let mut usage = Usage::default();
                (usage.input_tokens, usage.output_tokens) = (11, 7);
                vec![Chunk::text("Yes."), Chunk::Usage { usage }, finish(StopReason::End)]
            },
            see: |answer| json!([answer.usage.input_tokens, answer.usage.output_tokens]),
        },
        Said {
            name: "stop: the limit of tokens",
            chunks: || vec![Chunk::text("Yes"), finish(StopReason::Length)],
            see: stop,
        },
        Said {
            name: "stop: refused",
            chunks: || vec![Chunk::text("No."), finish(StopReason::Refusal)],
            see: stop,
        },
        Said {
            name: "stop: a filter",
            chunks: || vec![Chunk::text("No"), finish(StopReason::ContentFilter)],
            see: stop,
        },
        Said {
            name: "an error in the middle",
            chunks: || {
                let error = StreamError::new(StreamErrorKind::Overloaded, None, "too busy");
                vec![Chunk::text("Ye"), Chunk::Error { error }]
            },
            see: |answer| {
                let error = answer.error.as_ref();
                json!(error.map(|error| error.message.contains("too busy")))
            },
        },
        Said {
            name: "a call that was cut is none",
            chunks: || {
                let mut chunks = call_chunks(0, "call_1", "a").to_vec();
                chunks.truncate(2);
                chunks.push(finish(StopReason::Length));
                chunks
            },
            see: |answer| json!([answer_calls(answer), answer.stop]),
        },
    ]
}

/// Chunks as a server of a format writes them, in its own bytes.
fn written(format: &Format, chunks: Vec<Chunk>) -> Vec<u8> {
    let asked = Asked::new(Request::new("m", Vec::new()).with_tools(tools()), Framing::Events);
    let mut asked = asked;
    asked.request.extra.insert("stream_options".into(), json!({ "include_usage": true }));
    let mut encoder = format.server.encoder(&asked, Reply::new("1", "m", 0));
    let (mut bytes, mut normal) = (Vec::new(), Vec::new());
    let mut normalizer = Normalizer::new(Options::default());
    chunks.into_iter().for_each(|chunk| normalizer.push(chunk, &mut normal));
    normalizer.finish(&mut normal);
    let mut free_text = FreeText::default();
    let mut all = Vec::new();
    normal.into_iter().for_each(|chunk| free_text.push(chunk, &mut all));
    for chunk in &all {
        encoder.push(chunk, &mut bytes).unwrap();
    }
    encoder.finish(&mut bytes).unwrap();
    bytes
}

fn read(format: &Format, bytes: &[u8]) -> Vec<Chunk> {
    let (mut decoder, mut chunks) = (format.wire.decoder(Limits::default()), Vec::new());
    decoder.push(bytes, &mut chunks).unwrap();
    decoder.finish(&mut chunks).unwrap();
    chunks
}

fn assembled(chunks: Vec<Chunk>) -> Answer {
    let (mut assembler, mut events) = (Assembler::new(Options::default()), Vec::new());
    chunks.into_iter().for_each(|chunk| assembler.push(chunk, &mut events));
    assembler.finish(&mut events)
}

/// An answer of a provider of the second format, as the client of the first reads it.
fn answer_fate(said: &Said, from: &Format, to: &Format) -> Fate {
    let wanted = (said.see)(&assembled((said.chunks)()));
    let behind = read(to, &written(to, (said.chunks)()));
    let before = read(from, &written(from, behind));
    Fate::of(&wanted, &(said.see)(&assembled(before)))
}

fn short(format: &Format) -> &'static str {
    match format.name() {
        "openai-chat" => "Chat",
        "openai-responses" => "Responses",
        "anthropic" => "Anthropic",
        _ => "Gemini",
    }
}

/// One table: a row a feature, a column a pair.
fn table(title: &str, pairs: &[(Format, Format)], rows: Vec<(&str, Vec<Fate>)>) -> String {
    let mut text = format!("\n## {title}\n\n| |");
    for (from, to) in pairs {
        write!(text, " {} → {} |", short(from), short(to)).unwrap();
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(pairs.len()));
    for (name, fates) in rows {
        write!(text, "\n| {name} |").unwrap();
        for fate in fates {
            write!(text, " {} |", fate.word()).unwrap();
        }
    }
    text.push('\n');
    text
}

// Issue 4, "Must be shown" 3.
#[test]
fn the_table_of_what_survives_is_true() {
    let all = formats();
    let pairs: Vec<_> = all
        .iter()
        .flat_map(|from| all.iter().map(move |to| (from.clone(), to.clone())))
        .filter(|(from, to)| from.name() != to.name())
        .collect();
    assert_eq!(pairs.len(), 12);
    let asked: Vec<_> = features()
        .iter()
        .map(|feature| (feature.name, pairs.iter().map(|(from, to)| request_fate(feature, from, to)).collect()))
        .collect();
    let said: Vec<_> = answers()
        .iter()
        .map(|said| (said.name, pairs.iter().map(|(from, to)| answer_fate(said, from, to)).collect()))
        .collect();
    let count = |rows: &[(&str, Vec<Fate>)], fate| rows.iter().flat_map(|row| &row.1).filter(|it| **it == fate).count();
    for (kind, rows) in [("requests", &asked), ("answers", &said)] {
        println!(
            "corpus: what survives of {kind} in 12 pairs: {} whole, {} changed, {} lost, {} refused",
            count(rows, Fate::Whole),
            count(rows, Fate::Changed),
            count(rows, Fate::Lost),
            count(rows, Fate::Refused),
        );
    }
    let text = format!(
        "# What survives between two formats\n\n\
         A client of the first format, a provider of the second, the gateway between them. Written by a test that sends \
         each feature alone and compares what arrives, so it says what is, not what should be. `yes`: as it was; \
         `changed`: it arrives in another form; `no`: it is left out, and where it had a name the client is told in \
         `x-windlass-lost`; `refused`: the client gets an error, because without it the answer would be another.\n\
         {}{}",
        table("Requests", &pairs, asked),
        table("Answers", &pairs, said),
    );
    expect_file!["../../SURVIVES.md"].assert_eq(&text);
}
