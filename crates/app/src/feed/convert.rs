//! Conversion of protocol values to the parts of events.

use serde::Serialize;
use serde_json::Value;
use windlass_agent::{InterruptId, Outcome, Prices, Wait};
use windlass_command::Command;
use windlass_hitl::{ApprovalDecision, ApprovalOutcome, ApprovalRequest, Decision};
use windlass_protocol::{
    Arguments, Citation, CitationSource, Content, Effect, Message, Part, Payload, ToolCall, ToolResult, Usage,
};

use super::card::{CallCard, CardChange, CardEffect, CardPath, CitedSource, QuestionEnd, RunOutcome, Tokens};
use super::kind::FeedKind;

/// Returns the name of a value that serializes as a string or as an object with a single name.
pub(super) fn name_of(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        Ok(Value::Object(fields)) => fields.into_iter().next().map_or_else(String::new, |(name, _)| name),
        _ => String::new(),
    }
}

/// Returns the text of a task, and the names or kinds of its pictures and files. The content of a text file follows
/// its name in a part of its own, so it is not in the text.
pub(super) fn task(message: &Message) -> (String, Vec<String>) {
    let mut parts = message.parts.iter();
    let words = match parts.clone().next() {
        Some(Part::Text(text)) => {
            parts.next();
            text.text.clone()
        }
        _ => String::new(),
    };
    (words, parts.filter_map(name_file).collect())
}

/// Returns the name or the kind of a picture or a file.
pub(super) fn name_file(part: &Part) -> Option<String> {
    match part {
        Part::Text(text) => {
            let name = text.text.strip_prefix("File `").and_then(|rest| rest.split_once('`'));
            Some(name.map_or_else(|| "text".to_owned(), |(name, _)| name.to_owned()))
        }
        Part::Image(image) => Some(image.media_type.clone()),
        Part::File(file) => Some(file.name.clone().unwrap_or_else(|| file.media_type.clone())),
        _ => None,
    }
}

impl Tokens {
    pub(super) fn from_usage(usage: &Usage, prices: &Prices) -> Self {
        Self::with_cost(usage, prices.cost(usage))
    }

    /// Returns the tokens of a provider's report, with their cost in millionths.
    pub fn with_cost(usage: &Usage, cost: u64) -> Self {
        Self {
            input: usage.input_tokens,
            output: usage.output_tokens,
            cache_read: usage.cache_read_tokens,
            cache_write: usage.cache_write_tokens,
            reasoning: usage.reasoning_tokens,
            cost,
        }
    }

    /// Adds other tokens.
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.cost = self.cost.saturating_add(other.cost);
    }

    /// Returns the tokens that remain after those of `other`.
    pub(super) fn subtract(&self, other: &Self) -> Self {
        Self {
            input: self.input.saturating_sub(other.input),
            output: self.output.saturating_sub(other.output),
            cache_read: self.cache_read.saturating_sub(other.cache_read),
            cache_write: self.cache_write.saturating_sub(other.cache_write),
            reasoning: self.reasoning.saturating_sub(other.reasoning),
            cost: self.cost.saturating_sub(other.cost),
        }
    }

    /// Returns true if a provider reported a number. The protocol uses zero for unreported numbers.
    pub fn are_reported(&self) -> bool {
        self.input > 0 || self.output > 0
    }

    /// Formats the tokens for a person, without the cost: `12 tokens in (8 from the cache), 3 out`. Zero input tokens are
    /// unreported, because a request is never empty.
    pub fn describe(&self) -> String {
        let cached = match (self.cache_read, self.cache_write) {
            (0, 0) => String::new(),
            (read, 0) => format!(" ({read} from the cache)"),
            (read, written) => format!(" ({read} from the cache, {written} written to it)"),
        };
        match (self.input, self.output) {
            (0, 0) => "the provider reported no tokens".to_owned(),
            (0, output) => format!("the provider reported no tokens in, {output} out"),
            (input, output) => format!("{input} tokens in{cached}, {output} out"),
        }
    }
}

