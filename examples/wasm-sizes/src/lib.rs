//! One exported function, which passes an input through the crate of the feature. The module without a feature shows
//! the size of the allocator and of the buffer.

use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Reserves the input buffer and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Passes the input through the crate and returns a number that depends on the result.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> usize {
    INPUT.with_borrow(|input| measure(input))
}

#[cfg(not(any(
    feature = "anthropic",
    feature = "partial-json",
    feature = "redact",
    feature = "sse",
    feature = "text-calls"
)))]
fn measure(input: &[u8]) -> usize {
    input.len()
}

#[cfg(feature = "sse")]
fn measure(input: &[u8]) -> usize {
    let mut bytes = 0;
    let pushed = windlass_sse::Parser::new().push(input, |event| bytes += event.data.len());
    usize::from(pushed.is_ok()) + bytes
}

#[cfg(feature = "partial-json")]
fn measure(input: &[u8]) -> usize {
    let mut parser = windlass_partial_json::Parser::new();
    let pushed = parser.push_bytes(input);
    usize::from(pushed.is_ok()) + serde_json::to_string(&parser.snapshot()).map_or(0, |text| text.len())
}

#[cfg(feature = "redact")]
fn measure(input: &[u8]) -> usize {
    let text = String::from_utf8_lossy(input);
    let mut redactor = windlass_redact::Redactor::default();
    let (secret, rest) = text.split_once('\n').unwrap_or_default();
    redactor.register(&secret.into());
    redactor.redact(rest).len()
}

#[cfg(feature = "text-calls")]
fn measure(input: &[u8]) -> usize {
    let mut scanner = windlass_text_calls::Scanner::new(windlass_text_calls::TextCallOptions::default());
    let mut chunks = Vec::new();
    scanner.push(&String::from_utf8_lossy(input), &mut chunks);
    scanner.finish(&mut chunks);
    chunks.len()
}

#[cfg(all(feature = "anthropic", not(feature = "assemble")))]
fn measure(input: &[u8]) -> usize {
    use windlass_wire::Wire as _;
    let mut decoder = windlass_wire_anthropic::Anthropic::default().decoder(windlass_wire::WireLimits::default());
    let mut chunks = Vec::new();
    let pushed = decoder.push(input, &mut chunks).and_then(|()| decoder.finish(&mut chunks));
    usize::from(pushed.is_ok()) + chunks.len()
}

#[cfg(feature = "assemble")]
fn measure(input: &[u8]) -> usize {
    use windlass_wire::Wire as _;
    let mut decoder = windlass_wire_anthropic::Anthropic::default().decoder(windlass_wire::WireLimits::default());
    let (mut chunks, mut events) = (Vec::new(), Vec::new());
    let pushed = decoder.push(input, &mut chunks).and_then(|()| decoder.finish(&mut chunks));
    let mut assembler = windlass_assemble::Assembler::new(windlass_assemble::AssembleOptions::default());
    for chunk in chunks {
        assembler.push(chunk, &mut events);
    }
    usize::from(pushed.is_ok()) + assembler.finish(&mut events).good_calls().count() + events.len()
}
