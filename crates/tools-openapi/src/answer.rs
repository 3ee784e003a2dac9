//! The body of a response as a text for the model.

use serde::de::IgnoredAny;

use crate::body::is_json;
use crate::client::{Answer, Ending};
use crate::text::one_line;

/// Returns the text of a body, or the reason why it is not shown.
pub(crate) fn text(answer: &Answer) -> Result<String, String> {
    let essence = answer.media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if answer.body.is_empty() {
        return Err("The body is empty.".to_owned());
    }
    if let Some(encoding) = &answer.encoding {
        let encoding = one_line(encoding, 40);
        return Err(format!("The body is encoded as {encoding}, which was not requested, and is not shown."));
    }
    let is_text = essence.is_empty()
        || is_json(&essence)
        || essence.starts_with("text/")
        || essence.ends_with("xml")
        || essence.ends_with("yaml")
        || matches!(
            essence.as_str(),
            "application/x-ndjson" | "application/x-www-form-urlencoded" | "application/javascript"
        );
    let sniffed = answer.body.get(..1_024).unwrap_or(&answer.body);
    if !is_text || sniffed.contains(&0) {
        let (media, bytes) = (one_line(&essence, 60), answer.body.len());
        return Err(format!("The body has {bytes} bytes of {media}, which is not text, and is not shown."));
    }
    let text = String::from_utf8_lossy(&answer.body);
    let is_json = answer.ending == Ending::Whole && serde_json::from_str::<IgnoredAny>(&text).is_ok();
    Ok(if is_json { compact(&text) } else { text.into_owned() })
}

/// Removes the white space outside of strings from a valid JSON text. Numbers and the order of members stay as the
/// server wrote them.
fn compact(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let (mut is_string, mut is_escaped) = (false, false);
    for character in json.chars() {
        if is_string || !character.is_ascii_whitespace() {
            text.push(character);
        }
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_string,
            '"' => is_string = !is_string,
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::compact;

    #[test]
    fn white_space_is_removed_outside_of_strings_only() {
        let json = "{ \"a b\" : [ 1.0 , 12345678901234567890123 ],\n \"c\\\" d\": \"\\\\\" , \"e\": null }";
        assert_eq!(compact(json), r#"{"a b":[1.0,12345678901234567890123],"c\" d":"\\","e":null}"#);
    }
}
