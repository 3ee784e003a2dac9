//! The event of an approval request.

use serde_json::Value;
use windlass_hitl::ApprovalRequest;
use windlass_protocol::Risk;

use crate::Event;

impl Event {
    /// Creates the event of an approval request, with a summary in its own fields.
    pub(crate) fn from_request(request: Box<ApprovalRequest>) -> Self {
        let args = match request.call.arguments() {
            Some(arguments) => serde_json::from_str(arguments.as_str()).unwrap_or_default(),
            None => Value::String(request.call.payload.text()),
        };
        Self::ToolApprovalRequest {
            request_id: request.request_id.clone(),
            tool_name: request.tool.clone(),
            args,
            risk_level: request.risk,
            // An answer about a call of high risk is never learned.
            can_learn: request.can_remember && request.risk <= Risk::Medium,
            request,
        }
    }
}
