//! The targets of PERFORMANCE, in its order: each gives its rows.

mod events;
mod heap;
mod partial;
mod path;
mod reparse;
mod text;
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
    Target { id: "T4", rows: reparse::parsers },
    Target { id: "T5", rows: heap::allocations },
    Target { id: "T6", rows: whole::one_push },
    Target { id: "T7", rows: partial::structure },
    Target { id: "T8", rows: events::events },
    Target { id: "T9", rows: path::path },
    Target { id: "T10", rows: text::scan },
];

/// What is measured beside agent frameworks.
pub const AGENTS: &[Target] =
    &[Target { id: "T4", rows: reparse::agents }, Target { id: "T10", rows: text::agents }];
