//! Properties of `windlass-redact`.

use windlass_redact::Redactor;

/// The secrets are substrings of the input, so that they occur, touch and overlap. The output does not depend
/// on how the text is split, contains no secret, keeps JSON valid, and little text is held back.
///
/// # Panics
/// A property is violated.
pub fn redact(bytes: &[u8]) {
    let Some((&[first, second, cut], text)) = bytes.split_first_chunk() else { return };
    let secrets = [first, second].map(|seed| cut_out(text, seed));
    let redactor = Redactor::new(secrets.iter().flatten().map(|secret| secret.as_str().into()));
    let whole = redactor.redact_bytes(text).into_owned();
    assert_eq!(
        push_all(&redactor, text, usize::from(cut % 7).saturating_add(1)),
        whole,
        "another cut, another text"
    );
    assert_eq!(push_all(&redactor, text, 1), whole, "byte by byte it is another text");
    for secret in secrets.iter().flatten() {
        // Skip refused secrets, and secrets with brackets, which a redaction mark and its neighbours can
        // form.
        if redactor.contains_secret(secret) && !secret.contains(['[', ']']) {
            let is_left = whole.windows(secret.len()).any(|piece| piece == secret.as_bytes());
            assert!(!is_left, "a secret is left");
        }
    }
    if let Ok(text) = std::str::from_utf8(text) {
        assert_eq!(redactor.redact(text).as_bytes(), whole, "the text is not the bytes");
        assert_eq!(redactor.contains_secret(text), whole != text.as_bytes(), "found, or not found");
        let json = serde_json::to_string(&[text]).expect("a text becomes JSON");
        let clean: [String; 1] = serde_json::from_str(&redactor.redact_json(&json)).expect("JSON stays JSON");
        assert_eq!(clean[0].as_bytes(), whole, "in JSON it is another text");
    }
}

fn cut_out(text: &[u8], seed: u8) -> Option<String> {
    let from = usize::from(seed >> 4).saturating_mul(5);
    let length = usize::from(seed & 15).saturating_add(Redactor::SHORTEST);
    let piece = text.get(from..from.saturating_add(length))?;
    Some(String::from_utf8_lossy(piece).into_owned())
}

fn push_all(redactor: &Redactor, text: &[u8], cut: usize) -> Vec<u8> {
    let mut stream = redactor.stream();
    let mut clean = Vec::new();
    for piece in text.chunks(cut) {
        clean.extend(stream.push(piece));
        assert!(stream.pending_bytes() <= 1024, "too much is held back");
    }
    clean.extend(stream.finish());
    assert_eq!(stream.pending_bytes(), 0, "something is held for ever");
    clean
}
