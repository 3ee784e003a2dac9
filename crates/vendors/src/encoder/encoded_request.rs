//! A request in the bytes of a wire format.

use std::collections::BTreeSet;

use windlass_wire::HttpRequest;

/// Fields that the wire formats and the encoder add without an option of the caller.
const OWN_FIELDS: [&str; 3] = ["stream_options", "store", "prompt_cache_key"];

/// An encoded request, and the options that it lacks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EncodedRequest {
    /// The request without address and key.
    pub http: HttpRequest,
    /// The paths of the fields that options of the request set and that are not sent, because the vendor or the model is
    /// known to refuse them: `temperature`, `generationConfig.topP`.
    pub losses: BTreeSet<String>,
}

impl EncodedRequest {
    pub(super) fn new(http: HttpRequest, mut dropped: BTreeSet<String>) -> Self {
        dropped.retain(|field| !OWN_FIELDS.contains(&field.as_str()));
        Self { http, losses: dropped }
    }
}
