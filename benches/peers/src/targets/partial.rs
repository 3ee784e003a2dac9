//! T1 to T3: the cost of a delta, with and without reading the value.

use crate::measure::{Figure, Session, count};
use crate::row::Row;
use crate::work::{Case, size};

const SIZES: [usize; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// T1: pushing all deltas and keeping the document, compared with appending them and parsing once at the end.
pub(super) fn floor(session: &mut Session) -> Vec<Row> {
    let bounds = [("d4", 1.6, 1.2), ("d16", 1.4, 1.0), ("dR", 1.2, 0.8)];
    let row = |(cut, target, aim)| {
        let case = Case::new("W1", 100_000, cut);
        let ratio = session.instructions_ratio("push", "floor", &case);
        let note = costs(session, &case);
        Row::new("T1", format!("{case}: push / floor"), "Ir ratio", ratio).at_most(target, aim).note(note)
    };
    bounds.into_iter().map(row).collect()
}

/// Formats the cost of both per delta, in instructions and in time.
fn costs(session: &mut Session, case: &Case) -> String {
    let deltas = count(case.deltas().map_or(0, |deltas| deltas.len()));
    let instructions = (session.instructions("push", case), session.instructions("floor", case));
    let times = session.times(&["push", "floor"], case);
    match (instructions, times) {
        ((Ok(push), Ok(floor)), Ok(times)) => format!(
            "a delta: push {:.0} Ir and {:.1} ns, floor {:.0} Ir and {:.1} ns",
            push / deltas,
            times[0],
            floor / deltas,
            times[1]
        ),
        (_, Ok(times)) => format!("a delta: push {:.1} ns, floor {:.1} ns", times[0], times[1]),
        _ => String::new(),
    }
}

/// T2: the additional cost of reading the value after each delta.
pub(super) fn view(session: &mut Session) -> Vec<Row> {
    let mut rows = Vec::new();
    for bytes in SIZES {
        let case = Case::new("W1", bytes, "d16");
        let times = session.times(&["push", "push and view"], &case);
        let said = times.as_ref().map(|times| format!("{:.1} ns to push", times[0])).unwrap_or_default();
        let added = times.map(|times| times[1] - times[0]);
        let what = format!("{case}: view after each delta");
        rows.push(Row::new("T2", what, "ns a delta", added).at_most(30.0, 5.0).note(said));
    }
    for bytes in SIZES {
        let case = Case::new("W1", bytes, "d16");
        let row = Row::new(
            "T2",
            format!("{case}: view after each delta"),
            "Ir a delta",
            view_instructions(session, &case),
        );
        rows.push(row);
    }
    rows
}

fn view_instructions(session: &mut Session, case: &Case) -> Figure {
    let deltas = case.deltas().map_or(0, |deltas| deltas.len());
    Ok((session.instructions("push and view", case)? - session.instructions("push", case)?) / count(deltas))
}

/// T3: the growth exponent of push and view with the size of the text; 1 is linear.
pub(super) fn growth(session: &mut Session) -> Vec<Row> {
    let [small, .., large] = SIZES;
    let exponent = exponent(session, small, large);
    let what = format!("push and view from {} to {}", size(small), size(large));
    vec![Row::new("T3", what, "exponent in Ir", exponent).at_most(1.02, 1.0)]
}

fn exponent(session: &mut Session, small: usize, large: usize) -> Figure {
    let small = Case::new("W1", small, "d16");
    let large = Case::new("W1", large, "d16");
    let cost =
        session.instructions("push and view", &large)? / session.instructions("push and view", &small)?;
    Ok(cost.ln() / (count(large.bytes) / count(small.bytes)).ln())
}

/// T7: many small values and deep nesting, compared with the floor.
pub(super) fn structure(session: &mut Session) -> Vec<Row> {
    let row = |workload| {
        let case = Case::new(workload, 0, "d16");
        let ratio = session.instructions_ratio("push", "floor", &case);
        let note = costs(session, &case);
        Row::new("T7", format!("{case}: push / floor"), "Ir ratio", ratio).at_most(1.0, 0.6).note(note)
    };
    ["W2", "W3"].into_iter().map(row).collect()
}

/// T7: arguments as a typed partial struct, compared with reading one length from the untyped view.
#[cfg(feature = "parsers")]
pub(super) fn typed(session: &mut Session) -> Vec<Row> {
    let row = |case: Case| {
        let ratio = session.instructions_ratio("typed", "untyped", &case);
        let what = format!("{case}: typed partial struct / untyped view");
        Row::new("T7", what, "Ir ratio", ratio).at_most(1.2, 1.0)
    };
    [Case::new("W1", 100_000, "d16"), Case::new("W2", 0, "d16")].map(row).into()
}
