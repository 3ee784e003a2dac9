//! The encoding of requests: the wire format, and the quirks of vendor and model.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_protocol::Request;
use windlass_schema::Dialect;
use windlass_wire::{EncodeError, EncodedHistory, HttpRequest, Wire};

use crate::facts::{Fact, Remedy};
use crate::rewrites::Rewrites;
use crate::{Endpoint, Quirk, Vendor, Vendors, edit};

/// Top-level field of the conversation in each wire format.
const CONVERSATIONS: [&str; 3] = ["messages", "input", "contents"];

/// Source of a client's wire format and quirks.
#[derive(Clone)]
pub(crate) enum Speech {
    /// One wire format for all models, configured by the user, with the quirks of the built-in vendor whose
    /// name the endpoint has.
    Wire(Arc<dyn Wire>, Option<Arc<Vendor>>),
    /// Wire format and quirks of the vendor, chosen for each model.
    Vendor(Arc<Vendor>),
}

impl Speech {
    /// Returns the speech for a wire format that the user made. If the endpoint has the name and the wire
    /// format of a built-in vendor, that vendor's quirks apply.
    pub(crate) fn of_wire(endpoint: &Endpoint, wire: Arc<dyn Wire>) -> Self {
        let vendor = Vendors::table().get(&endpoint.name);
        let vendor = vendor.filter(|vendor| vendor.endpoint.wire == wire.name());
        Self::Wire(wire, vendor.map(|vendor| Arc::new(vendor.clone())))
    }

    /// Returns the wire format for a model.
    pub(crate) fn wire(&self, model: &str) -> Option<Arc<dyn Wire>> {
        match self {
            Self::Wire(wire, _) => Some(wire.clone()),
            Self::Vendor(vendor) => vendor.wire(model),
        }
    }

    /// Returns the vendor, from the table or the user's files.
    pub(crate) fn vendor(&self) -> Option<&Vendor> {
        match self {
            Self::Wire(_, vendor) => vendor.as_deref(),
            Self::Vendor(vendor) => Some(vendor),
        }
    }

    /// Returns the JSON Schema dialect for a model.
    pub(crate) fn dialect(&self, model: &str) -> Dialect {
        match self {
            Self::Vendor(vendor) | Self::Wire(_, Some(vendor)) => {
                Dialect::from_name(vendor.schema(model)).unwrap_or(Dialect::OpenAi)
            }
            Self::Wire(wire, None) => match wire.name() {
                "anthropic" => Dialect::Anthropic,
                "gemini" => Dialect::GeminiJsonSchema,
                _ => Dialect::OpenAi,
            },
        }
    }

    /// Encodes a request that [`Self::said`] has rewritten, without the fields that are known to be refused.
    /// Reuses the part of the conversation that `memory` has already encoded.
    pub(crate) fn encode(
        &self,
        wire: &dyn Wire,
        said: &Request,
        refused: &[Fact],
        memory: &mut EncodedHistory,
    ) -> Result<HttpRequest, EncodeError> {
        let mut edits = self.vendor().map(|vendor| vendor.edits(&said.model)).unwrap_or_default();
        if let Self::Wire(_, Some(vendor)) = self {
            edits.extend(vendor.quirks(&said.model).into_iter().filter_map(Quirk::edit_of_option));
        }
        edits.extend(refused.iter().filter_map(Fact::edit));
        // An edit of the conversation itself needs the complete body, so the cache cannot be used.
        if edits.iter().any(|edit| edit.is_in(&CONVERSATIONS)) {
            let mut http = wire.encode(said)?;
            http.body = edit::apply(http.body.into(), &edits).into();
            return Ok(http);
        }
        memory.encode_edited(wire, said, &|body| edit::apply(body, &edits))
    }

    /// Rewrites a request for the quirks of this vendor and model.
    pub(crate) fn said<'a>(
        &self,
        wire: &dyn Wire,
        request: &'a Request,
        refused: &[Fact],
        rewrites: &Rewrites,
    ) -> Cow<'a, Request> {
        let quirks = self.quirks(wire, &request.model, refused);
        let mut said = quirks.iter().fold(Cow::Borrowed(request), |said, quirk| quirk.rewrite(said));
        if let Some(messages) = rewrites.messages(&request.messages, &quirks) {
            said.to_mut().messages = messages;
        }
        said
    }

    fn quirks(&self, wire: &dyn Wire, model: &str, refused: &[Fact]) -> BTreeSet<Quirk> {
        let mut quirks = self.vendor().map(|vendor| vendor.quirks(model)).unwrap_or_default();
        quirks.extend(refused.iter().filter_map(|fact| match fact.remedy {
            Some(Remedy::Quirk(quirk)) => Some(quirk),
            _ => None,
        }));
        if !wire.takes_free_text() {
            quirks.insert(Quirk::NoFreeTextTools);
        }
        quirks
    }
}
