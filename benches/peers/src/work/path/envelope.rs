//! The envelope step: from an event's data to its delta of arguments.

use std::borrow::Cow;
use std::hint::black_box;

use serde::Deserialize;
use windlass_wire::{WireLimits, Wire};
use windlass_wire_anthropic::Anthropic;
use windlass_wire_openai_chat::OpenAiChat;

use crate::work::events::{data_lines, stream_of};
use crate::work::{Case, Work, keep};

pub(super) fn find(peer: &str, case: &Case) -> Option<Work> {
    match (peer, case.workload.as_str()) {
        ("wire", "openai") => wire(case, || Box::new(OpenAiChat::default())),
        ("wire", "anthropic") => wire(case, || Box::new(Anthropic::default())),
        ("minimal serde", "openai") => minimal(case, openai),
        ("minimal serde", "anthropic") => minimal(case, anthropic),
        _ => None,
    }
}

/// The wire decoder from bytes to chunks. It includes the sse step, which the target subtracts.
fn wire(case: &Case, wire: fn() -> Box<dyn Wire>) -> Option<Work> {
    let chunk: usize = case.cut.parse().ok()?;
    let stream = stream_of(case)?;
    let decode = move || {
        let mut decoder = wire().decoder(WireLimits::default());
        let mut chunks = Vec::new();
        let mut count = 0usize;
        for bytes in stream.chunks(chunk) {
            decoder.push(black_box(bytes), &mut chunks).expect("the workload is of this format");
            count = count.wrapping_add(chunks.len());
            keep(&chunks);
            chunks.clear();
        }
        count
    };
    let wanted = data_lines(stream).len();
    let check = move || {
        let told = decode();
        // Starts and ends are chunks too; far fewer chunks than events mean that the stream was not decoded.
        if told.saturating_mul(10) > wanted.saturating_mul(9) {
            Ok(())
        } else {
            Err(format!("gives {told} chunks"))
        }
    };
    Some(Work::new(wanted, move || keep(&decode()), check))
}

/// `serde_json` into a borrowing struct with only the fields of a delta of arguments.
fn minimal(case: &Case, read: fn(&str) -> usize) -> Option<Work> {
    let lines = data_lines(stream_of(case)?);
    let total = move |lines: &[&'static str]| lines.iter().map(|line| read(black_box(line))).sum::<usize>();
    let checked = lines.clone();
    // All calls have the same arguments, so the total length shows whether one was lost.
    let calls = lines.iter().filter(|line| line.contains("\"name\":\"write_file\"")).count();
    let wanted = windlass_testkit::workload::w1(8_000).len().saturating_mul(calls);
    let check = move || {
        let read = total(&checked);
        if read == wanted { Ok(()) } else { Err(format!("reads {read} bytes, not {wanted}")) }
    };
    Some(Work::new(lines.len(), move || keep(&total(&lines)), check))
}

/// serde borrows a `Cow` only if the field itself is one, not inside an `Option`.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    choices: Vec<Choice<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: ChatDelta<'a>,
}

#[derive(Deserialize)]
struct ChatDelta<'a> {
    #[serde(borrow, default)]
    tool_calls: Vec<Call<'a>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    function: Function<'a>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    arguments: Cow<'a, str>,
}

fn openai(data: &str) -> usize {
    let Ok(chunk) = serde_json::from_str::<Chunk<'_>>(data) else { return 0 };
    let calls = chunk.choices.iter().flat_map(|choice| &choice.delta.tool_calls);
    calls.map(|call| call.function.arguments.len()).sum()
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    delta: Option<MessageDelta<'a>>,
}

#[derive(Deserialize)]
struct MessageDelta<'a> {
    #[serde(borrow)]
    partial_json: Option<Text<'a>>,
}

fn anthropic(data: &str) -> usize {
    let Ok(event) = serde_json::from_str::<Event<'_>>(data) else { return 0 };
    event.delta.and_then(|delta| delta.partial_json).map_or(0, |text| text.0.len())
}
