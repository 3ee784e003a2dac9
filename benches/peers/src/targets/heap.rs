//! T5: heap usage of a text in deltas.

use windlass_partial_json::Parser;

use crate::heap;
use crate::measure::{Figure, Session, count};
use crate::row::Row;
use crate::work::Case;

const BYTES: usize = 100_000;

/// T5: allocations for each cut, zero allocations once the buffers have grown, and the peak.
pub(super) fn allocations(session: &mut Session) -> Vec<Row> {
    // A buffer that doubles is reallocated once per binary digit of the text's length.
    let most = 4.0 + count(BYTES).log2();
    let mut rows = Vec::new();
    for cut in ["d1", "d4", "d16", "dR"] {
        let case = Case::new("W1", BYTES, cut);
        let first = session.heap("push", &case, 0);
        let again = session.heap("push again", &case, 1);
        let allocations = first.clone().map(|heap| count_or_zero(heap.allocations));
        rows.push(Row::new("T5", format!("{case}: push"), "allocations", allocations).at_most(most, most));
        let again = again.map(|heap| count_or_zero(heap.allocations));
        let what = format!("{case}: push after clear");
        rows.push(Row::new("T5", what, "allocations", again).at_most(most, 0.0));
        let what = format!("{case}: the last quarter of the deltas");
        rows.push(Row::new("T5", what, "allocations", last_quarter(&case)).at_most(0.0, 0.0));
        let peak = first.map(|heap| count(heap.peak) / count(BYTES));
        rows.push(Row::new("T5", format!("{case}: peak / text"), "bytes ratio", peak).at_most(2.2, 1.3));
    }
    rows
}

/// Counts allocations after the buffers have reached their size: a delta must not allocate.
fn last_quarter(case: &Case) -> Figure {
    let deltas = case.deltas().ok_or("there are no deltas")?;
    let (grown, rest) = deltas.split_at(deltas.len() / 4 * 3);
    let mut parser = Parser::new();
    let push = |parser: &mut Parser, deltas: &[&str]| {
        deltas.iter().try_for_each(|delta| parser.push(delta)).map_err(|error| error.to_string())
    };
    push(&mut parser, grown)?;
    let (pushed, heap) = heap::count(|| push(&mut parser, rest));
    pushed.map(|()| count_or_zero(heap.allocations))
}

/// Converts a count that, unlike a rate's divisor, may be 0.
fn count_or_zero(things: usize) -> f64 {
    if things == 0 { 0.0 } else { count(things) }
}
