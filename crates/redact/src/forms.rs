//! Encodings in which a secret can occur in a text.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use secrecy::zeroize::Zeroizing;

/// A form is as secret as its value, so it is zeroed on drop.
pub(crate) type Form = Zeroizing<String>;

/// Maximum size of a value that is searched for as a whole, in bytes. A longer value is searched for in
/// pieces.
const LONGEST: usize = 1024;

/// Overlap of the pieces of a long value, in bytes, so that base64 letters that depend on two pieces are
/// covered.
const SHARED: usize = 8;

/// Minimum length of a line of a value that is searched for alone. Shorter lines occur in too many texts.
const SHORTEST_LINE: usize = 16;

/// Line lengths of encoders: `base64` and MIME, PEM, `xxd -p`.
const BASE64_LINES: [usize; 2] = [76, 64];
const HEX_LINE: usize = 60;

/// Returns the distinct forms of a value. No form is shorter than the value's shortest piece.
pub(crate) fn forms_of_value(value: &str) -> Vec<Form> {
    let mut forms = Forms::default();
    for piece in pieces(value) {
        forms.add_all(piece);
    }
    // A program that numbers or indents lines inserts text between them, so search for each line.
    for line in value.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_LINE) {
        if !line.starts_with("-----") && line.len() < value.len() {
            pieces(line).for_each(|piece| forms.add_all(piece));
        }
    }
    forms.add_lines(value);
    forms.0
}

/// Returns the forms that an encoder may break into lines, without the line breaks. Each is also one of the
/// forms of [`forms_of_value`].
pub(crate) fn encodings(value: &str) -> Vec<Form> {
    let mut forms = Forms::default();
    for piece in pieces(value) {
        forms.add_hex(piece);
        for whole in [STANDARD.encode(piece), URL_SAFE.encode(piece)] {
            forms.add(whole.trim_end_matches('=').to_owned());
            forms.add(whole);
        }
        base64_forms(piece).for_each(|form| forms.add(form));
    }
    forms.0
}

/// Returns the value, or its overlapping pieces.
fn pieces(value: &str) -> impl Iterator<Item = &str> {
    let mut from = Some(0_usize);
    std::iter::from_fn(move || {
        let rest = value.get(from?..)?;
        if rest.len() <= LONGEST {
            // The last piece is extended to full length, because a few letters would match too often.
            let start = value.floor_char_boundary(value.len().saturating_sub(LONGEST));
            from = None;
            return value.get(start..);
        }
        let end = rest.floor_char_boundary(LONGEST);
        let next = rest.floor_char_boundary(end.saturating_sub(SHARED));
        from = from?.checked_add(next);
        rest.get(..end)
    })
}

#[derive(Default)]
struct Forms(Vec<Form>);

impl Forms {
    fn add(&mut self, form: impl Into<Form>) {
        let form = form.into();
        if !form.is_empty() && self.0.iter().all(|known| *known != form) {
            self.0.push(form);
        }
    }

    fn add_all(&mut self, value: &str) {
        self.add(value.to_owned());
        self.add_hex(value);
        self.add_percent(value);
        self.add_json(value);
        self.add_base64(value);
        self.add_every_letter(value);
        self.add_entities(value);
    }

    /// Adds the forms that encode every letter: percent-encoding, `\u0068` for `h`, hexadecimal with spaces.
    fn add_every_letter(&mut self, value: &str) {
        for case in [Case::Upper, Case::Lower] {
            let (mut percent, mut spaced) = (Form::default(), Form::default());
            for byte in value.bytes() {
                let gap = if spaced.is_empty() { "" } else { " " };
                let _ = match case {
                    Case::Upper => {
                        write!(percent, "%{byte:02X}").and_then(|()| write!(spaced, "{gap}{byte:02X}"))
                    }
                    Case::Lower => {
                        write!(percent, "%{byte:02x}").and_then(|()| write!(spaced, "{gap}{byte:02x}"))
                    }
                };
            }
            self.add(percent);
            self.add(spaced);
        }
        let (mut lower, mut upper) = (Form::default(), Form::default());
        for unit in value.encode_utf16() {
            let _ = write!(lower, "\\u{unit:04x}");
            let _ = write!(upper, "\\u{unit:04X}");
        }
        self.add(lower);
        self.add(upper);
    }

    /// Adds HTML entities: reserved characters by name, with each variant for `'`, or all characters by
    /// number.
    fn add_entities(&mut self, value: &str) {
        for apostrophe in ["'", "&#39;", "&#x27;", "&apos;"] {
            let mut named = Form::default();
            for letter in value.chars() {
                match letter {
                    '&' => named.push_str("&amp;"),
                    '<' => named.push_str("&lt;"),
                    '>' => named.push_str("&gt;"),
                    '"' => named.push_str("&quot;"),
                    '\'' => named.push_str(apostrophe),
                    _ => named.push(letter),
                }
            }
            self.add(named);
        }
        let (mut decimal, mut hex) = (Form::default(), Form::default());
        for letter in value.chars() {
            let _ = write!(decimal, "&#{};", u32::from(letter));
            let _ = write!(hex, "&#x{:x};", u32::from(letter));
        }
        self.add(decimal);
        self.add(hex);
    }

