//! The metrics of runs, as an exporter gets them.

use std::collections::BTreeMap;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData, ResourceMetrics, ScopeMetrics};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use serde_json::json;
use windlass_hitl::{ApprovalHistory, ApprovalRequest, Binding, Grants, Policy, PolicyInput, decide};
use windlass_loop::{Event, Outcome, Prices, StepKind, StopCause};
use windlass_protocol::{
    Arguments, CallId, Effect, Hints, ResultStatus, ToolCall, ToolName, ToolProtocol, ToolResult, ToolSpec,
    Usage,
};
use windlass_telemetry::{Conventions, Metrics, RunMetrics};

use crate::events::{decided, event};

/// Stored metrics, and the values that an exporter has received.
struct Exported {
    provider: SdkMeterProvider,
    exporter: InMemoryMetricExporter,
    metrics: Metrics,
}

impl Exported {
    fn new() -> Self {
        Self::with(Conventions::V1_41)
    }

    fn with(conventions: Conventions) -> Self {
        let exporter = InMemoryMetricExporter::default();
        let reader = PeriodicReader::builder(exporter.clone()).build();
        let provider = SdkMeterProvider::builder().with_reader(reader).build();
        let metrics = Metrics::with_conventions(&provider.meter("test"), conventions);
        Self { provider, exporter, metrics }
    }

    /// Returns each point by metric and attributes: the sum, or the number and the sum of a histogram without
    /// times.
    fn points(&self) -> BTreeMap<String, f64> {
        self.provider.force_flush().unwrap();
        let exports = self.exporter.get_finished_metrics().unwrap();
        let mut points = BTreeMap::new();
        let all = exports.iter().flat_map(ResourceMetrics::scope_metrics).flat_map(ScopeMetrics::metrics);
        for metric in all {
            let mut put = |attributes: Vec<&KeyValue>, number: f64| {
                let mut words: Vec<String> =
                    attributes.into_iter().map(|pair| format!("{}={}", pair.key, pair.value)).collect();
                words.sort();
                points.insert(format!("{} {}", metric.name(), words.join(" ")).trim().to_owned(), number);
            };
            #[expect(clippy::cast_precision_loss, reason = "the numbers of these tests are small")]
            match metric.data() {
                AggregatedMetrics::U64(MetricData::Sum(sum)) => {
                    sum.data_points()
                        .for_each(|point| put(point.attributes().collect(), point.value() as f64));
                }
                AggregatedMetrics::I64(MetricData::Sum(sum)) => {
                    sum.data_points()
                        .for_each(|point| put(point.attributes().collect(), point.value() as f64));
                }
                AggregatedMetrics::F64(MetricData::Sum(sum)) => {
                    sum.data_points().for_each(|point| put(point.attributes().collect(), point.value()));
                }
                AggregatedMetrics::U64(MetricData::Histogram(histogram)) => histogram
                    .data_points()
                    .for_each(|point| put(point.attributes().collect(), point.sum() as f64)),
                AggregatedMetrics::F64(MetricData::Histogram(histogram)) => histogram
                    .data_points()
                    .for_each(|point| put(point.attributes().collect(), point.count() as f64)),
                _ => {}
            }
        }
        points
    }

    /// Returns the bounds of a histogram's buckets.
    fn bounds(&self, name: &str) -> Vec<f64> {
        self.provider.force_flush().unwrap();
        let exports = self.exporter.get_finished_metrics().unwrap();
        let all = exports.iter().flat_map(ResourceMetrics::scope_metrics).flat_map(ScopeMetrics::metrics);
        let mut named = all.filter(|metric| metric.name() == name);
        match named.next().unwrap().data() {
            AggregatedMetrics::U64(MetricData::Histogram(data)) => {
                data.data_points().next().unwrap().bounds().collect()
            }
            AggregatedMetrics::F64(MetricData::Histogram(data)) => {
                data.data_points().next().unwrap().bounds().collect()
            }
            _ => Vec::new(),
        }
    }

    #[track_caller]
    fn has(&self, expected: &[(&str, f64)]) {
        let points = self.points();
        for (point, number) in expected {
            let found = points.get(*point).copied();
            assert!(
                found.is_some_and(|found| (found - number).abs() < 1e-9),
                "{point} is {found:?}, not {number}, of {points:#?}"
            );
        }
    }
}

fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
    Usage { input_tokens, output_tokens, ..Usage::default() }
}

fn turn(turn: u32) -> Event {
    Event::TurnStarted { turn, protocol: ToolProtocol::Native }
}

fn answer(usage: Usage) -> Event {
    Event::AnswerEnded { stop: None, usage, total: usage, cost: 0, total_cost: 0 }
}

fn call(id: &str) -> CallId {
    CallId::new(id).unwrap()
}

fn ended(id: &str, status: ResultStatus) -> Event {
    Event::CallEnded { result: ToolResult::text(call(id), status, "said") }
}

fn finished(outcome: Outcome) -> Event {
    Event::Finished { outcome, total: Usage::default() }
}

#[test]
fn a_run_is_counted_with_its_steps_tokens_and_cost() {
    let mut exported = Exported::new();
    let prices = Prices { input: 2_000_000, output: 10_000_000, ..Prices::default() };
    exported.metrics = exported.metrics.with_model("m-1").with_provider("openai").with_prices(prices);
    let mut run = RunMetrics::begin(&exported.metrics);
    let whose = "gen_ai.provider.name=openai gen_ai.request.model=m-1";
    let chat = format!("gen_ai.operation.name=chat {whose}");
    exported.has(&[(&format!("windlass.runs.active {whose} windlass.run.state=working"), 1.0)]);

    let events = [
        turn(1),
        Event::AttemptDiscarded { reason: "the stream broke".to_owned(), delay_ms: 10 },
        answer(usage(1_000, 50)),
        event(decided("a", "allow", "readers")),
        Event::CallRunning { call: call("a") },
        Event::CallRunning { call: call("b") },
        ended("a", ResultStatus::Ok),
        ended("b", ResultStatus::TimedOut),
        // Policy denied this call, so it is not a step.
        ended("c", ResultStatus::Denied),
        turn(2),
        answer(usage(0, 7)),
        finished(Outcome::Completed { text: "done".to_owned() }),
    ];
    for event in &events {
        run.see(event);
    }
    drop(run);
    exported.has(&[
        (&format!("windlass.runs.active {whose} windlass.run.state=working"), 0.0),
        (&format!("windlass.runs {whose} windlass.outcome=completed"), 1.0),
        (&format!("windlass.step.duration {whose} windlass.step.kind=model windlass.step.outcome=ok"), 2.0),
        (
            &format!(
                "windlass.step.duration {whose} windlass.step.kind=model windlass.step.outcome=discarded"
            ),
            1.0,
        ),
        (&format!("windlass.step.duration {whose} windlass.step.kind=tool windlass.step.outcome=ok"), 1.0),
        (
            &format!(
                "windlass.step.duration {whose} windlass.step.kind=tool windlass.step.outcome=timed_out"
            ),
            1.0,
        ),
        (&format!("windlass.decisions {whose} windlass.decision=allow windlass.risk=high"), 1.0),
        (&format!("gen_ai.client.operation.duration {chat}"), 2.0),
        (&format!("gen_ai.client.operation.duration error.type=discarded {chat}"), 1.0),
        (&format!("gen_ai.client.token.usage {chat} gen_ai.token.type=input"), 1_000.0),
        (&format!("gen_ai.client.token.usage {chat} gen_ai.token.type=output"), 57.0),
        (&format!("windlass.cost {whose}"), 0.002_57),
    ]);
    let denied = exported.points().into_keys().any(|point| point.contains("denied"));
    assert!(!denied, "a call that did not run is no step");
}

