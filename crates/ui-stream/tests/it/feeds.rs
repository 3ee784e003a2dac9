//! Feeds of runs: a written one, and generated ones.

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_app::feed::FeedEvent;

/// Writer of a feed, which numbers its events.
#[derive(Debug, Default)]
pub(crate) struct FeedWriter {
    seq: u64,
    pub(crate) events: Vec<FeedEvent>,
}

impl FeedWriter {
    pub(crate) fn push(&mut self, kind: Value) {
        self.push_of(Value::Null, kind);
    }

    /// Appends an event of a sub-agent.
    pub(crate) fn push_agent(&mut self, kind: Value) {
        self.push_of(json!({ "call": "c-agent", "names": ["helper"] }), kind);
    }

    fn push_of(&mut self, agent: Value, kind: Value) {
        let mut event = kind;
        event["seq"] = self.seq.into();
        event["session"] = "s".into();
        event["run"] = "r".into();
        event["at_ms"] = 7.into();
        if !agent.is_null() {
            event["agent"] = agent;
        }
        let mut event: FeedEvent = serde_json::from_value(event).unwrap();
        if event.kind.is_numbered() {
            self.seq += 1;
            event.seq = self.seq;
        }
        self.events.push(event);
    }

    pub(crate) fn tokens() -> Value {
        json!({ "input": 10, "output": 5 })
    }

    /// Appends the question about a call.
    pub(crate) fn ask(&mut self, call: &str, tool: &str) {
        self.push(json!({
            "kind": "question_opened", "question": format!("q-{call}"), "about": "call",
            "card": {
                "call": call, "tool": tool, "arguments": {}, "rule": "writes", "source": "user", "reason": "it writes",
                "risk": "medium", "effects": [], "digest": "d", "can_remember": true, "scope": "writes",
                "text": format!("May {tool} run?"),
            },
        }));
    }

    pub(crate) fn decide(&mut self, call: &str, verdict: &str) {
        self.push(json!({
            "kind": "decision", "call": call, "verdict": verdict, "rule": "r", "source": "user", "reason": "because",
            "risk": "low",
        }));
    }

    pub(crate) fn answer(&mut self, call: &str, answer: &str) {
        self.push(json!({ "kind": "question_closed", "question": format!("q-{call}"), "answer": answer, "by": "web" }));
    }

    pub(crate) fn result(&mut self, call: &str, status: &str) {
        let text = format!("{status} of {call}");
        self.push(json!({ "kind": "result", "call": call, "status": status, "text": text }));
    }

    pub(crate) fn end(&mut self, outcome: &Value) {
        self.push(json!({ "kind": "run_ended", "outcome": outcome, "total": Self::tokens() }));
    }
}

/// Part of a generated answer.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Reasoning(String),
    Call(Fate),
}

/// Fate of a generated call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    Allowed,
    Failed,
    Refused,
    Approved,
    Denied,
    Suspended,
}

/// Parts of a generated turn besides its answer and its calls.
#[derive(Clone, Copy, Debug)]
struct Extras {
    agent: bool,
    agent_in_draft: bool,
    /// The drafts have a text that the answer does not have.
    excess: bool,
}

/// Generated turn.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// Numbers of parts that the failed attempts drafted.
    failed: Vec<usize>,
    parts: Vec<Part>,
    extras: Extras,
}

fn part() -> impl Strategy<Value = Part> {
    let fate = prop_oneof![
        Just(Fate::Allowed),
        Just(Fate::Failed),
        Just(Fate::Refused),
        Just(Fate::Approved),
        Just(Fate::Denied),
        Just(Fate::Suspended),
    ];
    prop_oneof![
        "[a-zé\" ]{1,9}".prop_map(Part::Text),
        "[a-zü\n]{1,9}".prop_map(Part::Reasoning),
        fate.prop_map(Part::Call),
    ]
}

pub(crate) fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn =
        (prop::collection::vec(0..4_usize, 0..2), prop::collection::vec(part(), 0..5), any::<[bool; 3]>())
            .prop_map(|(failed, parts, [agent, agent_in_draft, excess])| Turn {
                failed,
                parts,
                extras: Extras { agent, agent_in_draft, excess },
            });
    prop::collection::vec(turn, 0..4)
}

/// Writes the feed of turns, with all deltas. `is_failed` ends the run with an error.
pub(crate) fn write(turns: &[Turn], is_failed: bool) -> Vec<FeedEvent> {
    let mut feed = FeedWriter::default();
    feed.push(json!({ "kind": "run_started", "task": "work" }));
    for (number, turn) in (1_u32..).zip(turns) {
        write_turn(&mut feed, number, turn);
    }
    feed.push(json!({ "kind": "run_diff", "diff": "all" }));
    feed.end(&if is_failed {
        json!({ "state": "failed", "message": "no connection" })
    } else {
        json!({ "state": "completed", "text": "done" })
    });
    feed.events
}

