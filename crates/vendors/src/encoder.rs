//! The encoding of requests: the wire format, and the quirks of vendor and model.

mod cache_key;
mod debug;
mod encoded_request;
mod from_endpoint;
mod model_facts;
mod quirks;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_protocol::Request;
use windlass_wire::{EncodeError, EncodedHistory, Wire};

pub use self::encoded_request::EncodedRequest;

use crate::edit::{self, Edit};
use crate::rejection::ParameterRejection;
use crate::rewrites::Rewrites;
use crate::vendor::Vendor;

/// Encodes requests in a wire format, with the differences of the vendor and of each model.
///
/// Clones share the conversations that were rewritten for a quirk, so that a turn rewrites only its new
/// messages.
///
/// ```
/// use windlass_protocol::{Message, Request};
/// use windlass_vendors::{RequestEncoder, Vendors};
/// use windlass_wire::EncodedHistory;
///
/// let vendors = Vendors::builtin();
/// let openai = vendors.get("openai-chat").ok_or("not found")?;
/// let encoder = RequestEncoder::for_vendor(openai.clone()).ok_or("an unknown wire format")?;
/// let request = Request::new("gpt-5-mini", vec![Message::user("hi")]).with_max_output_tokens(9);
/// let encoded = encoder.encode(&encoder.prepare(&request, &[]), &[], &mut EncodedHistory::new())?;
/// assert!(encoded.http.body.starts_with(br#"{"model":"gpt-5-mini","max_completion_tokens":9"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RequestEncoder {
    wire: Arc<dyn Wire>,
    vendor: Option<Arc<Vendor>>,
    rewrites: Arc<Rewrites>,
}

impl RequestEncoder {
    /// Returns the wire format.
    pub fn wire(&self) -> &Arc<dyn Wire> {
        &self.wire
    }

    /// Rewrites a request for the quirks of this vendor and model, and for the learned rejections.
    pub fn prepare<'a>(&self, request: &'a Request, rejections: &[ParameterRejection]) -> Cow<'a, Request> {
        let quirks = self.quirks(request, rejections);
        let mut prepared = quirks.iter().fold(Cow::Borrowed(request), |held, quirk| quirk.rewrite(held));
        if let Some(messages) = self.rewrites.messages(self.wire.name(), &request.messages, &quirks) {
            prepared.to_mut().messages = messages;
        }
        prepared
    }

    /// Encodes a request that [`Self::prepare`] has rewritten, without the fields that are known to be
    /// refused; the result names them. Reuses the part of the conversation that `memory` has already encoded.
    ///
    /// # Errors
    /// If the wire format cannot express the request.
    pub fn encode(
        &self,
        prepared: &Request,
        rejections: &[ParameterRejection],
        memory: &mut EncodedHistory,
    ) -> Result<EncodedRequest, EncodeError> {
        let mut edits = self.vendor.as_ref().map(|vendor| vendor.edits(&prepared.model)).unwrap_or_default();
        edits.extend(cache_key::edit(self.vendor.as_deref(), prepared));
        edits.extend(rejections.iter().filter_map(ParameterRejection::edit));
        // An edit of the conversation itself needs the complete body, so the memory cannot be used.
        if edits.iter().any(|edit: &Edit| edit.is_in(self.wire.conversation_field())) {
            let (mut http, mut dropped) = (self.wire.encode(prepared)?, BTreeSet::new());
            http.body = edit::apply(http.body.into(), &edits, &mut dropped).into();
            return Ok(EncodedRequest::new(http, dropped));
        }
        let dropped = RefCell::new(BTreeSet::new());
        let edit = |body| edit::apply(body, &edits, &mut dropped.borrow_mut());
        let http = memory.encode_edited(self.wire.as_ref(), prepared, &edit)?;
        Ok(EncodedRequest::new(http, dropped.into_inner()))
    }
}
