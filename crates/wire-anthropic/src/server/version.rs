//! The versions of the API, which clients name in the header `anthropic-version`.
//!
//! <https://platform.claude.com/docs/en/api/migration-2026-10-21>: version 2026-10-21 takes fewer requests than 2023-06-01,
//! and means the same by those that it takes. A translated request therefore needs a check, but no other translation.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use windlass_wire::{ProviderError, ProviderErrorKind};

/// The header with the version.
pub(crate) const HEADER: &str = "anthropic-version";

/// The version whose requests have no rules beside those of the format.
const FIRST: &str = "2023-06-01";

/// The version without parameters for sampling.
pub(crate) const WITHOUT_SAMPLING: &str = "2026-10-21";

/// Returns the refusal of a request by the version in its headers. Clients without the header get the rules of 2023-06-01.
pub(crate) fn refuse(headers: &[(String, String)], body: &[u8]) -> Option<ProviderError> {
    let named = headers.iter().filter(|(name, _)| name == HEADER).map(|(_, value)| value.trim());
    let version = named.collect::<Vec<_>>().join(", ");
    match version.as_str() {
        "" | FIRST => None,
        WITHOUT_SAMPLING => check(&String::from_utf8_lossy(body)).err(),
        _ => Some(refusal(HEADER, format!("{version:?} is not a valid version"))),
    }
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow, default)]
    temperature: Option<&'a RawValue>,
    #[serde(borrow, default)]
    top_p: Option<&'a RawValue>,
    #[serde(borrow, default)]
    top_k: Option<&'a RawValue>,
    #[serde(borrow, default)]
    messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    role: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    citations: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

fn check(text: &str) -> Result<(), ProviderError> {
    let body: Body<'_> = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(unreadable)?;
    let sampling = [("temperature", body.temperature), ("top_p", body.top_p), ("top_k", body.top_k)];
    if let Some((name, _)) = sampling.into_iter().find(|(_, value)| value.is_some()) {
        return Err(refusal(name, format!("not a parameter of API version {WITHOUT_SAMPLING}")));
    }
    for (position, message) in body.messages.iter().enumerate() {
        let place = format!("messages.{position}.content");
        for (position, block) in blocks(message.content)?.iter().enumerate() {
            let place = format!("{place}.{position}");
            match &*message.role {
                "assistant" if block.kind == "document" => {
                    let what = format!(
                        "API version {WITHOUT_SAMPLING} does not take a document in an assistant message"
                    );
                    return Err(refusal(&place, what));
                }
                "user" => check_citations(block, &place)?,
                _ => {}
            }
        }
    }
    Ok(())
}

/// Refuses citations of a text in a message of the user: directly, in a search result, or in a search result of a tool.
fn check_citations(block: &Block<'_>, place: &str) -> Result<(), ProviderError> {
    let is_checked = |inner: &Block<'_>| match &*block.kind {
        "search_result" => inner.kind == "text",
        _ => inner.kind == "search_result",
    };
    match &*block.kind {
        "text" if has_entries(block.citations) => {
            let what = format!("API version {WITHOUT_SAMPLING} takes citations only in assistant messages");
            Err(refusal(&format!("{place}.citations"), what))
        }
        "search_result" | "tool_result" => {
            for (position, inner) in blocks(block.content)?.iter().enumerate() {
                if is_checked(inner) {
                    check_citations(inner, &format!("{place}.content.{position}"))?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Reads the blocks of a content; a content that is a text has none.
fn blocks(content: Option<&RawValue>) -> Result<Vec<Block<'_>>, ProviderError> {
    match content.map(RawValue::get) {
        Some(list) if list.starts_with('[') => serde_json::from_str(list).map_err(unreadable),
        _ => Ok(Vec::new()),
    }
}

fn has_entries(list: Option<&RawValue>) -> bool {
    list.is_some_and(|list| {
        serde_json::from_str::<Vec<IgnoredAny>>(list.get()).is_ok_and(|list| !list.is_empty())
    })
}

fn refusal(place: &str, what: impl std::fmt::Display) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Request, None, format!("{place}: {what}"))
        .with_parameter(Some(place.to_owned()))
}

#[expect(clippy::needless_pass_by_value, reason = "it is an argument of `map_err`")]
fn unreadable(error: serde_json::Error) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Request, None, error.to_string())
}
