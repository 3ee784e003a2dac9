//! Wire formats by the names of the command line.

use std::sync::Arc;

use windlass_app::WireFormat;
use windlass_wire::{Server, Wire};

use crate::arguments::WireName;

impl WireName {
    /// Returns the wire format.
    pub(crate) fn format(self) -> WireFormat {
        match self {
            Self::OpenaiChat => WireFormat::OpenaiChat,
            Self::OpenaiResponses => WireFormat::OpenaiResponses,
            Self::Anthropic => WireFormat::Anthropic,
            Self::Gemini => WireFormat::Gemini,
        }
    }

    /// Returns the server side of the wire format.
    pub(crate) fn server(self) -> Arc<dyn Server> {
        self.format().server()
    }

    /// Returns the client side of the wire format.
    pub(crate) fn wire(self) -> Arc<dyn Wire> {
        self.format().wire()
    }

    /// Returns the name that endpoints use for the wire format.
    pub(crate) fn as_str(self) -> &'static str {
        self.format().as_str()
    }
}
