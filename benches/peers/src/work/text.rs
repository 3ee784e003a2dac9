//! Calls written as text, and prose without calls, in small chunks.

mod qwen;
mod scanner;

use std::hint::black_box;

use windlass_testkit::workload;
use windlass_text_calls::Dialect;

use super::{Case, Work, keep};

pub(super) fn find(peer: &str, case: &Case) -> Option<Work> {
    let chunks = chunks(case)?;
    match peer {
        "memchr" => {
            let count = case.bytes;
            let scan = move || {
                chunks.iter().filter_map(|chunk| memchr::memchr(b'<', black_box(chunk.as_bytes()))).count()
            };
            Some(Work::new(count, move || keep(&scan()), || Ok(())))
        }
        "tool-parser" => Some(qwen::work(case, chunks)),
        "text-calls" => Some(scanner::work(Dialect::Hermes, case, chunks)),
        "text-calls auto" => Some(scanner::work(Dialect::Auto, case, chunks)),
        _ => None,
    }
}

fn chunks(case: &Case) -> Option<Vec<&'static str>> {
    let text = match case.workload.as_str() {
        "prose" => workload::prose(case.bytes),
        "calls" => workload::text_calls(case.bytes),
        _ => return None,
    };
    let size: usize = case.cut.parse().ok()?;
    let mut rest: &'static str = Box::leak(text.into_boxed_str());
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let mut at = size.min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (chunk, after) = rest.split_at(at);
        chunks.push(chunk);
        rest = after;
    }
    Some(chunks)
}
