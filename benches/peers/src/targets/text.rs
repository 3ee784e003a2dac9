//! T10: calls written as text.

use crate::measure::Session;
use crate::row::Row;
use crate::work::Case;

const BYTES: usize = 1_000_000;
/// Calls repeat, so a cost for each byte is told by a tenth of them; tool-parser reads each call again at
/// every chunk.
const CALL_BYTES: usize = 100_000;
const CHUNKS: [usize; 3] = [1, 8, 64];
const MISSING: &str = "not measured: needs windlass-text-calls";

/// T10 beside a bare scan: there is only the scan as yet.
pub(super) fn scan(session: &mut Session) -> Vec<Row> {
    let mut rows = Vec::new();
    for chunk in CHUNKS {
        let case = Case::chunked("prose", BYTES, chunk);
        rows.push(Row::missing("T10", format!("{case}: text-calls / memchr"), MISSING).at_most(4.0, 2.0));
        let floor = session.time("memchr", &case);
        rows.push(Row::new("T10", format!("{case}: memchr"), "ns a byte", floor));
    }
    rows
}

/// T10 beside tool-parser: there is only tool-parser as yet.
pub(super) fn agents(session: &mut Session) -> Vec<Row> {
    let mut rows = Vec::new();
    for (workload, bytes) in [("prose", BYTES), ("calls", CALL_BYTES)] {
        for chunk in CHUNKS {
            let case = Case::chunked(workload, bytes, chunk);
            let what = format!("{case}: tool-parser / text-calls");
            rows.push(Row::missing("T10", what, MISSING).at_least(5.0, 20.0));
            let peer = session.time("tool-parser", &case);
            rows.push(Row::new("T10", format!("{case}: tool-parser (Qwen)"), "ns a byte", peer));
        }
    }
    rows
}
