//! Tests with hand-written events, in orders that occur in runs.

use serde_json::{Value, json};
use windlass_loop::Event;
use windlass_telemetry::{SpanOptions, Spans};

use crate::gathered::{All, gathered};

/// Sixty-four letters that distinguish `{"path":"a"}` from other texts.
const DIGEST: &str = "fde64ffe7a4a0bbd5d2fe2c294b795808c14bcb57a1d08f1c9dcd59871a020f4";

pub(crate) fn options() -> SpanOptions {
    SpanOptions::default().with_model("m-1").with_provider("openai").with_conversation("run-7")
}

pub(crate) fn event(value: Value) -> Event {
    serde_json::from_value(value).unwrap()
}

pub(crate) fn turn(turn: u32) -> Value {
    json!({"event": "turn_started", "turn": turn})
}

pub(crate) fn call(id: &str, tool: &str) -> Value {
    let call =
        json!({"id": id, "name": tool, "payload": {"kind": "function", "arguments": "{\"path\":\"a\"}"}});
    json!({"event": "call_finished", "call": call})
}

pub(crate) fn answered(stop: &str) -> Value {
    let usage =
        json!({"input_tokens": 10, "output_tokens": 5, "cache_read_tokens": 4, "reasoning_tokens": 2});
    json!({"event": "answer_ended", "stop": stop, "usage": usage, "total": usage})
}

pub(crate) fn decided(id: &str, verdict: &str, rule: &str) -> Value {
    let reason = json!({"rule_id": rule, "source": "builtin", "text": "because"});
    let decision = json!({"verdict": verdict, "reason": reason, "risk": "high", "trace": []});
    json!({"event": "decided", "call": id, "decision": decision})
}

pub(crate) fn running(id: &str) -> Value {
    json!({"event": "call_running", "call": id})
}

pub(crate) fn ended(id: &str, status: &str) -> Value {
    let content = json!([{"type": "text", "text": "seen"}]);
    json!({"event": "call_ended", "result": {"call": id, "status": status, "content": content}})
}

pub(crate) fn finished(outcome: &Value) -> Value {
    let total = json!({"input_tokens": 20, "output_tokens": 9});
    json!({"event": "finished", "outcome": outcome, "total": total})
}

pub(crate) fn completed() -> Value {
    finished(&json!({"outcome": "completed", "text": "done"}))
}

/// The spans of these events; open spans are dropped at the end.
#[track_caller]
pub(crate) fn spans(options: &SpanOptions, events: &[Value]) -> All {
    let all = gathered(|| {
        let mut spans = Spans::begin(options);
        assert!(spans.is_listening());
        for value in events {
            spans.see(&event(value.clone()));
        }
    });
    all.check();
    all
}