/// Returns the arguments of a call as JSON, or its text.
pub(super) fn arguments(call: &ToolCall) -> Value {
    match &call.payload {
        Payload::Custom { input } => Value::String(input.clone()),
        Payload::LocalShell { command, .. } => {
            Value::Array(command.iter().cloned().map(Value::String).collect())
        }
        _ => call.arguments().map_or(Value::Null, Arguments::to_value),
    }
}

pub(super) fn call(turn: u32, call: &ToolCall) -> FeedKind {
    FeedKind::Call {
        turn,
        call: call.id.to_string(),
        tool: call.name.to_string(),
        arguments: arguments(call),
    }
}

/// Returns each source of a text once, in the order of the text.
pub(super) fn sources(citations: &[Citation]) -> Vec<CitedSource> {
    let mut sources: Vec<CitedSource> = Vec::new();
    for citation in citations {
        let source = match &citation.source {
            CitationSource::Url(source) | CitationSource::Document(source) => source.clone(),
            _ => continue,
        };
        let cited = CitedSource { source, title: citation.title.clone() };
        if !sources.contains(&cited) {
            sources.push(cited);
        }
    }
    sources
}

pub(super) fn decision(call: &str, decision: &Decision) -> FeedKind {
    FeedKind::Decision {
        call: call.to_owned(),
        verdict: name_of(&decision.verdict),
        rule: decision.reason.rule_id.clone(),
        source: name_of(&decision.reason.source),
        reason: decision.reason.text.clone(),
        risk: name_of(&decision.risk),
    }
}

pub(super) fn result(result: &ToolResult) -> FeedKind {
    let mut text = String::new();
    let mut images = 0_u32;
    for content in &result.content {
        let piece = match content {
            Content::Text { text } | Content::Resource { text, .. } => text.clone(),
            Content::Structured { value } => value.to_string(),
            _ => {
                images = images.saturating_add(1);
                continue;
            }
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&piece);
    }
    FeedKind::Result {
        call: result.call.to_string(),
        status: result.status.as_str().to_owned(),
        text,
        images,
    }
}

/// Returns the event that closes the question about a call. `asked` is the arguments in the question.
pub(super) fn close_question(outcome: &ApprovalOutcome, asked: Option<&Value>) -> FeedKind {
    let review = match outcome {
        ApprovalOutcome::Answered(decision) => decision.review.as_ref().filter(|review| review.decided),
        _ => None,
    };
    FeedKind::QuestionClosed {
        question: outcome.request_id().to_owned(),
        closing: closing(outcome, asked),
        by: review.map(|review| format!("review by {}", review.model)),
    }
}

fn closing(outcome: &ApprovalOutcome, asked: Option<&Value>) -> QuestionEnd {
    match outcome {
        ApprovalOutcome::Answered(decision) => closing_of_decision(decision, asked),
        ApprovalOutcome::TimedOut { .. } => QuestionEnd::TimedOut,
        _ => QuestionEnd::NoApprover,
    }
}

fn closing_of_decision(decision: &ApprovalDecision, asked: Option<&Value>) -> QuestionEnd {
    let comment = decision.reason.clone();
    if decision.approved {
        let arguments = decision.arguments.as_ref().map(Arguments::to_value);
        let arguments = arguments.filter(|arguments| Some(arguments) != asked);
        QuestionEnd::Approved { remembered: decision.remember || decision.always_allow, arguments, comment }
    } else {
        QuestionEnd::Denied { comment }
    }
}

/// Returns the id of a question about how a run continues.
pub(crate) fn guidance_id(id: InterruptId) -> String {
    format!("guidance-{}-{}", name_of(&id.reason), id.number)
}

pub(super) fn outcome(outcome: &Outcome) -> RunOutcome {
    match outcome {
        Outcome::Completed { text } => RunOutcome::Completed { text: text.clone() },
        Outcome::Stopped { cause } => RunOutcome::Stopped { cause: name_of(cause) },
        Outcome::Suspended { waits } => {
            let (mut questions, mut results) = (Vec::new(), Vec::new());
            for wait in waits {
                match wait {
                    Wait::Approval { request_id, .. } => questions.push(request_id.clone()),
                    Wait::Result { call } => results.push(call.to_string()),
                    Wait::InterruptReply { id, .. } => questions.push(guidance_id(*id)),
                    _ => {}
                }
            }
            RunOutcome::Suspended { questions, results }
        }
        Outcome::Failed { message } => RunOutcome::Failed { message: message.clone() },
        other => RunOutcome::Failed { message: other.to_string() },
    }
}

