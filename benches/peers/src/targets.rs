//! The targets of PERFORMANCE, in its order: each gives its rows.

#[cfg(feature = "streams")]
mod events;
mod heap;
mod partial;
#[cfg(feature = "streams")]
mod path;
#[cfg(any(feature = "parsers", feature = "agents"))]
mod reparse;
#[cfg(feature = "agents")]
mod text;
#[cfg(feature = "loops")]
mod turns;
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

/// What is measured beside the floor alone.
pub const FLOOR: &[Target] = &[
    Target { id: "T1", rows: partial::floor },
    Target { id: "T2", rows: partial::view },
    Target { id: "T3", rows: partial::growth },
    Target { id: "T5", rows: heap::allocations },
    Target { id: "T6", rows: whole::floor },
    Target { id: "T7", rows: partial::structure },
];

/// What is measured beside parsers.
#[cfg(feature = "parsers")]
pub const PARSERS: &[Target] = &[
    Target { id: "T4", rows: reparse::parsers },
    Target { id: "T6", rows: whole::parsers },
    Target { id: "T7", rows: partial::typed },
];

/// What is measured beside readers of streams.
#[cfg(feature = "streams")]
pub const STREAMS: &[Target] =
    &[Target { id: "T8", rows: events::events }, Target { id: "T9", rows: path::path }];

/// What is measured beside agent frameworks.
#[cfg(feature = "agents")]
pub const AGENTS: &[Target] = &[
    Target { id: "T4", rows: reparse::agents },
    Target { id: "T10", rows: text::scan },
    Target { id: "T10", rows: text::agents },
];

/// What is measured beside whole loops.
#[cfg(feature = "loops")]
pub const LOOPS: &[Target] = &[
    Target { id: "L1", rows: turns::cost },
    Target { id: "L2", rows: turns::growth },
    Target { id: "L3", rows: turns::held },
    Target { id: "L4", rows: turns::journal },
    Target { id: "M5", rows: turns::early },
    Target { id: "M6", rows: turns::long },
];
