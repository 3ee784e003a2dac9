//! The instruments, with their names, units and buckets.

use opentelemetry::metrics::{Counter, Histogram, Meter, UpDownCounter};

use crate::Conventions;

/// Buckets of the durations of requests in seconds, as in the conventions.
const SECONDS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/// Longer buckets, for steps and waits that can take days.
const LONG_SECONDS: [f64; 3] = [600.0, 3_600.0, 86_400.0];
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
    pub(crate) gen_ai: GenAiInstruments,
}

/// The instruments of the GenAI conventions.
#[derive(Debug)]
pub(crate) enum GenAiInstruments {
    /// Those of 1.41.
    V1_41 { token_usage: Histogram<u64>, operation_duration: Histogram<f64> },
    /// Those of the newest conventions.
    Newest(Box<NewestInstruments>),
}

/// The instruments of the newest conventions.
#[derive(Debug)]
pub(crate) struct NewestInstruments {
    pub(crate) inference_duration: Histogram<f64>,
    pub(crate) tool_duration: Histogram<f64>,
    pub(crate) agent_duration: Histogram<f64>,
    /// Tokens of one request: of the input and of the output.
    pub(crate) operation_tokens: [Histogram<u64>; 2],
    pub(crate) input_tokens: Counter<u64>,
    pub(crate) output_tokens: Counter<u64>,
    pub(crate) cache_read_tokens: Counter<u64>,
    pub(crate) cache_write_tokens: Counter<u64>,
    pub(crate) reasoning_tokens: Counter<u64>,
}

impl Instruments {
    pub(crate) fn new(meter: &Meter, conventions: Conventions) -> Self {
        let seconds = |name: &'static str, description: &'static str| {
            histogram(meter, name, description, [SECONDS.as_slice(), &LONG_SECONDS].concat())
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
            gen_ai: match conventions {
                Conventions::V1_41 => GenAiInstruments::V1_41 {
                    token_usage: tokens(
                        meter,
                        "gen_ai.client.token.usage",
                        "Tokens of a request or an answer.",
                    ),
                    operation_duration: histogram(
                        meter,
                        "gen_ai.client.operation.duration",
                        "Time of an attempt at an answer of the model.",
                        SECONDS.to_vec(),
                    ),
                },
                Conventions::Newest => GenAiInstruments::Newest(Box::new(NewestInstruments::new(meter))),
            },
        }
    }
}

impl NewestInstruments {
    fn new(meter: &Meter) -> Self {
        let counter = |name: &'static str, description: &'static str| {
            meter.u64_counter(name).with_unit("{token}").with_description(description).build()
        };
        let seconds = |name: &'static str, description: &'static str, boundaries: Vec<f64>| {
            histogram(meter, name, description, boundaries)
        };
        let long = || [SECONDS.as_slice(), &LONG_SECONDS].concat();
        Self {
            inference_duration: seconds(
                "gen_ai.client.inference.duration",
                "Time of an attempt at an answer of the model.",
                SECONDS.to_vec(),
            ),
            tool_duration: seconds("gen_ai.execute_tool.duration", "Time of a call.", long()),
            agent_duration: seconds("gen_ai.invoke_agent.duration", "Time of a run.", long()),
            operation_tokens: [
                tokens(meter, "gen_ai.client.inference.operation.input_tokens", "Input tokens of a request."),
                tokens(
                    meter,
                    "gen_ai.client.inference.operation.output_tokens",
                    "Output tokens of a request.",
                ),
            ],
            input_tokens: counter("gen_ai.client.inference.usage.input_tokens", "Input tokens."),
            output_tokens: counter("gen_ai.client.inference.usage.output_tokens", "Output tokens."),
            cache_read_tokens: counter(
                "gen_ai.client.inference.usage.cache_read.input_tokens",
                "Input tokens that were read from the cache.",
            ),
            cache_write_tokens: counter(
                "gen_ai.client.inference.usage.cache_write.input_tokens",
                "Input tokens that were written to the cache.",
            ),
            reasoning_tokens: counter(
                "gen_ai.client.inference.usage.reasoning.output_tokens",
                "Output tokens of reasoning.",
            ),
        }
    }
}

fn histogram(
    meter: &Meter,
    name: &'static str,
    description: &'static str,
    boundaries: Vec<f64>,
) -> Histogram<f64> {
    let builder = meter.f64_histogram(name).with_unit("s").with_description(description);
    builder.with_boundaries(boundaries).build()
}

fn tokens(meter: &Meter, name: &'static str, description: &'static str) -> Histogram<u64> {
    let builder = meter.u64_histogram(name).with_unit("{token}").with_description(description);
    builder.with_boundaries(TOKENS.to_vec()).build()
}