/// Returns the kind and the target of an effect.
fn effect(effect: &Effect) -> CardEffect {
    let target = match effect {
        Effect::Read { path }
        | Effect::ReadTree { path }
        | Effect::Write { path, .. }
        | Effect::WriteTree { path }
        | Effect::Delete { path }
        | Effect::DeleteTree { path } => path.clone(),
        Effect::Execute { command, .. } => command.clone(),
        Effect::Connect { host, port } => format!("{host}:{port}"),
        Effect::Mcp { server, tool, .. } => format!("{server}/{tool}"),
        Effect::Spawn { agent } => agent.clone(),
        Effect::Custom { kind, target, amount } => {
            let amount = amount.as_ref().map_or_else(String::new, |amount| format!(" ({amount})"));
            format!("{kind} {target}{amount}")
        }
        _ => String::new(),
    };
    let kind = serde_json::to_value(effect).ok();
    let kind = kind.and_then(|value| value.get("effect")?.as_str().map(str::to_owned));
    CardEffect { kind: kind.unwrap_or_default(), target }
}

/// Returns the words of each command of a call, or nothing if a command cannot be divided with certainty.
fn commands(effects: &[Effect]) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for effect in effects {
        if let Effect::Execute { command, .. } = effect {
            let Ok(parsed) = Command::parse(command) else { return Vec::new() };
            commands.extend(parsed.commands().iter().map(|simple| simple.argv().to_vec()));
        }
    }
    commands
}

pub(crate) fn card(request: &ApprovalRequest) -> CallCard {
    let path = |target: &windlass_protocol::Target| CardPath {
        path: target.path.clone(),
        resolved: target.resolved.clone(),
    };
    let change = |change: &windlass_protocol::Change| CardChange {
        path: change.path.clone(),
        diff: change.diff.clone(),
    };
    let containment = request.containment.as_ref();
    CallCard {
        agents: request.agents.clone(),
        call: request.call.id.to_string(),
        tool: request.tool.to_string(),
        arguments: arguments(&request.call),
        rule: request.reason.rule_id.clone(),
        source: name_of(&request.reason.source),
        reason: request.reason.text.clone(),
        risk: name_of(&request.risk),
        effects: request.effects.iter().chain(&request.deletions()).map(effect).collect(),
        commands: commands(&request.effects),
        paths: request.targets.iter().map(path).collect(),
        changes: request.changes.iter().map(change).collect(),
        containment: containment.map(|containment| containment.level.clone()),
        gaps: containment.map(|containment| containment.gaps.clone()).unwrap_or_default(),
        digest: request.digest.to_string(),
        can_remember: request.can_remember,
        scope: request.scope.clone(),
        text: request.describe_whole(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Tokens, Usage};

    #[test]
    fn tokens_without_a_report_are_not_zero() {
        let describe = |input_tokens, output_tokens, cache_read_tokens| {
            let usage = Usage { input_tokens, output_tokens, cache_read_tokens, ..Usage::default() };
            Tokens::with_cost(&usage, 0).describe()
        };
        assert_eq!(describe(12, 3, 0), "12 tokens in, 3 out");
        assert_eq!(describe(12, 0, 0), "12 tokens in, 0 out");
        assert_eq!(describe(0, 0, 0), "the provider reported no tokens");
        assert_eq!(describe(0, 3, 0), "the provider reported no tokens in, 3 out");
        assert_eq!(describe(12, 3, 8), "12 tokens in (8 from the cache), 3 out");
        let written = Tokens { input: 12, output: 3, cache_read: 8, cache_write: 4, ..Tokens::default() };
        assert_eq!(written.describe(), "12 tokens in (8 from the cache, 4 written to it), 3 out");
    }
}
