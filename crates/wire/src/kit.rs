//! Conformance of wire formats. A client's side that passes can be used with the client, a server's side in a gateway.

mod decoding;
mod encoding;
mod examples;
mod rule;
mod server;

use windlass_protocol::kit::RuleViolation;

use crate::Wire;

pub use examples::WireExamples;
pub use rule::WireRule;
pub use server::{ServerRule, check_client_body, check_server};

/// Checks a wire format with examples of a request and an answer.
///
/// The kit encodes the request and the next request of the same conversation. It decodes the streamed answer whole, in
/// two pieces at up to 400 places, byte by byte, cut and damaged at these places, and beyond limits; then bodies that are not
/// the provider's, and error responses. It performs no I/O.
///
/// ```
/// # use windlass_protocol::{Request, StopReason};
/// # use windlass_stream::Chunk;
/// # use windlass_wire::{DecodeError, Decoder, EncodeError, EventDecoder, EventReader, HttpRequest, WireLimits, ProviderError, Wire};
/// use windlass_protocol::Message;
/// use windlass_wire::kit::{WireExamples, check_wire};
/// # struct Lines;
/// # impl Wire for Lines {
/// #     fn name(&self) -> &'static str { "lines" }
/// #     fn encode(&self, request: &Request) -> Result<HttpRequest, EncodeError> {
/// #         let texts: Vec<String> = request.messages.iter().map(Message::text).collect();
/// #         let texts = serde_json::to_string(&texts)?;
/// #         Ok(HttpRequest::post("/ask", format!("{{\"messages\":{texts}}}")))
/// #     }
/// #     fn decoder(&self, limits: WireLimits) -> Box<dyn Decoder> { Box::new(EventDecoder::<Reader>::new(limits)) }
/// #     fn decode_whole(&self, body: &[u8], _: WireLimits, _: &mut Vec<Chunk>) -> Result<(), DecodeError> {
/// #         Err(DecodeError::from_foreign_body("lines", body))
/// #     }
/// #     fn decode_error(&self, status: u16, body: &[u8]) -> ProviderError { ProviderError::not_provider(status, body) }
/// # }
/// # #[derive(Default)]
/// # struct Reader;
/// # impl EventReader for Reader {
/// #     const WIRE: &'static str = "lines";
/// #     fn read_event(&mut self, data: &str, _: usize, chunks: &mut Vec<Chunk>) -> Result<(), DecodeError> {
/// #         chunks.push(match data {
/// #             "end" => Chunk::Finish { reason: StopReason::End, raw: "end".to_owned() },
/// #             text => Chunk::text(text),
/// #         });
/// #         Ok(())
/// #     }
/// #     fn finish(&mut self, _: &mut Vec<Chunk>) {}
/// #     fn decode_whole(body: &[u8], _: WireLimits, _: &mut Vec<Chunk>) -> Result<(), DecodeError> {
/// #         Err(DecodeError::from_foreign_body("lines", body))
/// #     }
/// # }
///
/// let request = Request::new("lines-1", vec![Message::user("Hello?")]);
/// check_wire(&Lines, &WireExamples::new(&request, b"data: Hi.\n\ndata: end\n\n"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns the first rule that the format does not follow.
pub fn check_wire(wire: &dyn Wire, examples: &WireExamples<'_>) -> Result<(), RuleViolation<WireRule>> {
    encoding::check_request(wire, examples.request)?;
    encoding::check_next_request(wire, examples.request)?;
    let chunks = decoding::check_stream(wire, examples.stream)?;
    decoding::check_splits(wire, examples.stream, &chunks)?;
    decoding::check_cuts(wire, examples.stream, &chunks)?;
    decoding::check_damaged(wire, examples.stream)?;
    decoding::check_limits(wire, examples)?;
    decoding::check_foreign_bodies(wire)?;
    if let Some(whole) = examples.whole {
        decoding::check_whole(wire, whole, &chunks)?;
    }
    decoding::check_errors(wire)
}

/// Runs a method of the format.
fn catch<T>(method: &str, work: impl FnOnce() -> T) -> Result<T, RuleViolation<WireRule>> {
    RuleViolation::catch(WireRule::NeverPanics, method, work)
}
