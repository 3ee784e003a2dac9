//! Peers that return the value after each delta of the arguments.

#[cfg(feature = "agents")]
mod agents;
#[cfg(feature = "parsers")]
mod incremental;
#[cfg(feature = "parsers")]
mod reparsing;

use std::hint::black_box;

use serde_json::Value;

use super::{Case, Work};

/// The data that every consumer reads after every delta: the number of keys and the length of `content`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Observation {
    keys: usize,
    content: usize,
}

impl Observation {
    fn from_value(value: &Value) -> Self {
        let keys = value.as_object().map_or(0, serde_json::Map::len);
        Self { keys, content: value["content"].as_str().map_or(0, str::len) }
    }
}

/// A peer that accepts deltas and can be read after each.
trait Viewer: Default + 'static {
    /// Pushes a delta. Returns the visible data, or `None` if the peer has no value at this position.
    fn push(&mut self, delta: &str) -> Option<Observation>;

    /// Returns the final value.
    fn finish(self) -> Option<Value>;
}

pub(super) fn find(peer: &str, case: &Case) -> Option<Work> {
    match peer {
        #[cfg(feature = "parsers")]
        "jiter" => work::<reparsing::Jiter>(case),
        #[cfg(feature = "parsers")]
        "partial-json-fixer" => work::<reparsing::Fixer>(case),
        #[cfg(feature = "parsers")]
        "jsonmodem" => work::<incremental::JsonModem>(case),
        #[cfg(feature = "parsers")]
        "json-stream-parser" => work::<incremental::JsonStreamParser>(case),
        #[cfg(feature = "agents")]
        "tool-parser" => work::<agents::ToolParser>(case),
        #[cfg(feature = "agents")]
        "rig" => work::<agents::Rig>(case),
        _ => None,
    }
}

fn work<V: Viewer>(case: &Case) -> Option<Work> {
    let deltas = case.deltas()?;
    let count = deltas.len();
    let checked = deltas.clone();
    let run = move || {
        let mut viewer = V::default();
        for delta in &deltas {
            black_box(viewer.push(black_box(delta)));
        }
    };
    Some(Work::new(count, run, move || check::<V>(&checked)))
}

/// Checks that a value is available after every delta, and that the last value equals `serde_json`'s.
fn check<V: Viewer>(deltas: &[&str]) -> Result<(), String> {
    let wanted: Value = serde_json::from_str(&deltas.concat()).map_err(|error| error.to_string())?;
    let mut viewer = V::default();
    let (mut offset, mut silent, mut first, mut last) = (0usize, 0usize, None, Observation::default());
    for delta in deltas {
        offset = offset.saturating_add(delta.len());
        if let Some(seen) = viewer.push(delta) {
            last = seen;
        } else {
            silent += 1;
            first.get_or_insert(offset);
        }
    }
    if let Some(first) = first {
        return Err(format!("no value at {silent} of {} cuts, the first after byte {first}", deltas.len()));
    }
    if last != Observation::from_value(&wanted) {
        return Err(format!("shows {last:?} at the end, not {:?}", Observation::from_value(&wanted)));
    }
    if viewer.finish() != Some(wanted) {
        return Err("the value is not serde_json's".to_owned());
    }
    Ok(())
}
