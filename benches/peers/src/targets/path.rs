//! T9: from the bytes of a stream to a view of the arguments after each delta.

use crate::measure::{Figure, Session, count};
use crate::row::Row;
use crate::work::{Case, find};

/// T9: the whole path compared with common practice, its envelope step, and its allocations.
pub(super) fn path(session: &mut Session) -> Vec<Row> {
    let mut rows = Vec::new();
    for stream in ["openai", "anthropic"] {
        let case = Case::with_chunks(stream, 1_000_000, 16_384);
        rows.push(whole_way(session, &case));
        rows.push(envelope(session, &case));
        let deltas = count(find("path", &case).map_or(0, |work| work.units));
        for (peer, what) in [("path", "bytes to view"), ("wire", "of these, bytes to chunk")] {
            let allocations = session.heap(peer, &case, 1).map(|heap| per(heap.allocations, deltas));
            let row = Row::new("T9", format!("{case}: {what}"), "alloc. a delta", allocations);
            // A delta does not allocate: a call allocates its buffers once, which is a few hundredths per
            // delta.
            rows.push(if peer == "path" { row.at_most(0.1, 0.1) } else { row });
        }
    }
    rows
}

fn whole_way(session: &mut Session, case: &Case) -> Row {
    let times = session.times(&["common practice", "path"], case);
    let said = |times: &Vec<f64>| format!("{:.0} ns a delta against {:.0} ns", times[0], times[1]);
    let note = times.as_ref().map(said).unwrap_or_default();
    let times = times.map(|times| times[0] / times[1]);
    Row::new("T9", format!("{case}: common practice / windlass"), "times", times)
        .at_least(15.0, 40.0)
        .note(note)
}

/// The wire decoder minus its sse step, compared with `serde_json` on the data of the events.
fn envelope(session: &mut Session, case: &Case) -> Row {
    let events = count(find("wire", case).map_or(0, |work| work.units));
    let own = step(session, case);
    let theirs = session.instructions("minimal serde", case);
    let note = match (&own, &theirs) {
        (Ok(own), Ok(theirs)) => format!("{:.0} Ir an event against {:.0}", own / events, theirs / events),
        _ => String::new(),
    };
    let ratio = own.and_then(|own| Ok(own / theirs?));
    Row::new("T9", format!("{case}: envelope step / minimal serde"), "Ir ratio", ratio)
        .at_most(0.35, 0.1)
        .note(note)
}

fn step(session: &mut Session, case: &Case) -> Figure {
    Ok(session.instructions("wire", case)? - session.instructions("sse", case)?)
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn per(allocations: usize, deltas: f64) -> f64 {
    allocations as f64 / deltas
}