#[test]
fn a_run_has_its_spans_with_the_names_of_the_conventions() {
    let all = spans(
        &options(),
        &[
            turn(1),
            call("c1", "read_file"),
            answered("calls"),
            decided("c1", "allow", "a.read"),
            running("c1"),
            ended("c1", "ok"),
            turn(2),
            answered("end"),
            completed(),
        ],
    );
    all.one("invoke_agent").has(&[
        ("otel.name", "invoke_agent windlass"),
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.agent.name", "windlass"),
        ("gen_ai.conversation.id", "run-7"),
        ("gen_ai.provider.name", "openai"),
        ("gen_ai.request.model", "m-1"),
        ("gen_ai.usage.input_tokens", "20"),
        ("gen_ai.usage.output_tokens", "9"),
        ("windlass.outcome", "completed"),
        ("windlass.turns", "2"),
    ]);
    let chats = all.named("chat");
    assert_eq!(chats.len(), 2);
    chats[0].has(&[
        ("otel.name", "chat m-1"),
        ("otel.kind", "client"),
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.request.model", "m-1"),
        ("gen_ai.provider.name", "openai"),
        ("gen_ai.request.stream", "true"),
        ("gen_ai.response.finish_reasons", "[\"tool_call\"]"),
        ("gen_ai.usage.input_tokens", "10"),
        ("gen_ai.usage.output_tokens", "5"),
        ("gen_ai.usage.cache_read.input_tokens", "4"),
        ("gen_ai.usage.reasoning.output_tokens", "2"),
        ("windlass.turn", "1"),
        ("windlass.attempts", "1"),
        ("windlass.protocol", "native"),
    ]);
    chats[1].has(&[("gen_ai.response.finish_reasons", "[\"stop\"]"), ("windlass.turn", "2")]);
    let tool = all.one("execute_tool");
    tool.has(&[
        ("otel.name", "execute_tool read_file"),
        ("gen_ai.tool.name", "read_file"),
        ("gen_ai.tool.call.id", "c1"),
        ("gen_ai.tool.type", "function"),
        ("windlass.decision", "allow"),
        ("windlass.rule_id", "a.read"),
        ("windlass.risk", "high"),
        ("windlass.arguments.bytes", "12"),
        ("windlass.arguments.sha256", DIGEST),
        ("windlass.status", "ok"),
        ("windlass.result.bytes", "4"),
    ]);
    assert!(chats[0].closed < tool.opened && tool.closed < chats[1].opened);
}

#[test]
fn concurrent_calls_have_overlapping_spans() {
    let mut events = vec![turn(1), call("c1", "look"), call("c2", "look"), answered("calls")];
    events.extend([running("c1"), running("c2"), ended("c1", "ok"), ended("c2", "error")]);
    let all = spans(&options(), &[events, vec![completed()]].concat());
    let tools = all.named("execute_tool");
    assert!(tools[1].opened < tools[0].closed);
    assert_eq!((tools[0].get("error.type"), tools[1].get("error.type")), ("", "error"));
}

// L6
#[test]
fn a_speculative_call_span_gets_the_later_decision() {
    let all = spans(
        &options(),
        &[
            turn(1),
            call("c1", "look"),
            running("c1"),
            answered("calls"),
            decided("c1", "allow", "a.read"),
            ended("c1", "ok"),
            completed(),
        ],
    );
    let (chat, tool) = (all.one("chat"), all.one("execute_tool"));
    assert!(tool.opened < chat.closed && chat.closed < tool.closed);
    tool.has(&[("windlass.decision", "allow"), ("windlass.rule_id", "a.read")]);
}

// S10
#[test]
fn a_discarded_attempt_ends_its_calls_and_shares_a_span_with_the_retry() {
    let discarded = json!({"event": "attempt_discarded", "reason": "gone", "delay_ms": 250});
    let changed = json!({"event": "protocol_changed", "protocol": "text", "reason": "no tools"});
    let all = spans(
        &options(),
        &[
            turn(1),
            call("c1", "look"),
            running("c1"),
            discarded,
            changed,
            // The call was running when the answer ended early.
            running("c1"),
            ended("c1", "ok"),
            call("c1", "look"),
            answered("calls"),
            running("c1"),
            ended("c1", "ok"),
            completed(),
        ],
    );
    let chat = all.one("chat");
    chat.has(&[("windlass.attempts", "2"), ("windlass.protocol", "text"), ("error.type", "")]);
    assert_eq!(chat.events[0]["message"], "attempt discarded");
    assert_eq!(chat.events[0]["windlass.delay_ms"], "250");
    let tools = all.named("execute_tool");
    assert_eq!(tools.len(), 2);
    assert_eq!((tools[0].get("error.type"), tools[1].get("error.type")), ("attempt_discarded", ""));
}

