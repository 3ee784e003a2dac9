//! The questions that the kit asks an approver.

use serde_json::json;
use windlass_hitl::ApprovalRequest;
use windlass_protocol::kit::RuleViolation;

use super::ApproverRule;

/// Returns a question with this id. Its call changes a file, at medium risk.
pub(super) fn question(id: &str) -> Result<ApprovalRequest, RuleViolation<ApproverRule>> {
    let request = json!({
        "request_id": id,
        "tool": "kit_write",
        "call": {
            "id": format!("call_{id}"),
            "name": "kit_write",
            "payload": {"kind": "function", "arguments": r#"{"path":"kit.txt","content":"a line"}"#},
        },
        "effects": [{"effect": "write", "path": "kit.txt", "bytes": 6}],
        "risk": "medium",
        "reason": {"rule_id": "kit", "source": "builtin", "text": "the kit asks"},
        "digest": "4a54d0ad1f9e2a9f6b5d8bb7e3d4b7d5f4a6a1c0c3f2e1d0b9a8f7e6d5c4b3a2",
        "can_remember": false,
    });
    serde_json::from_value(request).map_err(|error| {
        let found = format!("the kit could not make its question: {error}");
        RuleViolation::new(ApproverRule::Decides, found).with_source(error)
    })
}
