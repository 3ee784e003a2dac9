//! Arguments in deltas: windlass, and the floor.

use std::hint::black_box;

use windlass_benches::{floor, push, push_and_view};
use windlass_partial_json::Parser;

use super::{Case, Work, keep};

pub(super) fn find(peer: &str, case: &Case) -> Option<Work> {
    if !matches!(peer, "floor" | "push" | "push again" | "push and view") {
        return None;
    }
    let deltas = case.deltas()?;
    let text = deltas.concat();
    let count = deltas.len();
    let checked = deltas.clone();
    let check = move || check(&checked, &text);
    Some(match peer {
        "floor" => Work::new(count, move || keep(&floor(&deltas)), || Ok(())),
        "push" => Work::new(count, move || keep(&push(&deltas)), check),
        "push again" => {
            let mut parser = Parser::new();
            Work::new(count, move || push_again(&mut parser, &deltas), check)
        }
        _ => Work::new(count, move || keep(&push_and_view(&deltas)), check),
    })
}

/// Pushes all deltas into a parser that has been used before.
pub(crate) fn push_again(parser: &mut Parser, deltas: &[&str]) {
    parser.clear();
    for delta in deltas {
        parser.push(black_box(delta)).expect("the workload is JSON");
    }
    black_box(parser.snapshot().root());
}

fn check(deltas: &[&str], text: &str) -> Result<(), String> {
    // Only the floor parses with `serde_json` in this program: a second call site would prevent inlining.
    let wanted = floor(&[text]);
    match push(deltas).finish() {
        Ok(value) if value == wanted => Ok(()),
        Ok(_) => Err("the value is not serde_json's".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
