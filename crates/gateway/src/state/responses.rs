//! Stored responses, and the conversation that leads to one of them.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use windlass_wire::ProviderError;

use super::conversations::{Conversation, Snapshot};
use super::error::previous_not_found;
use super::items::{self, Item, add_sizes};
use super::store::{StateError, StateStore};

/// A response with the items that were sent for it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredResponse {
    /// The id of the response that it continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) previous: Option<String>,
    /// The conversation that it continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) conversation: Option<Snapshot>,
    pub(crate) input: Vec<Item>,
    /// The response as its client received it.
    pub(crate) response: Item,
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow, default)]
    output: Vec<&'a RawValue>,
}

impl StoredResponse {
    /// Reads a response. A value of another form counts as not stored.
    pub(crate) async fn load(
        store: &dyn StateStore,
        owner: &str,
        id: &str,
    ) -> Result<Option<Self>, StateError> {
        let value = if id.starts_with("resp_") { store.get(owner, id).await? } else { None };
        Ok(value.and_then(|value| serde_json::from_slice(&value).ok()))
    }

    /// Writes the response as JSON.
    pub(crate) fn to_bytes(&self) -> Result<Bytes, StateError> {
        serde_json::to_vec(self).map(Bytes::from).map_err(|error| StateError::Failed(error.into()))
    }

    /// Returns the items that the model generated.
    pub(crate) fn output(&self) -> Vec<Item> {
        output(&self.response)
    }
}

/// Returns the items of a response.
pub(crate) fn output(response: &RawValue) -> Vec<Item> {
    let read: Option<Output<'_>> = serde_json::from_str(response.get()).ok();
    read.map(|read| read.output.into_iter().map(ToOwned::to_owned).collect()).unwrap_or_default()
}

/// Returns the items of the conversation up to a response, its own included.
pub(crate) async fn history(
    store: &dyn StateStore,
    owner: &str,
    id: &str,
) -> Result<Vec<Item>, ProviderError> {
    let (mut turns, mut next, mut bytes) = (Vec::new(), Some(id.to_owned()), 0_usize);
    let mut beginning = Vec::new();
    while let Some(id) = next.take() {
        let Some(mut stored) = StoredResponse::load(store, owner, &id).await? else {
            return Err(previous_not_found(&id));
        };
        let mut turn = std::mem::take(&mut stored.input);
        turn.extend(stored.output());
        add_sizes(&mut bytes, &turn)?;
        turns.push(turn);
        if let Some(snapshot) = &stored.conversation {
            let conversation = Conversation::load(store, owner, &snapshot.id).await?;
            let conversation = conversation.ok_or_else(|| previous_not_found(&id))?.0;
            beginning = conversation.items(store, owner, Some(snapshot.segments)).await?;
            add_sizes(&mut bytes, &beginning)?;
        }
        next = stored.previous;
    }
    Ok(beginning.into_iter().chain(turns.into_iter().rev().flatten()).collect())
}

/// Returns the stored item with this id.
pub(crate) async fn find_item(
    store: &dyn StateStore,
    owner: &str,
    item_id: &str,
) -> Result<Option<Item>, StateError> {
    let Some(reply_id) = items::reply_id(item_id) else { return Ok(None) };
    let stored = StoredResponse::load(store, owner, &format!("resp_{reply_id}")).await?;
    let mut held: Vec<Item> = Vec::new();
    if let Some(mut stored) = stored {
        held.append(&mut stored.input);
        held.extend(stored.output());
    } else {
        held.extend(Conversation::load_segment(store, owner, &format!("seg_{reply_id}")).await?);
    }
    Ok(held.into_iter().find(|item| items::id(item).as_deref() == Some(item_id)))
}
