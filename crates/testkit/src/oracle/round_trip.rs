//! The property that each format's encoding decodes to the same answer.

use windlass_assemble::{AssembleOptions, Assembler};
use windlass_mock::Format;
use windlass_mock::script::{ScriptCall, ScriptPart, Turn};
use windlass_protocol::{Message, Part};
use windlass_stream::Chunk;
use windlass_vendors::WireFormat;
use windlass_wire::{Wire, WireLimits};

use crate::split;

/// The content of an answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AnswerContent {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<(String, String)>,
    /// Chunks or calls that the script does not contain.
    pub(super) others: Vec<String>,
}

/// Interprets the bytes as an answer of text, reasoning and calls. Its encoding in a provider's format, split
/// in any way, decodes to the same answer (RULES S14, and the property that all formats have the same
/// meaning).
///
/// # Panics
/// The property is violated.
pub fn round_trip(bytes: &[u8]) {
    let turn = turn(bytes);
    let expected = content_of_turn(&turn);
    for format in WireFormat::all() {
        let (wire, format) = (format.wire.as_ref(), render_format(format));
        let body = turn.render(format);
        for way in [vec![body.as_slice()], split::into_fixed(&body, 7), split::random(&body, 3, 90)] {
            assert_eq!(read(wire, &way), expected, "read as {}", wire.name());
        }
    }
}

/// Returns the format of the scripted provider that renders this wire format.
pub(super) fn render_format(format: &WireFormat) -> Format {
    Format::from_path(format.server.request_path()).expect("the scripted provider renders every wire format")
}

/// Decodes bytes into steps: a kind, a length, and that many bytes of text.
pub(super) fn turn(bytes: &[u8]) -> Turn {
    const NAMES: [&str; 3] = ["read", "write", "run"];
    let mut steps = Vec::new();
    let mut rest = bytes;
    while let [kind, length, after @ ..] = rest {
        let (text, left) = after.split_at(after.len().min(usize::from(*length)));
        rest = left;
        let text = String::from_utf8_lossy(text).into_owned();
        steps.push(match kind % 4 {
            0 => ScriptPart::Text(text),
            1 => ScriptPart::Reasoning(text),
            _ => {
                let arguments =
                    serde_json::json!({ "text": text, "kind": kind, "more": [null, {"a": text}] });
                let arguments = arguments.to_string().parse().expect("it is JSON");
                ScriptPart::Call(ScriptCall::new(NAMES[usize::from(*kind) % NAMES.len()], arguments))
            }
        });
    }
    let mut turn = Turn::new(steps);
    turn.piece = bytes.len() % 9 + 1;
    turn
}

pub(super) fn content_of_turn(turn: &Turn) -> AnswerContent {
    let mut said = AnswerContent::default();
    for step in &turn.steps {
        match step {
            ScriptPart::Text(text) => said.text.push_str(text),
            ScriptPart::Reasoning(text) => said.reasoning.push_str(text),
            ScriptPart::Call(call) => {
                said.calls.push((call.name.clone(), call.arguments.as_str().to_owned()));
            }
            other => said.others.push(format!("{other:?}")),
        }
    }
    said
}

fn read(wire: &dyn Wire, pieces: &[&[u8]]) -> AnswerContent {
    content_of_chunks(read_all(wire, pieces))
}

pub(super) fn read_all(wire: &dyn Wire, pieces: &[&[u8]]) -> Vec<Chunk> {
    let (mut decoder, mut chunks) = (wire.decoder(WireLimits::default()), Vec::new());
    for piece in pieces {
        decoder.push(piece, &mut chunks).expect("the stream is one of this format");
    }
    decoder.finish(&mut chunks).expect("the stream is whole");
    chunks
}

pub(super) fn content_of_chunks(chunks: Vec<Chunk>) -> AnswerContent {
    let (mut assembler, mut events) = (Assembler::new(AssembleOptions::default()), Vec::new());
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    let answer = assembler.finish(&mut events);
    let mut said = AnswerContent::default();
    for part in &answer.message().unwrap_or_else(|| Message::assistant(Vec::new())).parts {
        match part {
            Part::Text(text) => said.text.push_str(&text.text),
            Part::Reasoning(thoughts) => said.reasoning.push_str(&thoughts.text),
            Part::Call(call) => said.calls.push((call.name.to_string(), call.payload.text())),
            other => said.others.push(format!("{other:?}")),
        }
    }
    said
}
