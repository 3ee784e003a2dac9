//! Encoders of a wire format and of a vendor.

use std::sync::Arc;

use windlass_wire::Wire;

use super::RequestEncoder;
use crate::endpoint::Endpoint;
use crate::vendor::Vendor;
use crate::vendors::Vendors;

impl RequestEncoder {
    /// Returns this encoder with a memory of its own for rewritten conversations, which is empty and ends with it.
    pub fn with_own_memory(mut self) -> Self {
        self.rewrites = Arc::default();
        self
    }

    /// Returns the encoder for a wire format that the user made. If the endpoint has the name and the wire
    /// format of a built-in vendor, that vendor's quirks apply.
    pub fn for_wire(endpoint: &Endpoint, wire: Arc<dyn Wire>) -> Self {
        let vendor = Vendors::table().get(&endpoint.name);
        let vendor = vendor.filter(|vendor| {
            let Endpoint { wire: own, wire_elsewhere, .. } = &vendor.endpoint;
            [Some(own), wire_elsewhere.as_ref()].into_iter().flatten().any(|name| name == wire.name())
        });
        let vendor = vendor.cloned().map(|mut vendor| {
            vendor.endpoint.price_list.clone_from(&endpoint.price_list);
            Arc::new(vendor)
        });
        Self { wire, vendor, rewrites: Arc::default() }
    }

    /// Returns the encoder for a vendor, or `None` if its wire format is not known.
    pub fn for_vendor(vendor: Vendor) -> Option<Self> {
        Some(Self { wire: vendor.wire()?, vendor: Some(Arc::new(vendor)), rewrites: Arc::default() })
    }
}
