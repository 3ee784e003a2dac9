//! Explicit caches: the creation of a cache and its time to live.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use windlass_protocol::{Request, RequestOptions};
use windlass_wire::{CachesApi, EncodeError, EncodedHistory};

use crate::Gemini;
use crate::encode::CONTENTS;

/// The body of a creation. <https://ai.google.dev/api/caching>.
#[derive(Serialize)]
struct Creation<'a> {
    model: String,
    #[serde(rename = "systemInstruction", skip_serializing_if = "Option::is_none")]
    system: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<&'a RawValue>,
    ttl: String,
}

fn seconds(ttl: Duration) -> String {
    format!("{}s", ttl.as_secs())
}

impl CachesApi for Gemini {
    fn path(&self) -> &'static str {
        "/cachedContents"
    }

    fn encode_creation(&self, request: &Request, ttl: Duration) -> Result<Vec<u8>, EncodeError> {
        // The conversation is encoded as in a request; options of an answer have no place in a cache.
        let mut prefix = request.clone();
        prefix.options = RequestOptions::default();
        prefix.options.hosted_tools.clone_from(&request.options.hosted_tools);
        let body = EncodedHistory::new().encode(self, &prefix)?.body;
        let fields: BTreeMap<&str, &RawValue> = serde_json::from_slice(&body)?;
        let field = |name: &str| fields.get(name).copied();
        let model = &request.model;
        let creation = Creation {
            model: if model.contains('/') { model.clone() } else { format!("models/{model}") },
            system: field("systemInstruction"),
            tools: field("tools"),
            contents: field(CONTENTS).filter(|contents| contents.get() != "[]"),
            ttl: seconds(ttl),
        };
        Ok(serde_json::to_vec(&creation)?)
    }

    fn encode_ttl(&self, ttl: Duration) -> (&'static str, String) {
        ("updateMask=ttl", serde_json::json!({ "ttl": seconds(ttl) }).to_string())
    }
}
