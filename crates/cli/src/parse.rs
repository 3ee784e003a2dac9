//! `windlass parse`: decodes recorded bytes up to any stage.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde::Serialize;
use serde_json::{Value, json};
use windlass_assemble::{Answer, AnswerCall, AssembleOptions, Assembler, CallEvent};
use windlass_protocol::{Part, RawJson};
use windlass_stream::Chunk;
use windlass_wire::{Wire, WireLimits};

use crate::arguments::{Parse, Stage};
use crate::text::Format;
use crate::{input, output, usage};

pub(crate) fn parse(arguments: &Parse) -> anyhow::Result<ExitCode> {
    let Format::Wire(wire) = arguments.wire else { return crate::text::parse(arguments) };
    let wire = wire.wire();
    let piece = arguments.split.unwrap_or(usize::MAX).max(1);
    let many = arguments.files.len() > 1;
    let mut failed = false;
    for file in &arguments.files {
        let bytes = input::bytes(file)?;
        if let Err(error) = decode(&bytes, piece, arguments.stage, &*wire, many.then_some(file)) {
            if output::is_closed(&error) {
                return Err(error);
            }
            output::complain(&error.context(format!("{} cannot be decoded", file.display())));
            failed = true;
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn decode(
    bytes: &[u8],
    piece: usize,
    stage: Stage,
    wire: &dyn Wire,
    file: Option<&std::path::PathBuf>,
) -> anyhow::Result<()> {
    if stage == Stage::Sse {
        return events(bytes, piece);
    }
    let mut chunks = Vec::new();
    // Print the chunks that were decoded before an error, too.
    let end = chunks_of(bytes, piece, wire, &mut chunks);
    match stage {
        Stage::Chunk => chunks.iter().try_for_each(output::line)?,
        Stage::Call => calls(chunks)?,
        Stage::Message | Stage::Sse => message(chunks, file.map(std::path::PathBuf::as_path))?,
    }
    end
}

/// Prints the server-sent events of the bytes.
fn events(bytes: &[u8], piece: usize) -> anyhow::Result<()> {
    let mut parser = windlass_sse::Parser::new();
    let mut lines = Vec::new();
    for piece in bytes.chunks(piece) {
        parser
            .push(piece, |event| {
                lines.push(json!({ "event": event.event, "data": event.data, "id": event.id }));
            })
            .context("the stream's framing is invalid")?;
    }
    parser.finish();
    lines.iter().try_for_each(output::line)
}

/// Decodes the bytes to chunks. They can be a stream or a complete body.
fn chunks_of(bytes: &[u8], piece: usize, wire: &dyn Wire, chunks: &mut Vec<Chunk>) -> anyhow::Result<()> {
    let is_whole = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    if is_whole {
        return Ok(wire.decode_whole(bytes, WireLimits::default(), chunks)?);
    }
    let mut decoder = wire.decoder(WireLimits::default());
    for piece in bytes.chunks(piece) {
        decoder.push(piece, chunks)?;
    }
    Ok(decoder.finish(chunks)?)
}

pub(crate) fn calls(chunks: Vec<Chunk>) -> anyhow::Result<()> {
    let mut assembler = Assembler::new(AssembleOptions::default());
    let mut events = Vec::new();
    for chunk in chunks {
        assembler.push(chunk, &mut events);
        for event in events.drain(..) {
            let partial = match &event {
                CallEvent::Arguments { key, .. } => {
                    assembler.partial(*key).and_then(windlass_partial_json::Snapshot::to_value)
                }
                _ => None,
            };
            output::line(&CallLine { event: &event, partial })?;
        }
    }
    assembler.finish(&mut events);
    events.iter().try_for_each(|event| output::line(&CallLine { event, partial: None }))
}

/// An event of a call, with the arguments parsed until then.
#[derive(Serialize)]
struct CallLine<'a> {
    #[serde(flatten)]
    event: &'a CallEvent,
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<Value>,
}

/// The complete answer as one line.
#[derive(Serialize)]
struct MessageLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a Path>,
    text: String,
    /// The words of a refusal, which OpenAI's formats do not count as text.
    #[serde(skip_serializing_if = "String::is_empty")]
    refusal: String,
    tool_calls: Vec<CallOfMessage<'a>>,
    finish: &'a Option<String>,
    /// `null` if the answer reports no usage.
    usage: Option<windlass_protocol::Usage>,
    ending: windlass_assemble::Ending,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: &'a Option<windlass_stream::StreamError>,
}

/// A call of an answer.
#[derive(Serialize)]
pub(crate) struct CallOfMessage<'a> {
    id: &'a str,
    name: Option<&'a str>,
    arguments: RawJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    malformed: Option<String>,
}

fn message(chunks: Vec<Chunk>, file: Option<&Path>) -> anyhow::Result<()> {
    let answer = answer(chunks);
    output::line(&MessageLine {
        file,
        text: answer.text(),
        refusal: refusal(&answer),
        tool_calls: answer.calls.iter().map(CallOfMessage::from_call).collect(),
        finish: &answer.raw_stop,
        usage: usage::filter_reported(answer.usage),
        ending: answer.ending,
        error: &answer.error,
    })
}

fn refusal(answer: &Answer) -> String {
    let words = answer.parts.iter().filter_map(|part| match part {
        Part::Unknown(unknown) => unknown.value.get("refusal").and_then(Value::as_str),
        _ => None,
    });
    words.collect()
}

/// Assembles chunks to a complete answer.
pub(crate) fn answer(chunks: Vec<Chunk>) -> Answer {
    let mut assembler = Assembler::new(AssembleOptions::default());
    let mut events = Vec::new();
    for chunk in chunks {
        assembler.push(chunk, &mut events);
        events.clear();
    }
    assembler.finish(&mut events)
}

impl<'a> CallOfMessage<'a> {
    /// Complete arguments are JSON with the model's own number text; incomplete ones are a string with the
    /// received text.
    pub(crate) fn from_call(call: &'a AnswerCall) -> Self {
        match call {
            AnswerCall::Good(call) => Self {
                id: call.id.as_str(),
                name: Some(call.name.as_str()),
                arguments: call
                    .arguments()
                    .and_then(|arguments| arguments.as_str().parse().ok())
                    .unwrap_or_else(|| RawJson::from(&Value::String(call.payload.text()))),
                malformed: None,
            },
            AnswerCall::Malformed(call) => Self {
                id: call.id.as_str(),
                name: call.name.as_ref().map(windlass_protocol::ToolName::as_str),
                arguments: RawJson::from(&Value::String(call.text.clone())),
                malformed: Some(call.reason.to_string()),
            },
        }
    }
}
