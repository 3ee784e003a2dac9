//! T4: a value after each delta, compared with peers that parse the whole text again and with incremental
//! peers.

use crate::measure::{Figure, Session, count};
use crate::row::Row;
use crate::work::Case;

/// Measures target T4 against incremental and reparsing JSON parsers.
#[cfg(feature = "parsers")]
pub(super) fn parsers(session: &mut Session) -> Vec<Row> {
    let mut rows = measure_lookahead(session, "jiter", "", |row| row.at_least(300.0, 700.0));
    rows.extend(measure_lookahead(session, "partial-json-fixer", "and serde_json", |row| row.at_least(3_000.0, 5_000.0)));
    rows.extend(measure_lookahead(session, "jsonmodem", "", |row| row.at_least(5.0, 10.0)));
    rows.extend(measure_lookahead(session, "json-stream-parser", "", |row| row.at_least(8.0, 20.0)));
    rows
}

/// Measures target T4 against the JSON functions of agent frameworks.
#[cfg(feature = "agents")]
pub(super) fn agents(session: &mut Session) -> Vec<Row> {
    let mut rows = measure_lookahead(session, "tool-parser", "its PartialJson", |row| row.at_least(50.0, 100.0));
    rows.extend(measure_lookahead(session, "rig", "parse_partial_arguments", |row| row.at_least(3_000.0, 8_000.0)));
    rows
}

/// Measures the peer's time as a multiple of ours. A peer that cannot read W1, which has escaped surrogate
/// pairs, is reported with the reason and measured on W1u, which has none.
fn measure_lookahead(session: &mut Session, peer: &str, note: &str, bound: fn(Row) -> Row) -> Vec<Row> {
    let w1 = Case::new("W1", 100_000, "d16");
    if let Err(reason) = session.check(peer, &w1) {
        let w1u = Case::new("W1u", 100_000, "d16");
        let left_out = Row::missing("T4", what(peer, &w1), format!("left out: {reason}"));
        return vec![left_out, bound(compare(session, peer, note, &w1u))];
    }
    vec![bound(compare(session, peer, note, &w1))]
}

fn what(peer: &str, case: &Case) -> String {
    format!("{case}: {peer} / push and view")
}

fn compare(session: &mut Session, peer: &str, note: &str, case: &Case) -> Row {
    // Sequential, not alternating: a slow peer would leave time for only one cold run of ours.
    let own = session.time("push and view", case);
    let theirs = session.time(peer, case);
    let total = total(case, &own, &theirs);
    let times = own.and_then(|own| Ok(theirs? / own));
    Row::new("T4", what(peer, case), "times", times).note(total).note(note)
}

/// Formats the total times of both for all deltas, in milliseconds.
fn total(case: &Case, own: &Figure, theirs: &Figure) -> String {
    let deltas = count(case.deltas().map_or(0, |deltas| deltas.len()));
    match (own, theirs) {
        (Ok(own), Ok(theirs)) => {
            format!("{:.1} ms against {:.2} ms", theirs * deltas / 1e6, own * deltas / 1e6)
        }
        _ => String::new(),
    }
}
