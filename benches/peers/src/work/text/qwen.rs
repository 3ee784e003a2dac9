//! tool-parser's streaming parser for the syntax of Qwen and Hermes.

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use openai_protocol::common::Tool;
use serde_json::json;
use tool_parser::{QwenParser, ToolParser};
use windlass_testkit::workload;

use crate::work::{Case, Work, keep};

/// Bytes of prose and of arguments in the output, and the number of calls.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    prose: usize,
    arguments: usize,
    calls: usize,
}

pub(super) fn work(case: &Case, chunks: Vec<&'static str>) -> Work {
    let text = chunks.concat();
    let checked = chunks.clone();
    let check = move || check(&text, parse(&checked));
    Work::new(case.bytes, move || keep(&parse(&chunks)), check)
}

fn parse(chunks: &[&str]) -> Counts {
    let tools = tools();
    let mut parser = QwenParser::new();
    let mut told = Counts::default();
    for chunk in chunks {
        let Some(Ok(result)) = ready(parser.parse_incremental(black_box(chunk), &tools)) else { continue };
        told.prose = told.prose.wrapping_add(result.normal_text.len());
        for call in result.calls {
            told.calls = told.calls.wrapping_add(usize::from(call.name.is_some()));
            told.arguments = told.arguments.wrapping_add(call.parameters.len());
        }
    }
    told.prose = told.prose.wrapping_add(parser.take_unstreamed_normal_text().len());
    told
}

/// Checks that every call has arguments, and that prose without calls is complete.
fn check(text: &str, told: Counts) -> Result<(), String> {
    let calls = text.matches("<tool_call>").count();
    let is_whole = calls > 0 || told.prose == text.len();
    let least = workload::w1u(2_000).len() / 2;
    if told.calls == calls && told.arguments >= calls * least && is_whole {
        return Ok(());
    }
    Err(format!("tells {told:?} of {calls} calls in {} bytes", text.len()))
}

fn tools() -> Vec<Tool> {
    let tool = json!({ "type": "function", "function": { "name": "write_file", "parameters": {} } });
    serde_json::from_value(tool).into_iter().collect()
}

/// Polls a future that is always ready.
fn ready<F: Future>(future: F) -> Option<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