#[test]
fn a_call_that_never_runs_is_an_event_with_its_reason() {
    let all = spans(
        &options(),
        &[
            turn(1),
            call("c1", "run_command"),
            answered("calls"),
            decided("c1", "deny", "f.private_net"),
            ended("c1", "denied"),
            ended("c9", "unknown_tool"),
            completed(),
        ],
    );
    assert!(all.named("execute_tool").is_empty());
    let told = &all.one("invoke_agent").events;
    assert_eq!(told.len(), 2);
    for (name, value) in [
        ("message", "call not run"),
        ("gen_ai.tool.name", "run_command"),
        ("gen_ai.tool.call.id", "c1"),
        ("windlass.status", "denied"),
        ("windlass.decision", "deny"),
        ("windlass.rule_id", "f.private_net"),
    ] {
        assert_eq!(told[0][name], value);
    }
    assert_eq!(
        (told[1]["windlass.status"].as_str(), told[1].get("gen_ai.tool.name")),
        ("unknown_tool", None)
    );
}

#[track_caller]
fn check_end(events: &[Value], outcome: &str, run: &str, open: &str) {
    let all = spans(&options(), events);
    all.one("invoke_agent").has(&[("windlass.outcome", outcome), ("error.type", run)]);
    let last = all.0.last().unwrap();
    assert_eq!(last.get("error.type"), open, "{last:?}");
}

#[test]
fn spans_open_at_the_end_of_a_run_record_its_outcome() {
    let begin = || vec![turn(1), call("c1", "look"), answered("calls"), running("c1")];
    let stopped = |cause: &str| finished(&json!({"outcome": "stopped", "cause": cause}));
    let with = |end: Value| [begin(), vec![end]].concat();
    check_end(&with(stopped("cancelled")), "stopped", "cancelled", "cancelled");
    check_end(&with(stopped("budget")), "stopped", "budget", "budget");
    let waits = json!([{"wait": "result", "call": "c1"}]);
    check_end(&with(finished(&json!({"outcome": "suspended", "waits": waits}))), "suspended", "", "");
    check_end(&begin(), "", "dropped", "dropped");
    check_end(&[turn(1)], "", "dropped", "dropped");
    let failed = finished(&json!({"outcome": "failed", "message": "no"}));
    check_end(&[turn(1), failed], "failed", "model_failed", "model_failed");
}

#[test]
fn a_broken_run_is_recorded_once() {
    let all = gathered(|| {
        let mut spans = Spans::begin(&options());
        spans.see(&event(turn(1)));
        spans.broke();
        assert!(!spans.is_listening());
        spans.see(&event(turn(2)));
    });
    all.check();
    assert_eq!(all.0.len(), 2);
    assert!(all.0.iter().all(|span| span.get("error.type") == "run_broke"));
}

// R6
#[test]
fn a_resumed_run_has_spans_of_its_calls_under_old_and_new_ids() {
    let taken = |id: &str| {
        let mut call = call(id, "look");
        call["event"] = json!("call_taken_up");
        call
    };
    let all = spans(&options(), &[taken("c1"), running("c1"), ended("c1", "ok"), turn(2), completed()]);
    all.one("execute_tool").has(&[("gen_ai.tool.name", "look"), ("windlass.arguments.bytes", "12")]);
    let events = [turn(1), call("c1", "look"), call("c1", "other"), answered("calls"), taken("c2")];
    let events =
        [&events[..], &[running("c1"), running("c2"), ended("c1", "ok"), ended("c2", "ok")]].concat();
    let all = spans(&options(), &[events, vec![completed()]].concat());
    let ids: Vec<&str> =
        all.named("execute_tool").iter().map(|tool| tool.get("gen_ai.tool.call.id")).collect();
    assert_eq!(ids, ["c1", "c2"]);
}

