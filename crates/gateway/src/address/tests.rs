//! The number of requests that are encoded for addresses.

use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_stream::Chunk;
use windlass_wire::{DecodeError, Decoder, ProviderError, RequestBody, WireLimits};
use windlass_wire_gemini::Gemini;

use super::*;

/// Counts the requests that it encodes.
#[derive(Default)]
struct Counting {
    wire: Gemini,
    encoded: AtomicUsize,
}

impl Wire for Counting {
    fn name(&self) -> &'static str {
        self.wire.name()
    }

    fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError> {
        self.encoded.fetch_add(1, Ordering::Relaxed);
        self.wire.encode(request)
    }

    fn encode_onto(&self, request: &Request, body: RequestBody<'_>) -> Result<HttpRequest, EncodeError> {
        self.wire.encode_onto(request, body)
    }

    fn decoder(&self, limits: WireLimits) -> Box<dyn Decoder> {
        self.wire.decoder(limits)
    }

    fn decode_whole(
        &self,
        body: &[u8],
        limits: WireLimits,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), DecodeError> {
        self.wire.decode_whole(body, limits, chunks)
    }

    fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError {
        self.wire.decode_error(status, body)
    }
}

#[test]
fn an_address_is_encoded_once_for_a_model_and_a_framing() {
    let (wire, cache) = (Counting::default(), AddressCache::default());
    let find = |model: &str, framing| cache.find(&wire, model, framing).unwrap().path.clone();
    for _ in 0..100 {
        assert!(find("gemini-a", Framing::Whole).ends_with("gemini-a:generateContent"));
        assert!(find("gemini-a", Framing::Events).ends_with("gemini-a:streamGenerateContent"));
        assert!(find("gemini-b", Framing::Whole).ends_with("gemini-b:generateContent"));
    }
    assert_eq!(wire.encoded.load(Ordering::Relaxed), 3);
}

#[test]
fn the_number_of_addresses_is_bounded() {
    let (wire, cache) = (Counting::default(), AddressCache::default());
    for number in 0..1_000 {
        cache.find(&wire, &format!("model-{number}"), Framing::Whole).unwrap();
    }
    assert!(cache.0.lock().unwrap().len() <= MOST_ADDRESSES);
}
