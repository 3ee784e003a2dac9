//! Properties of the pending approval requests, `windlass_hitl::Approvals`.

use std::collections::{BTreeMap, BTreeSet};

use windlass_hitl::{
    AnswerError, ApprovalDecision, ApprovalHistory, ApprovalOutcome, ApprovalRequest, Approvals, Binding,
    Grants, Policy, PolicyInput, decide,
};
use windlass_protocol::{Arguments, CallId, Effect, Hints, ToolCall, ToolName, ToolSpec};

/// Timeout of a question, in milliseconds.
const TIMEOUT_MS: u64 = 20;

/// Interprets the bytes as operations (ask, answer, advance time, withdraw) and compares each result with a
/// simple model: an answer counts for the question with its id, once, after it was asked and before it ended.
/// All questions concern calls with the same id, because models choose call ids.
///
/// # Panics
/// A property is violated.
pub fn approvals(bytes: &[u8]) {
    let mut approvals = Approvals::new(TIMEOUT_MS);
    let mut waiting: BTreeMap<String, u64> = BTreeMap::new();
    let mut ended: BTreeSet<String> = BTreeSet::new();
    let mut now_ms = 0_u64;
    for step in bytes {
        let id = format!("question-{}", step & 7);
        match step >> 3 {
            0..=7 => {
                let is_new = !waiting.contains_key(&id) && !ended.contains(&id);
                assert_eq!(approvals.ask(request(&id), now_ms).is_ok(), is_new, "an id is used once");
                if is_new {
                    waiting.insert(id, now_ms.saturating_add(TIMEOUT_MS));
                }
            }
            kind @ 8..=19 => answer(&mut approvals, &mut waiting, &mut ended, &outcome(&id, kind)),
            20..=27 => {
                now_ms = now_ms.saturating_add(u64::from(step & 7));
                let overdue: BTreeSet<String> =
                    approvals.overdue(now_ms).iter().map(|end| end.request_id().to_owned()).collect();
                let expected: BTreeSet<String> = waiting
                    .iter()
                    .filter(|(_, deadline)| **deadline <= now_ms)
                    .map(|(id, _)| id.clone())
                    .collect();
                assert_eq!(overdue, expected, "other questions are overdue");
            }
            28..=30 => answer(&mut approvals, &mut waiting, &mut ended, &outcome("call_0_0", step >> 3)),
            _ => {
                let cleared: BTreeSet<String> =
                    approvals.clear().into_iter().map(|request| request.request_id).collect();
                let expected: BTreeSet<String> = std::mem::take(&mut waiting).into_keys().collect();
                assert_eq!(cleared, expected, "other questions were taken back");
                ended.extend(expected);
            }
        }
        let open: Vec<&str> = approvals.waiting().map(|request| request.request_id.as_str()).collect();
        assert!(open.iter().copied().eq(waiting.keys().map(String::as_str)), "other questions wait");
        assert_eq!(approvals.next_deadline(), waiting.values().min().copied(), "another deadline");
    }
}

/// Ends a question, in the implementation and in the model.
fn answer(
    approvals: &mut Approvals,
    waiting: &mut BTreeMap<String, u64>,
    ended: &mut BTreeSet<String>,
    outcome: &ApprovalOutcome,
) {
    let id = outcome.request_id();
    match approvals.end(outcome) {
        Ok(request) => {
            assert_eq!(request.request_id, id, "the answer counts for another question");
            assert!(waiting.remove(id).is_some(), "an answer counts without a question, or twice");
            ended.insert(id.to_owned());
        }
        Err(AnswerError::Late { .. }) => assert!(ended.contains(id), "late without an end"),
        Err(_) => {
            let is_known = waiting.contains_key(id) || ended.contains(id);
            assert!(!is_known, "an answer to an open question is lost");
        }
    }
}

fn outcome(id: &str, kind: u8) -> ApprovalOutcome {
    match kind % 4 {
        0 => ApprovalOutcome::Answered(ApprovalDecision::approve(id)),
        1 => ApprovalOutcome::Answered(ApprovalDecision::deny(id, None)),
        2 => ApprovalOutcome::TimedOut { request_id: id.to_owned() },
        _ => ApprovalOutcome::NoApprover { request_id: id.to_owned() },
    }
}

fn request(id: &str) -> ApprovalRequest {
    let name = ToolName::new("tool").expect("it is a name");
    let call_id = CallId::new("call_0_0").expect("it is an id");
    let call = ToolCall::function(call_id, name.clone(), Arguments::default());
    let spec = ToolSpec::function(name.clone(), "", windlass_protocol::RawJson::default());
    let effects = vec![Effect::Write { path: "a".into(), bytes: None }];
    let facts = PolicyInput::new(name, Hints::default(), &call, effects);
    let digest = Binding { facts: &facts, call: &call, spec: &spec, root: "/", epoch: "" }.digest();
    let decision = decide(&Policy::default(), &Grants::default(), &ApprovalHistory::default(), &facts);
    ApprovalRequest::new(id, call, &facts, &decision, digest)
}
