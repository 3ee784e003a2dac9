//! T4: a value after each delta, against those who parse the whole text again and those who do not.

use crate::measure::{Figure, Session};
use crate::row::Row;
use crate::work::Case;

/// T4 beside parsers.
pub(super) fn parsers(session: &mut Session) -> Vec<Row> {
    let w1 = Case::new("W1", 100_000, "d16");
    // jsonmodem refuses escaped surrogate pairs, which W1u has not.
    let w1u = Case::new("W1u", 100_000, "d16");
    vec![
        ahead(session, "jiter", &w1).at_least(300.0, 700.0),
        ahead(session, "partial-json-fixer", &w1).at_least(3_000.0, 5_000.0).note("with serde_json"),
        ahead(session, "jsonmodem", &w1u).at_least(5.0, 10.0),
        ahead(session, "json-stream-parser", &w1).at_least(8.0, 20.0),
    ]
}

/// T4 beside agent frameworks.
pub(super) fn agents(session: &mut Session) -> Vec<Row> {
    let w1 = Case::new("W1", 100_000, "d16");
    vec![
        ahead(session, "tool-parser", &w1).at_least(50.0, 100.0).note("its PartialJson"),
        ahead(session, "rig", &w1).at_least(3_000.0, 8_000.0).note("parse_partial_arguments"),
    ]
}

/// How many times longer the peer takes.
fn ahead(session: &mut Session, peer: &str, case: &Case) -> Row {
    // One after the other: a slow peer would leave time for one run of ours, and that one cold.
    let own = session.time("push and view", case);
    let theirs = session.time(peer, case);
    let note = note(case, &own, &theirs);
    let times = own.and_then(|own| Ok(theirs? / own));
    Row::new("T4", format!("{case}: {peer} / push and view"), "times", times).note(note)
}

/// The total of both, in milliseconds.
fn note(case: &Case, own: &Figure, theirs: &Figure) -> String {
    let deltas = crate::measure::count(case.deltas().map_or(0, |deltas| deltas.len()));
    match (own, theirs) {
        (Ok(own), Ok(theirs)) => {
            format!("{:.0} ms against {:.2} ms", theirs * deltas / 1e6, own * deltas / 1e6)
        }
        _ => String::new(),
    }
}
