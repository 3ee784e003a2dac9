//! T6: the whole text in one push, compared with parsers of whole texts.

use crate::measure::Session;
use crate::row::Row;
use crate::work::Case;

/// T6 compared with the floor, which for W4 is a copy of the text and `serde_json`.
pub(super) fn floor(session: &mut Session) -> Vec<Row> {
    let w1 = Case::new("W1", 100_000, "W4");
    let ratio = session.instructions_ratio("push", "floor", &w1);
    vec![Row::new("T6", format!("{w1}: push / serde_json"), "Ir ratio", ratio).at_most(0.6, 0.3)]
}

/// Measures target T6 against JSON parsers.
#[cfg(feature = "parsers")]
pub(super) fn parsers(session: &mut Session) -> Vec<Row> {
    let w1 = Case::new("W1", 100_000, "W4");
    let w2 = Case::new("W2", 0, "W4");
    vec![
        against(session, "simd-json", &w1).at_most(0.8, 0.4),
        against(session, "sonic-rs", &w1).at_most(0.8, 0.4),
        against(session, "jiter", &w1),
        against(session, "sonic-rs", &w2).at_most(2.0, 1.0),
        times(session, &w1),
        times(session, &w2),
    ]
}

#[cfg(feature = "parsers")]
fn against(session: &mut Session, peer: &str, case: &Case) -> Row {
    let ratio = session.instructions_ratio("push whole", &format!("{peer} whole"), case);
    Row::new("T6", format!("{case}: push / {peer}"), "Ir ratio", ratio)
}

/// Times of all peers, as a complement to instructions: a vector instruction counts once.
#[cfg(feature = "parsers")]
fn times(session: &mut Session, case: &Case) -> Row {
    let own = session.time("push whole", case);
    let note =
        session.times_of(&["serde_json whole", "simd-json whole", "sonic-rs whole", "jiter whole"], case);
    Row::new("T6", format!("{case}: push"), "ns a byte", own).note(note)
}
