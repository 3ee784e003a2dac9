//! Metrics of runs and steps.

mod instruments;
mod measured;
mod process;
mod run_metrics;

pub use self::measured::{MeasuredEvents, measure_events};
pub use self::process::Metrics;
pub use self::run_metrics::RunMetrics;
