//! Compaction of a conversation by the provider: `POST /v1/responses/compact`.
//!
//! Its result is encrypted by the provider, so only an upstream of the same API can make one and read it.

mod forward;

use windlass_wire::{Framing, Outline, RequestError, Server};

use crate::ClientRequest;

/// Returns true for a request for a compaction, by its path.
pub(crate) fn is_compaction(request: &ClientRequest) -> bool {
    request.route().trim_end_matches('/').ends_with("/responses/compact")
}

/// Returns the model of a request for a compaction. Its answer is never streamed.
///
/// # Errors
/// The body is not an object with one model.
pub(crate) fn outline(server: &dyn Server, request: &ClientRequest) -> Result<Outline, RequestError> {
    let outline = server.outline(server.request_path(), &request.body)?;
    Ok(Outline::new(outline.model, Framing::Whole))
}