#[test]
fn a_summary_is_a_separate_chat_span() {
    let compacted = |output: u64| {
        let usage = json!({"input_tokens": 900, "output_tokens": output});
        json!({"event": "context_compacted", "before": 1000, "after": 90, "results": 0, "messages": 4, "usage": usage})
    };
    let condensing = json!({"event": "context_condensing"});
    let all =
        spans(&options(), &[condensing, compacted(7), turn(1), compacted(0), answered("end"), completed()]);
    let chats = all.named("chat");
    assert_eq!(chats.len(), 2);
    chats[0].has(&[
        ("windlass.purpose", "condense"),
        ("windlass.turn", ""),
        ("gen_ai.usage.input_tokens", "900"),
        ("gen_ai.usage.output_tokens", "7"),
    ]);
    chats[1].has(&[("windlass.purpose", "turn"), ("gen_ai.usage.output_tokens", "5")]);
    let told = &all.one("invoke_agent").events;
    assert_eq!(told.len(), 2);
    assert_eq!(
        (told[0]["message"].as_str(), told[0]["windlass.context.tokens_after"].as_str()),
        ("context compacted", "90")
    );
}

#[test]
fn a_call_without_a_start_event_still_has_a_span() {
    let all =
        spans(&options(), &[turn(1), call("c1", "look"), answered("calls"), ended("c1", "ok"), completed()]);
    all.one("execute_tool").has(&[("windlass.status", "ok")]);
}

#[test]
fn without_a_subscriber_nothing_is_kept() {
    let mut spans = Spans::begin(&options());
    assert!(!spans.is_listening() && spans.run().is_none());
    for value in [turn(1), call("c1", "look"), running("c1"), completed()] {
        spans.see(&event(value));
    }
    assert!(!spans.is_listening());
    assert_eq!(size_of::<Spans>(), size_of::<usize>());
}

// The span of an agent's run is within the span of the call that started the agent, at any depth.
#[test]
fn an_agent_has_its_spans_within_the_call_that_began_it() {
    let below = |agents: Value, happened: Value| json!({"event": "agent_event", "call": "a", "agents": agents, "happened": happened});
    let all = gathered(|| {
        let mut spans = Spans::begin(&options());
        let one = || json!(["one"]);
        let two = || json!(["one", "two"]);
        let events = [
            turn(1),
            call("a", "sub_agent_one"),
            answered("calls"),
            running("a"),
            below(one(), turn(1)),
            below(one(), call("b", "sub_agent_two")),
            below(one(), running("b")),
            below(two(), turn(1)),
            below(two(), answered("end")),
            below(two(), completed()),
            below(one(), ended("b", "ok")),
            below(one(), completed()),
            ended("a", "ok"),
            completed(),
        ];
        for happened in events {
            spans.see(&event(happened));
        }
    });
    let names: Vec<_> =
        all.named("invoke_agent").iter().map(|span| span.fields["gen_ai.agent.name"].clone()).collect();
    assert_eq!(names, ["windlass", "one", "one/two"]);
    let tool = |id: &str| {
        all.named("execute_tool").into_iter().find(|span| span.fields["gen_ai.tool.call.id"] == id).unwrap()
    };
    let runs = all.named("invoke_agent");
    assert!(tool("a").has_within(runs[1]) && runs[1].has_within(tool("b")) && runs[1].has_within(runs[2]));
    assert_eq!(runs[2].fields["windlass.outcome"], "completed");
    assert!(runs.iter().all(|run| run.closed > run.opened));
}

// A zero would be taken for a count.
#[test]
fn tokens_that_were_not_reported_are_absent() {
    let ended = json!({"event": "answer_ended", "stop": "end"});
    let end = json!({"event": "finished", "outcome": {"outcome": "completed", "text": "done"}});
    let all = spans(&options(), &[turn(1), ended, end]);
    for name in ["invoke_agent", "chat"] {
        let is_usage = |(field, _): &(&String, &String)| field.starts_with("gen_ai.usage.");
        assert_eq!(all.one(name).fields.iter().find(is_usage), None, "{name}");
    }
    let partly = json!({"event": "answer_ended", "stop": "end", "usage": {"output_tokens": 3}});
    let all = spans(&options(), &[turn(1), partly, completed()]);
    all.one("chat").has(&[("gen_ai.usage.input_tokens", ""), ("gen_ai.usage.output_tokens", "3")]);
}