/// Returns the decision and the question about a call that writes a file.
fn question(id: &str) -> Event {
    let name = ToolName::new("write_file").unwrap();
    let asked = ToolCall::function(call("a"), name.clone(), Arguments::parse("{}").unwrap());
    let effect = Effect::Write { path: "a.txt".into(), bytes: None };
    let facts = PolicyInput::new(name.clone(), Hints::default(), &asked, vec![effect]);
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    let spec = ToolSpec::function(name.clone(), "", r#"{"type":"object"}"#.parse().unwrap());
    let digest = Binding { facts: &facts, call: &asked, spec: &spec, root: "/", epoch: "" }.digest();
    let request = ApprovalRequest::new(id, asked, &facts, &decision, digest);
    let (risk_level, can_learn) = (decision.risk, false);
    let (request_id, args, request) = (id.to_owned(), json!({}), Box::new(request));
    Event::ToolApprovalRequest { request_id, tool_name: name, args, risk_level, can_learn, request }
}

#[test]
fn a_run_with_an_open_question_waits_and_works_again_after_the_answer() {
    let exported = Exported::new();
    let mut run = RunMetrics::begin(&exported.metrics);
    for event in [turn(1), answer(usage(10, 1)), question("q-1")] {
        run.see(&event);
    }
    exported.has(&[
        ("windlass.runs.active windlass.run.state=working", 0.0),
        ("windlass.runs.active windlass.run.state=waiting", 1.0),
    ]);
    run.see(&Event::ApprovalPostponed { request_id: "q-1".to_owned() });
    exported.has(&[
        ("windlass.runs.active windlass.run.state=working", 1.0),
        ("windlass.runs.active windlass.run.state=waiting", 0.0),
        ("windlass.wait.duration windlass.wait.kind=approval windlass.wait.outcome=postponed", 1.0),
    ]);
    run.see(&finished(Outcome::Stopped { cause: StopCause::TurnLimit }));
    exported.has(&[
        ("windlass.runs.active windlass.run.state=working", 0.0),
        ("windlass.runs error.type=turn_limit windlass.outcome=stopped", 1.0),
    ]);
}

#[test]
fn a_dropped_run_and_a_broken_run_are_not_active() {
    let exported = Exported::new();
    drop(RunMetrics::begin(&exported.metrics));
    let mut broken = RunMetrics::begin(&exported.metrics);
    broken.broke();
    drop(broken);
    exported.has(&[
        ("windlass.runs.active windlass.run.state=working", 0.0),
        ("windlass.runs error.type=dropped windlass.outcome=dropped", 1.0),
        ("windlass.runs error.type=run_broke windlass.outcome=failed", 1.0),
    ]);
}

#[test]
fn the_tokens_of_sub_agents_are_counted() {
    let exported = Exported::new();
    let mut run = RunMetrics::begin(&exported.metrics);
    run.see(&Event::CallRunning { call: call("a") });
    for event in [turn(1), answer(usage(30, 3)), finished(Outcome::Completed { text: String::new() })] {
        let happened = serde_json::to_value(&event).unwrap();
        run.see(&Event::AgentEvent { call: call("a"), agents: vec!["reviewer".to_owned()], happened });
    }
    drop(run);
    exported.has(&[
        ("gen_ai.client.token.usage gen_ai.operation.name=chat gen_ai.token.type=input", 30.0),
        ("windlass.step.duration windlass.step.kind=model windlass.step.outcome=ok", 1.0),
    ]);
    let runs: f64 = exported
        .points()
        .iter()
        .filter(|(point, _)| point.starts_with("windlass.runs "))
        .map(|(_, n)| n)
        .sum();
    assert!((runs - 1.0).abs() < 1e-9, "an agent below is no run of its own");
}

#[test]
fn steps_of_a_worker_and_lost_leases_are_counted() {
    let exported = Exported::new();
    exported.metrics.record_step(StepKind::Reconcile, "ok", Duration::from_millis(3));
    exported.metrics.record_lost_lease();
    exported.metrics.record_usage(&Usage::default());
    exported.has(&[
        ("windlass.step.duration windlass.step.kind=reconcile windlass.step.outcome=ok", 1.0),
        ("windlass.leases.lost", 1.0),
    ]);
    assert!(
        exported.points().into_keys().all(|point| !point.contains("token")),
        "unreported tokens are zero"
    );
}

#[test]
fn a_request_that_ends_with_its_run_is_a_step() {
    let exported = Exported::new();
    let failed = json!({"outcome": "failed", "message": "the provider is gone"});
    for outcome in [serde_json::from_value(failed).unwrap(), Outcome::Stopped { cause: StopCause::Cancelled }]
    {
        let mut run = RunMetrics::begin(&exported.metrics);
        run.see(&turn(1));
        run.see(&finished(outcome));
    }
    exported.has(&[
        ("windlass.step.duration windlass.step.kind=model windlass.step.outcome=failed", 1.0),
        ("windlass.step.duration windlass.step.kind=model windlass.step.outcome=cancelled", 1.0),
    ]);
}

/// The bounds that the conventions recommend, which are the same in both versions.
fn recommended() -> [Vec<f64>; 2] {
    let tokens = (0..14).map(|power| 4_f64.powi(power)).collect();
    let seconds = (0..14).map(|power| 2_f64.powi(power) / 100.0).collect();
    [tokens, seconds]
}

#[test]
fn the_histograms_have_the_recommended_buckets() {
    let [tokens, seconds] = recommended();
    for (conventions, token_names, duration) in [
        (Conventions::V1_41, vec!["gen_ai.client.token.usage"], "gen_ai.client.operation.duration"),
        (
            Conventions::Newest,
            vec![
                "gen_ai.client.inference.operation.input_tokens",
                "gen_ai.client.inference.operation.output_tokens",
            ],
            "gen_ai.client.inference.duration",
        ),
    ] {
        let exported = Exported::with(conventions);
        exported.metrics.record_step(StepKind::Model, "ok", Duration::from_secs(1));
        exported.metrics.record_usage(&usage(10, 3));
        for name in token_names {
            assert_eq!(exported.bounds(name), tokens, "{name}");
        }
        assert_eq!(exported.bounds(duration), seconds, "{duration}");
    }
}

#[test]
fn the_newest_conventions_count_tokens_and_measure_calls_and_runs() {
    let exported = Exported::with(Conventions::Newest);
    let mut run = RunMetrics::begin(&exported.metrics);
    let cached =
        Usage { cache_read_tokens: 600, cache_write_tokens: 100, reasoning_tokens: 7, ..usage(1_000, 50) };
    let events = [
        turn(1),
        Event::AttemptDiscarded { reason: "the stream broke".to_owned(), delay_ms: 10 },
        event(crate::events::call("a", "read_file")),
        event(crate::events::call("b", "run_command")),
        answer(cached),
        Event::CallRunning { call: call("a") },
        Event::CallRunning { call: call("b") },
        ended("a", ResultStatus::Ok),
        ended("b", ResultStatus::TimedOut),
        turn(2),
        answer(usage(2_000, 0)),
        finished(Outcome::Stopped { cause: StopCause::TurnLimit }),
    ];
    for event in &events {
        run.see(event);
    }
    drop(run);
    let chat = "gen_ai.operation.name=chat";
    exported.has(&[
        (&format!("gen_ai.client.inference.duration {chat}"), 2.0),
        (&format!("gen_ai.client.inference.duration error.type=discarded {chat}"), 1.0),
        (&format!("gen_ai.client.inference.usage.input_tokens {chat}"), 3_000.0),
        (&format!("gen_ai.client.inference.usage.output_tokens {chat}"), 50.0),
        (&format!("gen_ai.client.inference.usage.cache_read.input_tokens {chat}"), 600.0),
        (&format!("gen_ai.client.inference.usage.cache_write.input_tokens {chat}"), 100.0),
        (&format!("gen_ai.client.inference.usage.reasoning.output_tokens {chat}"), 7.0),
        (&format!("gen_ai.client.inference.operation.input_tokens {chat}"), 3_000.0),
        (&format!("gen_ai.client.inference.operation.output_tokens {chat}"), 50.0),
        ("gen_ai.execute_tool.duration gen_ai.operation.name=execute_tool gen_ai.tool.name=read_file", 1.0),
        (
            "gen_ai.execute_tool.duration error.type=timed_out gen_ai.operation.name=execute_tool \
             gen_ai.tool.name=run_command",
            1.0,
        ),
        ("gen_ai.invoke_agent.duration error.type=turn_limit gen_ai.operation.name=invoke_agent", 1.0),
    ]);
    let points = exported.points();
    assert!(points.keys().all(|point| !point.starts_with("gen_ai.client.token.usage")
        && !point.starts_with("gen_ai.client.operation.duration")));
}
