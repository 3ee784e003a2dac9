//! Properties of the server side of formats, which decodes clients' requests.

use windlass_vendors::WireFormat;
use windlass_wire::{RequestError, Server, Wire};

/// Decodes any bytes as a client's request in every format. The request is decoded or refused with a message,
/// and a decoded request is encoded or refused with a message. Encoding in the same format decodes to the
/// same request, and every other format encodes or refuses it. The linter never fails, and reports a problem
/// wherever encoding fails.
///
/// # Panics
/// The property is violated.
pub fn wire_request(bytes: &[u8]) {
    for format in WireFormat::all() {
        let server = format.server.as_ref();
        check(server.request_path(), server, format.faithful.as_ref(), bytes);
    }
}

fn check(path: &str, server: &dyn Server, wire: &dyn Wire, bytes: &[u8]) {
    let asked = match server.decode_request(path, bytes) {
        Ok(asked) => asked,
        Err(RequestError::Shape { place, what }) => {
            assert!(!what.is_empty(), "a reason at {place}");
            return;
        }
        Err(error) => {
            assert!(!matches!(error, RequestError::Path { .. }), "the path is the format's own");
            return;
        }
    };
    let refusals = wire.check(&asked.request);
    for other in WireFormat::all() {
        let other = other.wire.as_ref();
        let refused = other.encode(&asked.request).is_err();
        assert!(!refused || !other.check(&asked.request).is_empty(), "{} says why", other.name());
    }
    let Ok(http) = wire.encode(&asked.request) else {
        assert!(!refusals.is_empty(), "{} refuses to write what its linter takes", wire.name());
        return;
    };
    let again = server.decode_request(path, &http.body).expect("the written body is a request of the format");
    let written = wire.encode(&again.request).expect("a body has the same bytes when it is written again");
    assert_eq!(
        String::from_utf8_lossy(&written.body),
        String::from_utf8_lossy(&http.body),
        "{} writes the same again",
        wire.name()
    );
}
