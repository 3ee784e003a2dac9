//! How a request is said to a server: its wire format, and the quirks of vendor and model.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_protocol::Request;
use windlass_wire::{EncodeError, HttpRequest, Wire};

use crate::facts::{Fact, Remedy};
use crate::{Vendor, edit};

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

    /// The request in the format's own words, without what is known to be refused.
    pub(crate) fn encode(
        &self,
        wire: &dyn Wire,
        request: &Request,
        refused: &[Fact],
    ) -> Result<HttpRequest, EncodeError> {
        let mut quirks = BTreeSet::new();
        let mut edits = Vec::new();
        if let Self::Vendor(vendor) = self {
            quirks = vendor.quirks(&request.model);
            edits = vendor.edits(&request.model);
        }
        for fact in refused {
            if let Some(Remedy::Quirk(quirk)) = fact.remedy {
                quirks.insert(quirk);
            }
            edits.extend(fact.edit());
        }
        let said = quirks.iter().fold(Cow::Borrowed(request), |said, quirk| quirk.rewrite(said));
        let mut http = wire.encode(&said)?;
        http.body = edit::apply(http.body, &edits);
        Ok(http)
    }
}
