//! T10: calls written as text.

use crate::measure::Session;
use crate::row::Row;
use crate::work::Case;

const BYTES: usize = 1_000_000;
/// Calls repeat, so a tenth of the size is enough to measure the cost per byte; tool-parser parses each call
/// again at every chunk.
const CALL_BYTES: usize = 100_000;
const CHUNKS: [usize; 3] = [1, 8, 64];

/// Measures target T10, the scanner for text calls, against a bare byte scan.
pub(super) fn scan(session: &mut Session) -> Vec<Row> {
    let mut rows = Vec::new();
    for chunk in CHUNKS {
        let case = Case::with_chunks("prose", BYTES, chunk);
        let floor =
            format!("ns a byte: {}", session.times_of(&["text-calls", "text-calls auto", "memchr"], &case));
        let ratio = session.times(&["text-calls", "memchr"], &case).map(|times| times[0] / times[1]);
        let row = Row::new("T10", format!("{case}: text-calls / memchr"), "times", ratio);
        rows.push(row.at_most(4.0, 2.0).note(floor));
    }
    rows
}

/// Measures target T10 against tool-parser's parser for Qwen and Hermes.
pub(super) fn agents(session: &mut Session) -> Vec<Row> {
    let mut rows = Vec::new();
    for (workload, bytes) in [("prose", BYTES), ("calls", CALL_BYTES)] {
        for chunk in CHUNKS {
            let case = Case::with_chunks(workload, bytes, chunk);
            let peer = format!("ns a byte: {}", session.times_of(&["text-calls", "tool-parser"], &case));
            let own = session.time("text-calls", &case);
            let times = own.and_then(|own| Ok(session.time("tool-parser", &case)? / own));
            let row = Row::new("T10", format!("{case}: tool-parser / text-calls"), "times", times);
            rows.push(row.at_least(5.0, 20.0).note(peer));
        }
    }
    rows
}
