//! How a request is said to a server: its wire format, and the quirks of vendor and model.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_protocol::Request;
use windlass_schema::Dialect;
use windlass_wire::{EncodeError, EncodedHistory, HttpRequest, Wire};

use crate::facts::{Fact, Remedy};
use crate::rewrites::Rewrites;
use crate::{Endpoint, Quirk, Vendor, Vendors, edit};

/// The fields of the conversation, in all formats.
const CONVERSATIONS: [&str; 3] = ["messages", "input", "contents"];

/// How a client speaks.
#[derive(Clone)]
pub(crate) enum Speech {
    /// One format for all models, as the user set it up, with the quirks of the vendor if the endpoint is its.
    Wire(Arc<dyn Wire>, Option<Arc<Vendor>>),
    /// As the vendor's row says for each model.
    Vendor(Arc<Vendor>),
}

impl Speech {
    /// Returns how to speak to an endpoint in the user's wire format. The endpoint of a vendor of the table has that
    /// vendor's quirks, whoever made the wire.
    pub(crate) fn of_wire(endpoint: &Endpoint, wire: Arc<dyn Wire>) -> Self {
        let vendor = Vendors::table().get(&endpoint.name);
        let vendor = vendor.filter(|vendor| vendor.endpoint.wire == wire.name());
        Self::Wire(wire, vendor.map(|vendor| Arc::new(vendor.clone())))
    }

    /// The wire format for a model.
    pub(crate) fn wire(&self, model: &str) -> Option<Arc<dyn Wire>> {
        match self {
            Self::Wire(wire, _) => Some(wire.clone()),
            Self::Vendor(vendor) => vendor.wire(model),
        }
    }

    /// The vendor of the table, or of the user's files.
    pub(crate) fn vendor(&self) -> Option<&Vendor> {
        match self {
            Self::Wire(_, vendor) => vendor.as_deref(),
            Self::Vendor(vendor) => Some(vendor),
        }
    }

    /// The dialect of JSON Schema for a model.
    pub(crate) fn dialect(&self, model: &str) -> Dialect {
        match self {
            Self::Vendor(vendor) | Self::Wire(_, Some(vendor)) => {
                Dialect::by_name(vendor.schema(model)).unwrap_or(Dialect::OpenAi)
            }
            Self::Wire(wire, None) => match wire.name() {
                "anthropic" => Dialect::Anthropic,
                "gemini" => Dialect::GeminiJsonSchema,
                _ => Dialect::OpenAi,
            },
        }
    }

    /// What was said, in the format's own words and without the fields that are known to be refused. What the memory
    /// has of the conversation is not encoded again.
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
        // A change of the conversation itself cannot be made before it is there.
        if edits.iter().any(|edit| edit.is_in(&CONVERSATIONS)) {
            let mut http = wire.encode(said)?;
            http.body = edit::apply(http.body.into(), &edits).into();
            return Ok(http);
        }
        memory.encode_edited(wire, said, &|body| edit::apply(body, &edits))
    }

    /// The request as it may be said to this vendor and model.
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
