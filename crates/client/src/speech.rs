//! How a request is said to a server: its wire format, and the quirks of vendor and model.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_protocol::Request;
use windlass_schema::Dialect;
use windlass_wire::{EncodeError, EncodedHistory, HttpRequest, Wire};

use crate::facts::{Fact, Remedy};
use crate::{Vendor, edit};

/// The fields of the conversation, in all formats.
const CONVERSATIONS: [&str; 3] = ["messages", "input", "contents"];

/// How a client speaks.
#[derive(Clone)]
pub(crate) enum Speech {
    /// One format for all models, as the user set it up.
    Wire(Arc<dyn Wire>),
    /// As the vendor's row says for each model.
    Vendor(Arc<Vendor>),
}

impl Speech {
    /// The wire format for a model.
    pub(crate) fn wire(&self, model: &str) -> Option<Arc<dyn Wire>> {
        match self {
            Self::Wire(wire) => Some(wire.clone()),
            Self::Vendor(vendor) => vendor.wire(model),
        }
    }

    /// The dialect of JSON Schema for a model.
    pub(crate) fn dialect(&self, model: &str) -> Dialect {
        match self {
            Self::Vendor(vendor) => Dialect::by_name(vendor.schema(model)).unwrap_or(Dialect::OpenAi),
            Self::Wire(wire) => match wire.name() {
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
        let mut edits = match self {
            Self::Vendor(vendor) => vendor.edits(&said.model),
            Self::Wire(_) => Vec::new(),
        };
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
    pub(crate) fn said<'a>(&self, request: &'a Request, refused: &[Fact]) -> Cow<'a, Request> {
        let mut quirks = match self {
            Self::Vendor(vendor) => vendor.quirks(&request.model),
            Self::Wire(_) => BTreeSet::new(),
        };
        quirks.extend(refused.iter().filter_map(|fact| match fact.remedy {
            Some(Remedy::Quirk(quirk)) => Some(quirk),
            _ => None,
        }));
        quirks.iter().fold(Cow::Borrowed(request), |said, quirk| quirk.rewrite(said))
    }
}
