//! Whole values of a run without secrets: events, results, decisions and conversations.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use windlass_hitl::ApprovalOutcome;
use windlass_loop::{CallDecision, Event, SpeculativeOutcome, Transcript};
use windlass_protocol::{Citation, Message, Part, ResultStatus, ToolCall, ToolResult};
use windlass_redact::Redactor;

/// The text that replaces a result if the redacted result cannot be parsed.
pub(super) const WITHHELD: &str =
    "the result is withheld: it contains a secret in a place that cannot be redacted";

/// Returns whether the arguments of a call contain a secret in any JSON encoding, or the redaction mark. A
/// model that copies redacted text writes the mark in place of the secret, and a resumed call would run with
/// the mark from the record.
pub(crate) fn has_secret(redactor: &Redactor, call: &ToolCall) -> bool {
    if redactor.is_empty() {
        return false;
    }
    let text = call.payload.text();
    text.contains(Redactor::MARK) || redactor.contains_secret_in_json(&text)
}

/// Returns an event without secrets. An event is never dropped: observers count on the end of each call and each
/// agent. If secrets cannot be removed from an event, [`Event::Withheld`] replaces it.
pub(super) fn redact_event(redactor: &Redactor, event: Event) -> Event {
    // The event of an agent has a form of its own, which must stay readable too.
    let (event, inner) = match event {
        Event::AgentEvent { call, agents, happened } => (
            Event::AgentEvent { call, agents, happened: Value::Null },
            Some(redact_inner(redactor, happened)),
        ),
        other => (other, None),
    };
    let clean = match redactor.redact_typed(&event) {
        Ok(None) => event,
        Ok(Some(clean)) => clean,
        Err(_) => return Event::Withheld { name: event.name().to_owned() },
    };
    match (clean, inner) {
        (Event::AgentEvent { call, agents, .. }, Some(happened)) => {
            Event::AgentEvent { call, agents, happened }
        }
        (clean, _) => clean,
    }
}

/// Returns the event of an agent without secrets. JSON that is not an event of this version is redacted without
/// regard to its form.
fn redact_inner(redactor: &Redactor, mut happened: Value) -> Value {
    if let Cow::Borrowed(_) = redactor.redact_json(&happened.to_string()) {
        return happened;
    }
    if let Ok(event) = serde_json::from_value::<Event>(happened.clone())
        && let Ok(clean) = serde_json::to_value(redact_event(redactor, event))
    {
        return clean;
    }
    redactor.redact_value(&mut happened);
    happened
}

/// Returns the result without secrets, for the record, the events and the model.
pub(crate) fn result_without(redactor: &Redactor, result: ToolResult) -> ToolResult {
    let call = result.call.clone();
    redact_value(redactor, result)
        .filter(|clean| clean.call == call)
        .unwrap_or_else(|| ToolResult::text(call, ResultStatus::Error, WITHHELD))
}

/// Returns an imported conversation without secrets. Its calls do not run again, so their arguments are
/// redacted too. A message that cannot be parsed after redaction is removed, and the import repairs the gaps.
pub(crate) fn history_without(redactor: &Redactor, history: Transcript) -> Transcript {
    if redactor.is_empty() {
        return history;
    }
    let messages = history.messages().iter().cloned();
    Transcript::import(messages.filter_map(|message| redact_value(redactor, message))).transcript
}

/// Removes the secrets from the texts of a message of the user.
pub(crate) fn message_without(redactor: &Redactor, mut message: Message) -> Message {
    for part in &mut message.parts {
        if let Part::Text(text) = part {
            text.text = clean(redactor, std::mem::take(&mut text.text));
        }
    }
    message
}

/// Redacts the outcome of a call that ran while its answer streamed.
pub(super) fn redact_speculative(redactor: &Redactor, outcome: SpeculativeOutcome) -> SpeculativeOutcome {
    match outcome {
        SpeculativeOutcome::NotBegun => SpeculativeOutcome::NotBegun,
        SpeculativeOutcome::Decided(decision) => {
            SpeculativeOutcome::Decided(redact_decision(redactor, decision))
        }
        SpeculativeOutcome::Ran { facts, mut decision, result } => {
            decision.reason.text = clean(redactor, decision.reason.text);
            SpeculativeOutcome::Ran { facts, decision, result: result_without(redactor, result) }
        }
        SpeculativeOutcome::Fatal { facts, mut decision, message } => {
            decision.reason.text = clean(redactor, decision.reason.text);
            SpeculativeOutcome::Fatal { facts, decision, message: clean(redactor, message) }
        }
    }
}

pub(super) fn redact_decision(redactor: &Redactor, decision: CallDecision) -> CallDecision {
    match decision {
        CallDecision::Refused(result) => CallDecision::Refused(result_without(redactor, result)),
        CallDecision::Decided { facts, mut decision, request } => {
            decision.reason.text = clean(redactor, decision.reason.text);
            // The machine finds the request and the call by their ids. If redaction changes an id, the
            // request is removed, and the call does not run.
            let request = request.and_then(|request| {
                let (id, call) = (request.request_id.clone(), request.call.id.clone());
                let clean = redact_value(redactor, request)?;
                (clean.request_id == id && clean.call.id == call).then_some(clean)
            });
            CallDecision::Decided { facts, decision, request }
        }
    }
}

/// Redacts the human's comment. The id is made by the engine, which finds the request by it. Changed arguments
/// stay, like those of the model: the call runs with them, and they are redacted where they are shown or recorded.
pub(super) fn redact_outcome(redactor: &Redactor, outcome: ApprovalOutcome) -> ApprovalOutcome {
    match outcome {
        ApprovalOutcome::Answered(mut decision) => {
            decision.reason = decision.reason.map(|reason| clean(redactor, reason));
            if let Some(review) = &mut decision.review {
                review.reason = clean(redactor, std::mem::take(&mut review.reason));
            }
            ApprovalOutcome::Answered(decision)
        }
        other => other,
    }
}

/// Redacts a value and keeps its type. Returns `None` if the value contains secrets that cannot be removed.
fn redact_value<T: Serialize + DeserializeOwned>(redactor: &Redactor, value: T) -> Option<T> {
    match redactor.redact_typed(&value) {
        Ok(None) => Some(value),
        Ok(clean) => clean,
        Err(_) => None,
    }
}

/// Removes the secrets from the texts of a citation.
pub(super) fn citation_without(redactor: &Redactor, citation: Citation) -> Citation {
    let Citation { title, quote, .. } = citation.clone();
    let text = |text: Option<String>| text.map(|text| clean(redactor, text));
    citation.with_title(text(title)).with_quote(text(quote))
}

pub(super) fn clean(redactor: &Redactor, text: String) -> String {
    match redactor.redact(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => clean,
    }
}