fn write_turn(feed: &mut FeedWriter, number: u32, turn: &Turn) {
    for count in &turn.failed {
        feed.push(json!({ "kind": "turn_started", "turn": number }));
        let parts = turn.parts.get(..*count.min(&turn.parts.len())).unwrap_or_default();
        write_drafts(feed, number, parts, false);
        feed.push(json!({ "kind": "retry", "reason": "cut", "delay_ms": 5 }));
    }
    feed.push(json!({ "kind": "turn_started", "turn": number }));
    write_drafts(feed, number, &turn.parts, turn.extras.agent_in_draft);
    if turn.extras.excess {
        let excess =
            json!({ "kind": "text_delta", "turn": number, "index": 9, "offset": 0, "text": "excess" });
        feed.push(excess);
    }
    for (at, part) in turn.parts.iter().enumerate() {
        let call = call_id(number, at);
        feed.push(match part {
            Part::Text(text) => json!({ "kind": "text", "turn": number, "text": text }),
            Part::Reasoning(text) => json!({ "kind": "reasoning", "turn": number, "text": text }),
            Part::Call(_) => {
                json!({ "kind": "call", "turn": number, "call": call, "tool": "edit", "arguments": { "at": at } })
            }
        });
    }
    let tokens = FeedWriter::tokens();
    feed.push(json!({ "kind": "turn_ended", "turn": number, "usage": tokens, "total": tokens }));
    for (at, part) in turn.parts.iter().enumerate() {
        if let Part::Call(fate) = part {
            write_call(feed, &call_id(number, at), *fate);
        }
    }
    if turn.extras.agent {
        feed.push_agent(json!({ "kind": "text", "turn": 1, "text": format!("helped in {number}") }));
    }
    if number % 2 == 1 {
        feed.push(json!({ "kind": "turn_diff", "turn": number, "diff": "+line" }));
    }
}

fn call_id(turn: u32, at: usize) -> String {
    format!("c-{turn}-{at}")
}

fn write_drafts(feed: &mut FeedWriter, turn: u32, parts: &[Part], has_agent: bool) {
    let (mut texts, mut reasonings) = (0, 0);
    for (at, part) in parts.iter().enumerate() {
        let (name, text, index) = match part {
            Part::Text(text) => ("text", text, &mut texts),
            Part::Reasoning(text) => ("reasoning", text, &mut reasonings),
            Part::Call(_) => {
                write_call_draft(feed, &call_id(turn, at), at);
                continue;
            }
        };
        let mut offset = 0;
        for letter in text.chars() {
            let kind = format!("{name}_delta");
            feed.push(
                json!({ "kind": kind, "turn": turn, "index": *index, "offset": offset, "text": letter }),
            );
            offset += letter.len_utf8();
        }
        if has_agent && at == 1 {
            feed.push_agent(json!({ "kind": "text", "turn": 1, "text": format!("in the draft of {turn}") }));
        }
        feed.push(json!({ "kind": format!("{name}_ended"), "turn": turn, "index": *index }));
        *index += 1;
    }
}

fn write_call_draft(feed: &mut FeedWriter, call: &str, at: usize) {
    feed.push(json!({ "kind": "call_started", "call": call, "tool": "edit" }));
    let mut offset = 0;
    for piece in ["{ \"at\":", &at.to_string(), "}"] {
        feed.push(json!({ "kind": "arguments_delta", "call": call, "offset": offset, "text": piece }));
        offset += piece.len();
    }
    feed.push(json!({ "kind": "arguments_ended", "call": call }));
}

fn write_call(feed: &mut FeedWriter, call: &str, fate: Fate) {
    if let Fate::Refused = fate {
        feed.decide(call, "deny");
        return feed.result(call, "denied");
    }
    if let Fate::Allowed | Fate::Failed = fate {
        feed.decide(call, "allow");
    } else {
        feed.decide(call, "ask");
        feed.ask(call, "edit");
        if let Fate::Suspended = fate {
            feed.push(json!({ "kind": "question_postponed", "question": format!("q-{call}") }));
            feed.end(&json!({ "state": "suspended", "questions": [format!("q-{call}")], "results": [] }));
            feed.push(json!({ "kind": "run_resumed", "generation": 1 }));
        }
        if let Fate::Denied = fate {
            feed.answer(call, "denied");
            return feed.result(call, "denied");
        }
        feed.answer(call, "approved");
    }
    feed.push(json!({ "kind": "call_running", "call": call }));
    feed.push(json!({ "kind": "call_output", "call": call, "text": "working" }));
    feed.result(call, if let Fate::Failed = fate { "error" } else { "ok" });
}

/// Returns the feed without the deltas whose place in `dropped` is true.
pub(crate) fn drop_deltas(events: &[FeedEvent], dropped: &[bool]) -> Vec<FeedEvent> {
    let mut dropped = dropped.iter().cycle();
    events
        .iter()
        .filter(|event| event.kind.is_numbered() || !dropped.next().copied().unwrap_or_default())
        .cloned()
        .collect()
}
