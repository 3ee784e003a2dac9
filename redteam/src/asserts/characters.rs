//! Asserts about single bytes and characters of the text that a human was shown.

use anyhow::Context as _;
use serde_json::Value;

use super::Evidence;

pub(super) fn check(name: &str, wanted: &Value, evidence: &Evidence<'_>) -> anyhow::Result<Option<String>> {
    let shown = super::prompts(evidence)?;
    for text in super::texts(name, wanted)? {
        let found = if name == "prompt_excludes_bytes" { byte(text, &shown)? } else { range(text, &shown)? };
        if let Some(found) = found {
            return Ok(Some(format!("{name}: the prompt has U+{:04X}", u32::from(found))));
        }
    }
    Ok(None)
}

/// Finds a control character by its byte. C1 controls have two bytes in UTF-8, so the character is searched.
fn byte(hex: &str, shown: &str) -> anyhow::Result<Option<char>> {
    let byte = u8::from_str_radix(hex, 16).with_context(|| format!("the byte {hex}"))?;
    let unwanted = char::from(byte);
    Ok(shown.chars().find(|met| *met == unwanted))
}

/// Finds a character of a range, written as `U+200B` or `U+200B-U+200F`.
fn range(text: &str, shown: &str) -> anyhow::Result<Option<char>> {
    let point = |text: &str| {
        let hex = text.strip_prefix("U+").with_context(|| format!("the code point {text}"))?;
        u32::from_str_radix(hex, 16).with_context(|| format!("the code point {text}"))
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (point(first)?, point(last)?);
    Ok(shown.chars().find(|met| (first..=last).contains(&u32::from(*met))))
}
