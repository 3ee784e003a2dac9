//! The rules of requests.

use windlass_protocol::kit::RuleViolation;
use windlass_protocol::{Message, Part, Request};

use super::{WireRule, catch};
use crate::{EncodedHistory, HttpRequest, Wire};

/// Checks the request of the test.
pub(super) fn check_request(wire: &dyn Wire, request: &Request) -> Result<(), RuleViolation<WireRule>> {
    let first = encode(wire, request)?;
    if encode(wire, request)? != first {
        return Err(RuleViolation::new(WireRule::RepeatsBodies, "`encode` returned two different requests"));
    }
    match catch("check", || wire.check(request))?.first() {
        Some(refusal) => {
            let found = format!("`check` returned a reason to refuse the request: {refusal}");
            Err(RuleViolation::new(WireRule::AcceptsTheRequest, found))
        }
        None => Ok(()),
    }
}

/// Checks the next request of the conversation against the first one.
pub(super) fn check_next_request(wire: &dyn Wire, request: &Request) -> Result<(), RuleViolation<WireRule>> {
    let mut next = request.clone();
    next.messages.push(Message::assistant(vec![Part::text("An answer.")]));
    next.messages.push(Message::user("Another question."));
    let (before, now) = (encode(wire, request)?, encode(wire, &next)?);
    if !before.cache_prefix_digest().begins(&now.body) {
        let common = before.body.iter().zip(&now.body).take_while(|(one, other)| one == other).count();
        let found = format!("of {} bytes only {common} are repeated", before.body.len());
        return Err(RuleViolation::new(WireRule::ExtendsBodies, found));
    }
    let mut history = EncodedHistory::new();
    for (number, (request, expected)) in [(request, &before), (&next, &now)].into_iter().enumerate() {
        let extended = catch("encode_onto", || history.encode(wire, request))?.map_err(|error| {
            RuleViolation::new(WireRule::KeepsHistories, format!("request {number} failed: {error}"))
                .with_source(error)
        })?;
        if extended != *expected {
            let found = format!("request {number} differs from the one that `encode` returns");
            return Err(RuleViolation::new(WireRule::KeepsHistories, found));
        }
    }
    Ok(())
}

fn encode(wire: &dyn Wire, request: &Request) -> Result<HttpRequest, RuleViolation<WireRule>> {
    catch("encode", || wire.encode(request))?.map_err(|error| {
        RuleViolation::new(WireRule::AcceptsTheRequest, format!("`encode` failed: {error}"))
            .with_source(error)
    })
}
