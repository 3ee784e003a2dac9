//! `Metrics` of a process: runs, steps, waits, tokens and cost.

use std::sync::Arc;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;
use windlass_loop::{Prices, StepKind};
use windlass_protocol::Usage;

use super::instruments::{GenAiInstruments, Instruments, NewestInstruments};
use crate::Conventions;

/// The attribute with the kind of an operation, and its value for requests to a model.
const OPERATION: &str = "gen_ai.operation.name";
const CHAT: &str = "chat";

/// The metrics of a process. Clones share their instruments.
///
/// [`measure_events`](crate::measure_events) records the runs of this process from their events. A worker of
/// a durable engine, which sees steps and not runs, records each step with
/// [`record_step`](Self::record_step).
///
/// | metric | kind | unit | attributes |
/// |---|---|---|---|
/// | `windlass.runs` | counter | `{run}` | `windlass.outcome`, `error.type` |
/// | `windlass.runs.active` | up-down counter | `{run}` | `windlass.run.state`: `working`, `waiting` |
/// | `windlass.step.duration` | histogram | `s` | `windlass.step.kind`, `windlass.step.outcome` |
/// | `windlass.wait.duration` | histogram | `s` | `windlass.wait.kind`, `windlass.wait.outcome` |
/// | `windlass.decisions` | counter | `{decision}` | `windlass.decision`, `windlass.risk` |
/// | `windlass.leases.lost` | counter | `{lease}` | |
/// | `windlass.cost` | counter | `{currency}` | |
/// | `gen_ai.client.token.usage` | histogram | `{token}` | `gen_ai.operation.name`, `gen_ai.token.type` |
/// | `gen_ai.client.operation.duration` | histogram | `s` | `gen_ai.operation.name`, `error.type` |
///
/// [`Conventions::Newest`] has other names for the last two, and histograms of calls and runs. Every metric
/// has `gen_ai.provider.name` and `gen_ai.request.model` if they are known. A histogram contains the number
/// of its measurements, so the steps are counted by `windlass.step.duration`.
///
/// ```
/// use std::time::Duration;
/// use windlass_loop::StepKind;
/// use windlass_telemetry::Metrics;
///
/// // Without a meter provider, nothing is recorded.
/// let metrics = Metrics::new(&opentelemetry::global::meter("my-service")).with_model("gpt-5.1");
/// metrics.record_step(StepKind::Tool, "ok", Duration::from_millis(12));
/// ```
#[derive(Clone, Debug)]
pub struct Metrics {
    pub(crate) instruments: Arc<Instruments>,
    attributes: Vec<KeyValue>,
    prices: Prices,
}

impl Metrics {
    /// Creates the instruments on a meter, with the names of the conventions 1.41.
    pub fn new(meter: &Meter) -> Self {
        Self::with_conventions(meter, Conventions::V1_41)
    }

    /// Creates the instruments on a meter, with the names of these conventions.
    pub fn with_conventions(meter: &Meter, conventions: Conventions) -> Self {
        Self {
            instruments: Arc::new(Instruments::new(meter, conventions)),
            attributes: Vec::new(),
            prices: Prices::default(),
        }
    }

    /// Sets the provider's name in the conventions, such as `gcp.gemini`. `Vendors::otel_name` of `windlass-vendors`
    /// returns it for the name of a vendor.
    pub fn with_provider(self, name: impl Into<String>) -> Self {
        self.with_attribute("gen_ai.provider.name", name.into())
    }

    /// Sets the provider's name of the model.
    pub fn with_model(self, name: impl Into<String>) -> Self {
        self.with_attribute("gen_ai.request.model", name.into())
    }

    /// Sets the prices with which the cost is computed. Without prices no cost is recorded.
    pub fn with_prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    fn with_attribute(mut self, key: &'static str, value: String) -> Self {
        self.attributes.retain(|attribute| attribute.key.as_str() != key);
        self.attributes.push(KeyValue::new(key, value));
        self
    }

