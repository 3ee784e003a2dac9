//! Stored conversations: a list of segments, each with the items of one request and its response.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use windlass_wire::ProviderError;

use super::error::{conversation_locked, not_found};
use super::items::{Item, add_sizes};
use super::store::{StateError, StateStore};

/// The attempts to change a conversation that others change at the same time.
const ATTEMPTS: usize = 16;

/// The beginning of a conversation: its first segments.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    pub(crate) id: String,
    pub(crate) segments: usize,
}

/// A conversation without its items.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Conversation {
    pub(crate) id: String,
    pub(crate) created: u64,
    pub(crate) metadata: Value,
    pub(crate) segments: Vec<String>,
}

impl Conversation {
    pub(crate) fn new(reply_id: &str, created: u64, metadata: Value) -> Self {
        Self { id: format!("conv_{reply_id}"), created, metadata, segments: Vec::new() }
    }

    /// Reads a conversation, and the bytes by which a change recognises it.
    pub(crate) async fn load(
        store: &dyn StateStore,
        owner: &str,
        id: &str,
    ) -> Result<Option<(Self, Bytes)>, StateError> {
        let value = if id.starts_with("conv_") { store.get(owner, id).await? } else { None };
        Ok(value.and_then(|value| Some((serde_json::from_slice(&value).ok()?, value))))
    }

    /// Stores a new conversation.
    pub(crate) async fn create(&self, store: &dyn StateStore, owner: &str) -> Result<(), StateError> {
        store.insert(owner, &self.id, self.to_bytes()?).await
    }

    fn to_bytes(&self) -> Result<Bytes, StateError> {
        serde_json::to_vec(self).map(Bytes::from).map_err(|error| StateError::Failed(error.into()))
    }

    /// Changes a stored conversation. Concurrent changes follow each other.
    pub(crate) async fn change(
        store: &dyn StateStore,
        owner: &str,
        id: &str,
        change: impl Fn(&mut Self) + Send + Sync,
    ) -> Result<Self, ProviderError> {
        for _ in 0..ATTEMPTS {
            let stored = Self::load(store, owner, id).await?;
            let (mut conversation, old) = stored.ok_or_else(|| not_found("Conversation", id))?;
            change(&mut conversation);
            if store.replace(owner, id, &old, conversation.to_bytes()?).await? {
                return Ok(conversation);
            }
        }
        Err(conversation_locked())
    }

    /// Appends items to a stored conversation.
    pub(crate) async fn append(
        store: &dyn StateStore,
        owner: &str,
        id: &str,
        reply_id: &str,
        items: &[Item],
    ) -> Result<(), ProviderError> {
        let segment = format!("seg_{reply_id}");
        Self::store_segment(store, owner, &segment, items).await?;
        let changed = Self::change(store, owner, id, |held| held.segments.push(segment.clone())).await;
        if changed.is_err() {
            store.remove(owner, &segment).await?;
        }
        changed.map(drop)
    }

    pub(crate) async fn store_segment(
        store: &dyn StateStore,
        owner: &str,
        segment: &str,
        items: &[Item],
    ) -> Result<(), StateError> {
        let value = serde_json::to_vec(items).map_err(|error| StateError::Failed(error.into()))?;
        store.insert(owner, segment, value.into()).await
    }

    /// Returns the items of a segment; none if it is not stored.
    pub(crate) async fn load_segment(
        store: &dyn StateStore,
        owner: &str,
        segment: &str,
    ) -> Result<Vec<Item>, StateError> {
        let value = store.get(owner, segment).await?;
        Ok(value.and_then(|value| serde_json::from_slice(&value).ok()).unwrap_or_default())
    }

    /// Returns the items of the first `segments` segments, or of all.
    ///
    /// # Errors
    /// A segment is not stored any more, or the conversation is too long.
    pub(crate) async fn items(
        &self,
        store: &dyn StateStore,
        owner: &str,
        segments: Option<usize>,
    ) -> Result<Vec<Item>, ProviderError> {
        let (mut items, mut bytes) = (Vec::new(), 0);
        for segment in self.segments.iter().take(segments.unwrap_or(usize::MAX)) {
            let value =
                store.get(owner, segment).await?.ok_or_else(|| not_found("Conversation", &self.id))?;
            let held: Vec<Item> =
                serde_json::from_slice(&value).map_err(|error| StateError::Failed(error.into()))?;
            add_sizes(&mut bytes, &held)?;
            items.extend(held);
        }
        Ok(items)
    }

    /// Removes a conversation and its items. Returns false if it does not exist.
    pub(crate) async fn remove(store: &dyn StateStore, owner: &str, id: &str) -> Result<bool, StateError> {
        let Some((conversation, _)) = Self::load(store, owner, id).await? else { return Ok(false) };
        for segment in &conversation.segments {
            store.remove(owner, segment).await?;
        }
        store.remove(owner, id).await
    }

    /// Returns the conversation as the API shows it.
    pub(crate) fn to_object(&self) -> Value {
        json!({
            "id": self.id, "object": "conversation", "created_at": self.created, "metadata": self.metadata,
        })
    }
}

/// Returns the id in a request's `conversation`: a text, or an object with an id.
pub(crate) fn conversation_id(raw: &RawValue) -> Option<String> {
    let value: Value = serde_json::from_str(raw.get()).ok()?;
    value.as_str().or_else(|| value.get("id")?.as_str()).map(str::to_owned)
}
