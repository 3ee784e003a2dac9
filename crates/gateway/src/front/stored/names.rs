//! The names of stored state in a request.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::request::StoredKind;

/// Returns the ids of the state that a request continues, also of a member that occurs twice: which of them an upstream
/// takes is not known.
pub(super) fn read_state_ids(body: &[u8]) -> Vec<(StoredKind, String)> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let names = serde_json::Deserializer::from_slice(body).deserialize_map(Names);
    // A body that is not an object is refused by its format.
    names.unwrap_or_default()
}

struct Names;

impl<'de> Visitor<'de> for Names {
    type Value = Vec<(StoredKind, String)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a request")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            let kind = match name.as_ref() {
                "previous_response_id" => StoredKind::Response,
                "conversation" => StoredKind::Conversation,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            let value: Value = map.next_value()?;
            let id = value.as_str().or_else(|| value.get("id")?.as_str());
            names.extend(id.map(|id| (kind, id.to_owned())));
        }
        Ok(names)
    }
}
