//! The conversations that an encoder holds after a request.

use std::sync::Arc;

use windlass_protocol::{Message, Request};
use windlass_vendors::{RequestEncoder, Vendors};

#[test]
fn a_dropped_encoder_with_its_own_cache_frees_the_conversation() {
    let vendor = Vendors::builtin().get("anthropic").unwrap().clone();
    let encoder = RequestEncoder::for_vendor(vendor).unwrap();
    let request = Request::new("claude-opus-4-8", vec![Message::user("hi")]);
    let holders = || Arc::strong_count(request.messages.get_shared(0).unwrap());
    drop(encoder.clone().with_own_memory().prepare(&request, &[]));
    assert_eq!(holders(), 1);
    // The encoder rewrites conversations for a format without free-text tools, and holds them for the next turn.
    drop(encoder.prepare(&request, &[]));
    assert!(holders() > 1);
}
