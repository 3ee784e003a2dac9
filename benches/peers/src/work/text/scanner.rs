//! Windlass's scanner, for the syntax of Hermes and Qwen and for an unknown dialect.

use std::hint::black_box;

use windlass_protocol::{ToolName, ToolSpec};
use windlass_stream::{CallChunk, Chunk};
use windlass_text_calls::{Dialect, TextCallOptions, Scanner};

use crate::work::{Case, Work, keep};

/// Bytes of prose and of arguments in the output, and the numbers of started and ended calls.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    prose: usize,
    arguments: usize,
    began: usize,
    ended: usize,
}

pub(super) fn work(dialect: Dialect, case: &Case, chunks: Vec<&'static str>) -> Work {
    let text = chunks.concat();
    let checked = chunks.clone();
    let check = move || check(&text, scan(dialect, &checked));
    Work::new(case.bytes, move || keep(&scan(dialect, &chunks)), check)
}

fn scan(dialect: Dialect, pieces: &[&str]) -> Counts {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}}}"#;
    let name = ToolName::new("write_file").expect("a plain name");
    let spec = ToolSpec::function(name, "Writes a file.", schema.parse().expect("the schema is JSON"));
    let mut scanner = Scanner::new(TextCallOptions::default().with_dialect(dialect).with_tools([spec]));
    let mut told = Counts::default();
    let mut chunks = Vec::new();
    for piece in pieces {
        scanner.push(black_box(piece), &mut chunks);
        chunks.drain(..).for_each(|chunk| told.take(&chunk));
    }
    scanner.finish(&mut chunks);
    chunks.drain(..).for_each(|chunk| told.take(&chunk));
    told
}

impl Counts {
    fn take(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Text { text } => self.prose = self.prose.wrapping_add(text.len()),
            Chunk::Call(CallChunk::Start { .. }) => self.began = self.began.wrapping_add(1),
            Chunk::Call(CallChunk::Delta { arguments, .. }) => {
                self.arguments = self.arguments.wrapping_add(arguments.len());
            }
            Chunk::Call(CallChunk::End { .. }) => self.ended = self.ended.wrapping_add(1),
            _ => {}
        }
    }
}

/// Checks that every call is complete, and that prose without calls is complete.
fn check(text: &str, told: Counts) -> Result<(), String> {
    let calls = text.matches("<tool_call>").count();
    let arguments = windlass_testkit::workload::w1u(2_000).len().wrapping_mul(calls);
    let is_whole = calls > 0 || told.prose == text.len();
    if told.began == calls && told.ended == calls && told.arguments == arguments && is_whole {
        return Ok(());
    }
    Err(format!("tells {told:?} of {calls} calls in {} bytes", text.len()))
}
