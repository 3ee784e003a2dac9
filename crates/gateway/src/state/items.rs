//! Items of responses and conversations, as JSON texts.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use windlass_wire::ProviderError;

use super::error::too_long;

/// An item as its sender wrote it.
pub(crate) type Item = Box<RawValue>;

/// The fields of an object. Nested values keep the order of their keys.
pub(crate) type Members = BTreeMap<String, Item>;

/// Maximum bytes of a stored conversation in one request.
const HISTORY_BYTES: usize = 32 << 20;

/// The default and the maximum number of items on a page.
const PAGE: (usize, usize) = (20, 100);

/// Returns the items of a request's input, or `None` if it is neither a text nor a list.
pub(crate) fn input_items(input: Option<&RawValue>) -> Option<Vec<Item>> {
    let Some(input) = input else { return Some(Vec::new()) };
    if input.get().starts_with('"') {
        let text: Value = serde_json::from_str(input.get()).ok()?;
        return Some(vec![to_raw_value(&json!({ "role": "user", "content": text })).ok()?]);
    }
    serde_json::from_str(input.get()).ok()
}

/// Returns an item in the form in which the API lists it: with an id, a type, and content as a list.
pub(crate) fn normalize(item: &RawValue, reply_id: &str, position: usize) -> Option<Item> {
    let mut members: Members = serde_json::from_str(item.get()).ok()?;
    members.retain(|name, value| name != "id" || value.get() != "null");
    if members.contains_key("role") && !members.contains_key("type") {
        members.insert("type".to_owned(), to_raw_value("message").ok()?);
    }
    let kind = text(&members, "type").unwrap_or_default();
    if kind == "message" {
        let is_own = text(&members, "role").as_deref() == Some("assistant");
        if let Some(content) = text(&members, "content") {
            let kind = if is_own { "output_text" } else { "input_text" };
            let mut part = json!({ "type": kind, "text": content });
            if is_own && let Some(part) = part.as_object_mut() {
                part.insert("annotations".to_owned(), json!([]));
            }
            members.insert("content".to_owned(), to_raw_value(&json!([part])).ok()?);
        }
        if !members.contains_key("status") {
            members.insert("status".to_owned(), to_raw_value("completed").ok()?);
        }
    }
    if !members.contains_key("id") {
        let id = format!("{}_{reply_id}_i{position}", prefix(&kind));
        members.insert("id".to_owned(), to_raw_value(&id).ok()?);
    }
    to_raw_value(&members).ok()
}

fn prefix(kind: &str) -> &'static str {
    match kind {
        "message" => "msg",
        "function_call" => "fc",
        "function_call_output" => "fco",
        "custom_tool_call" => "ctc",
        "reasoning" => "rs",
        _ => "item",
    }
}

/// Returns the id that the ids of all items of a request and its response contain.
pub(crate) fn reply_id(item_id: &str) -> Option<&str> {
    let (_, rest) = item_id.split_once('_')?;
    rest.rsplit_once('_').map(|(reply, _)| reply)
}

/// Returns the value of a field that is a text.
pub(crate) fn text(members: &Members, name: &str) -> Option<String> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

#[derive(Deserialize)]
struct Head {
    #[serde(default, rename = "type")]
    kind: Value,
    #[serde(default)]
    id: Value,
}

/// Returns the id of an item.
pub(crate) fn id(item: &RawValue) -> Option<String> {
    let head: Head = serde_json::from_str(item.get()).ok()?;
    head.id.as_str().map(str::to_owned)
}

/// Returns the id of the item that an `item_reference` names.
pub(crate) fn reference_id(item: &RawValue) -> Option<String> {
    // The longer parse is for items that can be a reference.
    let head: Head =
        item.get().contains("item_reference").then(|| serde_json::from_str(item.get()).ok())??;
    let is_reference = head.kind.as_str() == Some("item_reference");
    is_reference.then(|| head.id.as_str().map(str::to_owned)).flatten()
}

/// Returns a page of items, as the query selects it: `limit`, `order` and `after`. The newest item is first by default.
///
/// # Errors
/// Returns the name of a parameter with a wrong value.
pub(crate) fn page(items: &[Item], query: &str) -> Result<Value, &'static str> {
    let value = |name: &str| {
        query
            .split('&')
            .find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name).map(|(_, value)| value))
    };
    let limit = match value("limit") {
        None => PAGE.0,
        Some(text) => text.parse().ok().filter(|limit| (1..=PAGE.1).contains(limit)).ok_or("limit")?,
    };
    let mut sorted: Vec<(Option<String>, &Item)> = items.iter().map(|item| (id(item), item)).collect();
    match value("order") {
        None | Some("desc") => sorted.reverse(),
        Some("asc") => {}
        Some(_) => return Err("order"),
    }
    let start = match value("after") {
        None => 0,
        Some(after) => {
            let place = sorted.iter().position(|(id, _)| id.as_deref() == Some(after)).ok_or("after")?;
            place.saturating_add(1)
        }
    };
    let rest = sorted.get(start..).unwrap_or_default();
    let shown = rest.get(..limit).unwrap_or(rest);
    let data: Vec<Value> =
        shown.iter().filter_map(|(_, item)| serde_json::from_str(item.get()).ok()).collect();
    Ok(json!({
        "object": "list", "data": data, "has_more": rest.len() > shown.len(),
        "first_id": shown.first().and_then(|(id, _)| id.as_deref()),
        "last_id": shown.last().and_then(|(id, _)| id.as_deref()),
    }))
}

/// Adds the sizes of items, and one byte for each, so that the number of items has a bound, too.
pub(crate) fn add_sizes(bytes: &mut usize, items: &[Item]) -> Result<(), ProviderError> {
    let sizes = items.iter().map(|item| item.get().len().saturating_add(1));
    *bytes = sizes.fold(bytes.saturating_add(1), usize::saturating_add);
    if *bytes > HISTORY_BYTES { Err(too_long(HISTORY_BYTES)) } else { Ok(()) }
}
