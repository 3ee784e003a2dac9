//! T6: the whole text in one push, against the fast parsers of whole texts.

use crate::measure::Session;
use crate::row::Row;
use crate::work::Case;

/// T6: into a document that can be read.
pub(super) fn one_push(session: &mut Session) -> Vec<Row> {
    let mut rows = Vec::new();
    let w1 = Case::new("W1", 100_000, "W4");
    for (peer, target, aim) in [("serde_json", 0.6, 0.3), ("simd-json", 0.8, 0.4), ("sonic-rs", 0.8, 0.4)] {
        let ratio = session.instructions_ratio("push whole", peer, &w1);
        rows.push(Row::new("T6", format!("{w1}: push / {peer}"), "Ir ratio", ratio).at_most(target, aim));
    }
    let ratio = session.instructions_ratio("push whole", "jiter", &w1);
    rows.push(Row::new("T6", format!("{w1}: push / jiter"), "Ir ratio", ratio));
    let w2 = Case::new("W2", 0, "W4");
    let ratio = session.instructions_ratio("push whole", "sonic-rs", &w2);
    rows.push(Row::new("T6", format!("{w2}: push / sonic-rs"), "Ir ratio", ratio).at_most(2.0, 1.0));
    rows.extend([w1, w2].map(|case| times(session, &case)));
    rows
}

/// Times of all, beside which instructions are to be read: a wide instruction counts once.
fn times(session: &mut Session, case: &Case) -> Row {
    let own = session.time("push whole", case);
    let note = session.times_of(&["serde_json", "simd-json", "sonic-rs", "jiter"], case);
    Row::new("T6", format!("{case}: push"), "ns a byte", own).note(note)
}
