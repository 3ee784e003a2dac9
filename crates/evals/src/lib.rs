#![doc = include_str!("../README.md")]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![expect(clippy::disallowed_methods, reason = "results are files, and the latency of a run is measured")]

mod error;
mod trial;

mod attempt;
mod case;
mod grade;
mod graders;

mod record;
mod results;

pub mod statistics;

mod markdown;
mod summary;

mod plan;
mod suite;

pub use attempt::{Attempt, MadeCall};
pub use case::Case;
pub use error::{BoxError, EvalError};
pub use grade::{Grade, GradeFuture, Grader, JudgeUsage};
pub use graders::{
    CallGrader, CodeGrader, InvalidPattern, JsonGrader, Judge, NumberGrader, SchemaGrader, TextGrader,
    TypedGrader, calls, code, contains, equals_json, equals_typed, exact, json_schema, judge, judge_with,
    matches, never_calls, number,
};
pub use record::{GradeRecord, TrialRecord, TrialStatus};
pub use suite::Suite;
pub use summary::{Comparison, FlakyCase, ModelSummary, StopReason, Summary};
pub use trial::Trial;
