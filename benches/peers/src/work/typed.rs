//! Arguments as a typed partial struct that fills while they arrive, and as an untyped view.

use serde_json::Value;
use windlass_benches::typed::{EditFile, WriteFile, content_length, edit_count, typed, view};
use windlass_tool_args::PartialReader;

use super::{Case, Work, keep};

pub(super) fn find(peer: &str, case: &Case) -> Option<Work> {
    let deltas = case.deltas()?;
    let count = deltas.len();
    match (peer, case.workload.as_str()) {
        ("untyped", "W1") => Some(Work::new(count, move || keep(&view(&deltas, "content")), || Ok(()))),
        ("untyped", "W2") => Some(Work::new(count, move || keep(&view(&deltas, "edits")), || Ok(()))),
        ("typed", "W1") => {
            let text = deltas.concat();
            let check = move || check_content(&text);
            Some(Work::new(count, move || keep(&typed::<WriteFile>(&deltas, content_length)), check))
        }
        ("typed", "W2") => {
            let text = deltas.concat();
            let check = move || check_edits(&text);
            Some(Work::new(count, move || keep(&typed::<EditFile>(&deltas, edit_count)), check))
        }
        _ => None,
    }
}

fn check_content(text: &str) -> Result<(), String> {
    let whole: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut reader = PartialReader::<WriteFile>::default();
    let partial = reader.push(text);
    let is_right = whole["content"].as_str() == partial.content.complete().map(String::as_str);
    is_right.then_some(()).ok_or_else(|| "the content is not serde_json's".to_owned())
}

fn check_edits(text: &str) -> Result<(), String> {
    let whole: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut reader = PartialReader::<EditFile>::default();
    let partial = reader.push(text);
    let is_right = whole["edits"].as_array().map(Vec::len) == partial.edits.complete().map(Vec::len);
    is_right.then_some(()).ok_or_else(|| "the edits are not serde_json's".to_owned())
}
