//! The fallback from `server/discover` to `initialize`: declines the request in the server's place.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage,
};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::http_error::HttpError;
use super::ledger::Ledger;

/// Returns the id of a `server/discover` request.
pub(crate) fn discovery_id(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::DiscoverRequest(_)) =>
        {
            Some(&request.id)
        }
        _ => None,
    }
}

/// Returns the error with which a server that does not know `server/discover` answers it. The engine then
/// sends `initialize`. A later answer of the server counts as unasked.
pub(crate) fn decline(ledger: &Ledger, id: &RequestId) -> Option<ServerJsonRpcMessage> {
    let error =
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "the server did not answer server/discover", None);
    ledger.forget(id).then(|| ServerJsonRpcMessage::error(error, Some(id.clone())))
}

/// Declines the request if it is still open after this time.
pub(crate) fn decline_after(
    after: Duration,
    ledger: Arc<Ledger>,
    id: RequestId,
    to_engine: mpsc::WeakSender<ServerJsonRpcMessage>,
) {
    tokio::spawn(async move {
        tokio::select! {
            () = sleep(after) => {}
            () = ledger.end_token().cancelled() => return,
        }
        if let Some(engine) = to_engine.upgrade()
            && let Some(declined) = decline(&ledger, &id)
        {
            // The engine may have ended.
            let _ = engine.send(declined).await;
        }
    });
}

/// Returns whether an HTTP server with this error may know `initialize` only. Servers without
/// `server/discover` answer with various statuses.
pub(crate) fn is_refusal(error: &HttpError) -> bool {
    match error {
        HttpError::Status { status, .. } => {
            matches!(status, 400..=501) && !matches!(status, 401 | 403 | 408 | 429)
        }
        HttpError::NoMessage => true,
        _ => false,
    }
}