    fn add_hex(&mut self, value: &str) {
        let (mut lower, mut upper) = (Form::default(), Form::default());
        for byte in value.bytes() {
            let _ = write!(lower, "{byte:02x}");
            let _ = write!(upper, "{byte:02X}");
        }
        self.add(lower);
        self.add(upper);
    }

    /// Adds percent-encodings. RFC 3986, browsers and forms keep different characters; some encoders keep
    /// none.
    fn add_percent(&mut self, value: &str) {
        const KEPT: [&str; 5] = ["-._~", "-._~!*'()", "-._~!*'();/?:@&=+$,#", "-._*", ""];
        for kept in KEPT {
            self.add(percent(value, kept, Case::Upper));
            self.add(percent(value, kept, Case::Lower));
        }
    }

    /// Adds the JSON string escapes, once and nested.
    fn add_json(&mut self, value: &str) {
        for once in json(value) {
            for twice in json(&once) {
                self.add(twice);
            }
            self.add(once);
        }
    }

    /// Adds base64 of the value alone, and at each offset in a longer text.
    fn add_base64(&mut self, value: &str) {
        for whole in [STANDARD.encode(value), URL_SAFE.encode(value)] {
            self.add(percent(&whole, "-._~", Case::Upper));
            self.add(whole.replace('/', "\\/"));
            self.add(whole.trim_end_matches('=').to_owned());
            self.add(whole);
        }
        for form in base64_forms(value) {
            self.add(form.replace('/', "\\/"));
            self.add(percent(&form, "-._~", Case::Upper));
            self.add(form);
        }
    }

    /// Adds the lines into which an encoder breaks the value, because a program may number or mark the lines.
    fn add_lines(&mut self, value: &str) {
        let base64 = Form::from(STANDARD.encode(value));
        let mut hex = Form::default();
        for byte in value.bytes() {
            let _ = write!(hex, "{byte:02x}");
        }
        let lines = BASE64_LINES.map(|length| (&base64, length)).into_iter().chain([(&hex, HEX_LINE)]);
        for (encoded, length) in lines.filter(|(encoded, length)| encoded.len() > *length) {
            for line in encoded.as_bytes().chunks(length).filter(|line| line.len() >= SHORTEST_LINE) {
                self.add(String::from_utf8_lossy(line).into_owned());
            }
        }
    }
}

/// Returns base64 at each of the three offsets in a longer text, in both alphabets, without the letters that
/// depend on neighbouring bytes.
fn base64_forms(value: &str) -> impl Iterator<Item = Form> {
    (0_usize..3).flat_map(move |skipped| {
        let mut bytes = Zeroizing::new(vec![0; skipped]);
        bytes.extend_from_slice(value.as_bytes());
        let letters = bytes.len().saturating_mul(8) / 6;
        let known = skipped.saturating_mul(8).div_ceil(6)..letters;
        [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)].map(|form| {
            let form = Form::from(form);
            Form::from(form.get(known.clone()).unwrap_or_default().to_owned())
        })
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Case {
    Upper,
    Lower,
}

/// Percent-encodes a value. `kept` are the characters besides letters and digits that stay. Only HTML forms
/// keep `*` but not `~`, and encode a space as `+`.
fn percent(value: &str, kept: &str, case: Case) -> Form {
    let is_form = kept == "-._*";
    let mut form = Form::default();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            form.push(char::from(byte));
        } else if is_form && byte == b' ' {
            form.push('+');
        } else {
            let _ =
                if case == Case::Upper { write!(form, "%{byte:02X}") } else { write!(form, "%{byte:02x}") };
        }
    }
    form
}

/// Returns the JSON string escapes of different libraries: minimal, with `\/`, ASCII only, and safe for HTML.
fn json(value: &str) -> Vec<Form> {
    let quoted = Form::from(serde_json::to_string(value).unwrap_or_default());
    let plain = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let slashed = plain.replace('/', "\\/");
    let is_html = |character: char| matches!(character, '<' | '>' | '&');
    let is_wide = |character: char| !character.is_ascii() || character == '\u{7f}';
    vec![
        Form::from(plain.to_owned()),
        escape(plain, is_wide, Case::Lower),
        escape(plain, is_wide, Case::Upper),
        escape(&slashed, is_wide, Case::Lower),
        escape(plain, is_html, Case::Lower),
        escape(plain, |character| is_html(character) || is_wide(character), Case::Upper),
        Form::from(slashed),
    ]
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool, case: Case) -> Form {
    let mut form = Form::default();
    for character in text.chars() {
        if !is_escaped(character) {
            form.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = if case == Case::Upper {
                write!(form, "\\u{unit:04X}")
            } else {
                write!(form, "\\u{unit:04x}")
            };
        }
    }
    form
}

#[cfg(test)]
mod tests;
