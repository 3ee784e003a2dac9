//! The targets of PERFORMANCE, in its order: each gives its rows.

mod partial;
mod whole;

use crate::measure::Session;
use crate::row::Row;

/// A target's id, and what measures it.
pub struct Target {
    /// `T1` …
    pub id: &'static str,
    /// Measures, and gives a row for each value that the target speaks of.
    pub rows: fn(&mut Session) -> Vec<Row>,
}

/// What is measured beside peers that leave `serde_json` as it is.
pub const PEERS: &[Target] = &[
    Target { id: "T1", rows: partial::floor },
    Target { id: "T2", rows: partial::view },
    Target { id: "T3", rows: partial::growth },
    Target { id: "T6", rows: whole::one_push },
];

/// What is measured beside agent frameworks.
pub const AGENTS: &[Target] = &[];
