//! The quirks that apply to a request.

use std::collections::BTreeSet;

use windlass_protocol::Request;

use super::{RequestEncoder, cache_key};
use crate::quirk::Quirk;
use crate::rejection::{ParameterRejection, Remedy};

impl RequestEncoder {
    /// Returns the quirks of the vendor's model, those learned from rejections, and those that the wire format needs.
    pub(super) fn quirks(&self, request: &Request, rejections: &[ParameterRejection]) -> BTreeSet<Quirk> {
        let vendor = self.vendor.as_deref();
        let mut quirks = vendor.map(|vendor| vendor.quirks(&request.model)).unwrap_or_default();
        quirks.extend(rejections.iter().filter_map(|rejection| match rejection.remedy {
            Some(Remedy::Quirk(quirk)) => Some(quirk),
            _ => None,
        }));
        if !self.wire.takes_free_text() {
            quirks.insert(Quirk::NoFreeTextTools);
        }
        if quirks.contains(&Quirk::NoPromptCache) || !cache_key::is_sent(vendor, request) {
            quirks.remove(&Quirk::CacheBreakpoint);
        }
        quirks
    }
}
