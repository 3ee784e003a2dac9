//! The property of decoders, for each wire format.

use windlass_vendors::WireFormat;

use super::wire;

/// Checks [`wire`] for the wire format with this name.
///
/// # Panics
/// The property is violated, or no format has this name.
pub fn wire_format(name: &str, bytes: &[u8]) {
    let format = WireFormat::find(name).expect("a wire format has this name");
    wire(format.wire.as_ref(), bytes);
}
