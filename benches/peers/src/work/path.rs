//! The path from the bytes of a provider's stream to a view of the arguments after each delta, and its
//! envelope step alone.

mod envelope;
mod full;

use std::hint::black_box;

use windlass_assemble::{Assembler, CallEvent, CallIndex, AssembleOptions};
use windlass_partial_json::Node;
use windlass_testkit::workload;
use windlass_wire::{WireLimits, Wire};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_openai_chat::OpenAiChat;

use super::events::{data_lines, stream_of};
use super::{Case, Work, keep};

/// The data that a user interface reads.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    deltas: usize,
    /// Number of deltas after which no value was available.
    blind: usize,
    /// Sum of the lengths of `content` at the end of each call.
    content: usize,
    /// The last call that was read, with its number of keys and the length of `content`.
    call: u64,
    seen: (usize, usize),
}

impl Counts {
    fn look(&mut self, call: u64, seen: Option<(usize, usize)>) {
        self.deltas = self.deltas.wrapping_add(1);
        let Some(seen) = seen else {
            self.blind = self.blind.wrapping_add(1);
            return;
        };
        if call != self.call {
            self.content = self.content.wrapping_add(self.seen.1);
            self.call = call;
        }
        self.seen = black_box(seen);
    }

    fn end(mut self) -> Self {
        self.content = self.content.wrapping_add(self.seen.1);
        self
    }
}

pub(super) fn find(peer: &str, case: &Case) -> Option<Work> {
    envelope::find(peer, case).or_else(|| whole_way(peer, case))
}

fn whole_way(peer: &str, case: &Case) -> Option<Work> {
    let walk: fn(&'static [u8], usize) -> Counts = match (peer, case.workload.as_str()) {
        ("path", "openai") => |stream, chunk| windlass(&OpenAiChat::default(), stream, chunk),
        ("path", "anthropic") => |stream, chunk| windlass(&Anthropic::default(), stream, chunk),
        ("common practice", "openai") => full::openai,
        ("common practice", "anthropic") => full::anthropic,
        _ => return None,
    };
    let chunk: usize = case.cut.parse().ok()?;
    let stream = stream_of(case)?;
    let (deltas, content) = count_expected(stream);
    let check = move || match walk(stream, chunk) {
        told if told.blind > 0 => Err(format!("shows nothing after {} of {deltas} deltas", told.blind)),
        told if (told.deltas, told.content) == (deltas, content) => Ok(()),
        told => Err(format!("tells {told:?}, not {deltas} deltas and {content} bytes")),
    };
    Some(Work::new(deltas, move || keep(&walk(black_box(stream), chunk)), check))
}

/// Finds the number of deltas and the sum of the lengths of `content` by searching the plain text.
fn count_expected(stream: &'static [u8]) -> (usize, usize) {
    let lines = data_lines(stream);
    // Quotes inside arguments are escaped, so unescaped quotes belong to the envelope.
    let is_delta =
        |line: &&&str| line.contains("\"function\":{\"arguments\"") || line.contains("\"input_json_delta\"");
    let calls = lines.iter().filter(|line| line.contains("\"name\":\"write_file\"")).count();
    let arguments: serde_json::Value = serde_json::from_str(&workload::w1(8_000)).unwrap_or_default();
    let content = arguments["content"].as_str().map_or(0, str::len);
    (lines.iter().filter(is_delta).count(), content.saturating_mul(calls))
}

/// sse, wire, assemble and partial-json, chained as in `windlass-agent`.
fn windlass(wire: &dyn Wire, stream: &'static [u8], chunk: usize) -> Counts {
    let mut told = Counts::default();
    let mut decoder = wire.decoder(WireLimits::default());
    let mut assembler = Assembler::new(AssembleOptions::default());
    let (mut chunks, mut events) = (Vec::new(), Vec::new());
    for bytes in stream.chunks(chunk) {
        decoder.push(black_box(bytes), &mut chunks).expect("the workload is of this format");
        for chunk in chunks.drain(..) {
            assembler.push(chunk, &mut events);
            for event in events.drain(..) {
                if let CallEvent::Arguments { key, .. } = event {
                    told.look(key.0, view(&assembler, key));
                }
            }
        }
    }
    told.end()
}

fn view(assembler: &Assembler, key: CallIndex) -> Option<(usize, usize)> {
    let root = assembler.partial(key)?.root()?;
    let content = root.get("content").and_then(Node::as_str).map_or(0, str::len);
    Some((root.len(), content))
}