    /// Records a step that ended. The outcome is `ok` or the name of the failure; it must come from a small set.
    pub fn record_step(&self, kind: StepKind, outcome: &'static str, duration: Duration) {
        let attributes = [
            KeyValue::new("windlass.step.kind", kind.as_str()),
            KeyValue::new("windlass.step.outcome", outcome),
        ];
        self.instruments.step_duration.record(duration.as_secs_f64(), &self.extend(&attributes));
        if kind == StepKind::Model {
            let error = (outcome != "ok").then(|| KeyValue::new("error.type", outcome));
            let attributes: Vec<_> = [KeyValue::new(OPERATION, CHAT)].into_iter().chain(error).collect();
            let instrument = match &self.instruments.gen_ai {
                GenAiInstruments::V1_41 { operation_duration, .. } => operation_duration,
                GenAiInstruments::Newest(newest) => &newest.inference_duration,
            };
            instrument.record(duration.as_secs_f64(), &self.extend(&attributes));
        }
    }

    /// Records the tokens of one answer or summary, and their cost if prices are known. A number that the
    /// provider did not report is left out.
    pub fn record_usage(&self, usage: &Usage) {
        if usage.is_unreported() {
            return;
        }
        match &self.instruments.gen_ai {
            GenAiInstruments::V1_41 { token_usage, .. } => {
                let kinds = [("input", usage.input_tokens), ("output", usage.output_tokens)];
                // A request is never empty, so zero input tokens are unreported.
                for (kind, tokens) in
                    kinds.into_iter().filter(|(kind, tokens)| *kind == "output" || *tokens > 0)
                {
                    let attributes =
                        [KeyValue::new(OPERATION, CHAT), KeyValue::new("gen_ai.token.type", kind)];
                    token_usage.record(tokens, &self.extend(&attributes));
                }
            }
            GenAiInstruments::Newest(newest) => self.record_newest_usage(newest, usage),
        }
        if self.prices != Prices::default() {
            #[expect(clippy::cast_precision_loss, reason = "a counter of an exporter is a float")]
            let cost = self.prices.cost(usage) as f64 / 1_000_000.0;
            self.instruments.cost.add(cost, &self.extend(&[]));
        }
    }

    fn record_newest_usage(&self, newest: &NewestInstruments, usage: &Usage) {
        let attributes = self.extend(&[KeyValue::new(OPERATION, CHAT)]);
        let [input, output] = &newest.operation_tokens;
        // A request is never empty, so zero input tokens are unreported.
        if usage.input_tokens > 0 {
            input.record(usage.input_tokens, &attributes);
            newest.input_tokens.add(usage.input_tokens, &attributes);
        }
        output.record(usage.output_tokens, &attributes);
        newest.output_tokens.add(usage.output_tokens, &attributes);
        for (counter, tokens) in [
            (&newest.cache_read_tokens, usage.cache_read_tokens),
            (&newest.cache_write_tokens, usage.cache_write_tokens),
            (&newest.reasoning_tokens, usage.reasoning_tokens),
        ] {
            if tokens > 0 {
                counter.add(tokens, &attributes);
            }
        }
    }

    /// Records the duration of a call, in the newest conventions.
    pub(crate) fn record_call(&self, tool: &str, error: Option<&'static str>, duration: Duration) {
        if let GenAiInstruments::Newest(newest) = &self.instruments.gen_ai {
            let error = error.map(|error| KeyValue::new("error.type", error));
            let named = [
                KeyValue::new(OPERATION, "execute_tool"),
                KeyValue::new("gen_ai.tool.name", tool.to_owned()),
            ];
            let attributes: Vec<_> = named.into_iter().chain(error).collect();
            newest.tool_duration.record(duration.as_secs_f64(), &attributes);
        }
    }

    /// Records the duration of a run, in the newest conventions.
    pub(crate) fn record_run(&self, error: Option<&'static str>, duration: Duration) {
        if let GenAiInstruments::Newest(newest) = &self.instruments.gen_ai {
            let error = error.map(|error| KeyValue::new("error.type", error));
            let attributes: Vec<_> =
                [KeyValue::new(OPERATION, "invoke_agent")].into_iter().chain(error).collect();
            newest.agent_duration.record(duration.as_secs_f64(), &attributes);
        }
    }

    /// Records that another process has taken over a run of this one.
    pub fn record_lost_lease(&self) {
        self.instruments.leases_lost.add(1, &self.extend(&[]));
    }

    pub(crate) fn extend(&self, attributes: &[KeyValue]) -> Vec<KeyValue> {
        [attributes, &self.attributes].concat()
    }
}
