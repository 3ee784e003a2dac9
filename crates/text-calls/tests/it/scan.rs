//! Runs a scanner and records its output.

use serde_json::Value;
use windlass_assemble::{Answer, AnswerCall, Assembler};
use windlass_protocol::{Part, StopReason, ToolName, ToolSpec};
use windlass_stream::{CallChunk, Chunk};
use windlass_text_calls::{Scanner, TextCallOptions};

/// A tool of this name and schema.
pub(crate) fn tool(name: &str, schema: &str) -> ToolSpec {
    ToolSpec::function(ToolName::new(name).unwrap(), "", schema.parse().unwrap())
}

/// The chunks of a text in these pieces.
pub(crate) fn chunks<'a>(options: &TextCallOptions, pieces: impl IntoIterator<Item = &'a str>) -> Vec<Chunk> {
    let mut scanner = Scanner::new(options.clone());
    let mut all = Vec::new();
    for piece in pieces {
        let mut out = Vec::new();
        scanner.push(piece, &mut out);
        all.append(&mut out);
    }
    scanner.finish(&mut all);
    merged(all)
}

/// Chunks with adjacent pieces of one thing joined.
pub(crate) fn merged(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let mut merged: Vec<Chunk> = Vec::new();
    for chunk in chunks {
        match (merged.last_mut(), &chunk) {
            (Some(Chunk::Text { text: last }), Chunk::Text { text })
            | (Some(Chunk::Reasoning { text: last }), Chunk::Reasoning { text }) => last.push_str(text),
            (
                Some(Chunk::Call(CallChunk::Delta { key: last, arguments: all })),
                Chunk::Call(CallChunk::Delta { key, arguments }),
            ) if last == key => all.push_str(arguments),
            _ => merged.push(chunk),
        }
    }
    merged
}

/// Returns all splits of a text into two pieces, and the split into single characters.
pub(crate) fn splits(text: &str) -> Vec<Vec<&str>> {
    let cuts: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
    let mut splits: Vec<Vec<&str>> = cuts.iter().map(|at| vec![&text[..*at], &text[*at..]]).collect();
    splits.push(cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect());
    splits
}

/// Returns the answer that is assembled from the chunks if the model ends by itself.
pub(crate) fn answer(chunks: Vec<Chunk>) -> Answer {
    let mut assembler = Assembler::new(windlass_assemble::AssembleOptions::default());
    let mut events = Vec::new();
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    assembler.push(Chunk::Finish { reason: StopReason::End, raw: "stop".to_owned() }, &mut events);
    assembler.finish(&mut events)
}

/// The names and arguments of the calls that can be run.
pub(crate) fn calls(answer: &Answer) -> Vec<(String, Value)> {
    answer
        .calls
        .iter()
        .map(|call| match call {
            AnswerCall::Good(call) => (call.name.to_string(), call.arguments().unwrap().to_value()),
            AnswerCall::Malformed(call) => (format!("malformed: {}", call.reason), Value::Null),
        })
        .collect()
}

/// The thoughts of an answer.
pub(crate) fn thoughts(answer: &Answer) -> String {
    let thoughts = answer.parts.iter().filter_map(|part| match part {
        Part::Reasoning(reasoning) => Some(reasoning.text.as_str()),
        _ => None,
    });
    thoughts.collect()
}
