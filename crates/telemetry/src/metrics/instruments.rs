//! The instruments, with their names, units and buckets.

use opentelemetry::metrics::{Counter, Histogram, Meter, UpDownCounter};

/// Buckets of durations in seconds: those of the conventions, with longer ones for waits for a human.
const SECONDS: [f64; 17] = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 600.0, 3_600.0,
    86_400.0,
];
/// Buckets of token counts (OpenTelemetry, "Semantic conventions for generative client metrics").
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// The instruments of a process.
#[derive(Debug)]
pub(crate) struct Instruments {
    pub(crate) runs: Counter<u64>,
    pub(crate) active_runs: UpDownCounter<i64>,
    pub(crate) step_duration: Histogram<f64>,
    pub(crate) wait_duration: Histogram<f64>,
    pub(crate) decisions: Counter<u64>,
    pub(crate) leases_lost: Counter<u64>,
    pub(crate) cost: Counter<f64>,
    pub(crate) token_usage: Histogram<u64>,
    pub(crate) operation_duration: Histogram<f64>,
}

impl Instruments {
    pub(crate) fn new(meter: &Meter) -> Self {
        let seconds = |name: &'static str, description: &'static str| {
            let builder = meter.f64_histogram(name).with_unit("s").with_description(description);
            builder.with_boundaries(SECONDS.to_vec()).build()
        };
        let counter = |name: &'static str, unit: &'static str, description: &'static str| {
            meter.u64_counter(name).with_unit(unit).with_description(description).build()
        };
        Self {
            runs: counter("windlass.runs", "{run}", "Runs that ended or were suspended in this process."),
            active_runs: meter
                .i64_up_down_counter("windlass.runs.active")
                .with_unit("{run}")
                .with_description("Runs of this process, by state.")
                .build(),
            step_duration: seconds("windlass.step.duration", "Time of a step, by kind and outcome."),
            wait_duration: seconds("windlass.wait.duration", "Time of a wait for an answer from outside."),
            decisions: counter("windlass.decisions", "{decision}", "Decisions of policy about calls."),
            leases_lost: counter("windlass.leases.lost", "{lease}", "Runs that another process took over."),
            cost: meter
                .f64_counter("windlass.cost")
                .with_unit("{currency}")
                .with_description("Cost of the tokens, in the currency of the prices.")
                .build(),
            token_usage: meter
                .u64_histogram("gen_ai.client.token.usage")
                .with_unit("{token}")
                .with_description("Tokens of a request or an answer.")
                .with_boundaries(TOKENS.to_vec())
                .build(),
            operation_duration: seconds(
                "gen_ai.client.operation.duration",
                "Time of an attempt at an answer of the model.",
            ),
        }
    }
}
