//! The targets of PERFORMANCE, in its order, and the functions that measure their rows.

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

/// A target, with the function that measures it.
pub struct Target {
    /// The id: `T1`, `T2`, …
    pub id: &'static str,
    /// Measures the target and returns one row per value.
    pub rows: fn(&mut Session) -> Vec<Row>,
}

/// Targets that are compared only with a lower bound: a plain copy or scan of the same bytes.
pub const FLOOR: &[Target] = &[
    Target { id: "T1", rows: partial::floor },
    Target { id: "T2", rows: partial::view },
    Target { id: "T3", rows: partial::growth },
    Target { id: "T5", rows: heap::allocations },
    Target { id: "T6", rows: whole::floor },
    Target { id: "T7", rows: partial::structure },
];

/// Targets that are compared with parsers.
#[cfg(feature = "parsers")]
pub const PARSERS: &[Target] = &[
    Target { id: "T4", rows: reparse::parsers },
    Target { id: "T6", rows: whole::parsers },
    Target { id: "T7", rows: partial::typed },
];

/// Targets that are compared with stream parsers.
#[cfg(feature = "streams")]
pub const STREAMS: &[Target] =
    &[Target { id: "T8", rows: events::events }, Target { id: "T9", rows: path::path }];

/// Targets that are compared with agent frameworks.
#[cfg(feature = "agents")]
pub const AGENTS: &[Target] = &[
    Target { id: "T4", rows: reparse::agents },
    Target { id: "T10", rows: text::scan },
    Target { id: "T10", rows: text::agents },
];

/// Targets that measure whole loops.
#[cfg(feature = "loops")]
pub const LOOPS: &[Target] = &[
    Target { id: "L1", rows: turns::cost },
    Target { id: "L2", rows: turns::growth },
    Target { id: "L3", rows: turns::measure_backpressure },
    Target { id: "L4", rows: turns::journal },
    Target { id: "M5", rows: turns::early },
    Target { id: "M6", rows: turns::long },
];
