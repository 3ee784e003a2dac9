//! The key by which a provider finds the cache of a conversation.

use sha2::{Digest as _, Sha256};
use windlass_protocol::{Part, PromptCache, Request, Role};

use crate::edit::{Change, Edit};
use crate::vendor::Vendor;

/// The field of OpenAI's formats.
const FIELD: &str = "prompt_cache_key";
/// The longest part of a conversation's first text that determines its key, in bytes.
const HASHED_BYTES: usize = 1_024;
/// The number of bytes of the hash in the key, which has two letters for each.
const KEY_BYTES: usize = 12;

/// Returns whether the vendor takes a key for its cache, and the request does not refuse the cache.
pub(super) fn is_sent(vendor: Option<&Vendor>, request: &Request) -> bool {
    vendor.is_some_and(|vendor| vendor.endpoint.takes_cache_key)
        && request.options.prompt_cache != PromptCache::Off
}

/// Returns the edit that adds the key of the request's conversation, if the vendor takes one and the request neither has
/// a key nor refuses the cache.
///
/// The key comes from the first text of the user. It is the same in each turn of a run, in the later runs of a session, in
/// a fork, and in the replay of a recording. A change of tools or of the system prompt keeps it.
pub(super) fn edit(vendor: Option<&Vendor>, request: &Request) -> Option<Edit> {
    if !is_sent(vendor, request) {
        return None;
    }
    let first = request.messages.iter().find(|message| message.role == Role::User)?;
    let text = first.parts.iter().find_map(|part| match part {
        Part::Text(text) => Some(text.text.as_bytes()),
        _ => None,
    })?;
    let hash = Sha256::digest(text.get(..HASHED_BYTES).unwrap_or(text));
    let letters = hash.iter().take(KEY_BYTES).flat_map(|byte| [byte >> 4, byte & 15]);
    let key: String = letters.filter_map(|digit| char::from_digit(digit.into(), 16)).collect();
    Some(Edit::new(FIELD, Change::Default(format!("\"{key}\""))))
}
