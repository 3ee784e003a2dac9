//! The text of an encoder in the output of a debugger: its names, without the conversations that it keeps.

use crate::RequestEncoder;

impl std::fmt::Debug for RequestEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestEncoder")
            .field("wire", &self.wire.name())
            .field("vendor", &self.vendor.as_ref().map(|vendor| &vendor.endpoint.name))
            .finish_non_exhaustive()
    }
}
