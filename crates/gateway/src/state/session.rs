//! One request of a client whose conversation the gateway stores.

use std::sync::Arc;

use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};
use windlass_wire::ProviderError;

use super::conversations::{Conversation, Snapshot, conversation_id};
use super::error::{mutually_exclusive, not_found, wrong};
use super::items::{self, Item, Members};
use super::responses::{self, StoredResponse};
use super::store::StateStore;
use crate::ClientRequest;

/// The state of one request and its response.
#[derive(Debug)]
pub(crate) struct Session {
    store: Arc<dyn StateStore>,
    owner: String,
    previous: Option<String>,
    conversation: Option<Snapshot>,
    /// The items of the request itself.
    input: Vec<Item>,
    is_stored: bool,
}

impl Session {
    /// Reads the state that a request names. Returns the request with the whole conversation and without the names of
    /// state; `None` if the body does not have the format's form, which its decoder reports.
    ///
    /// # Errors
    /// The request names state that is not stored, or is too long.
    pub(crate) async fn start(
        store: Arc<dyn StateStore>,
        request: &ClientRequest,
    ) -> Result<Option<(ClientRequest, Self)>, ProviderError> {
        let text = windlass_wire::decode_text(&request.body);
        let Ok(mut members) = serde_json::from_str::<Members>(text.trim_start_matches('\u{feff}')) else {
            return Ok(None);
        };
        members.retain(|_, value| value.get() != "null");
        let Some(input) = items::input_items(members.get("input").map(AsRef::as_ref)) else {
            return Ok(None);
        };
        let owner = request.owner.clone();
        let mut session = Self { store, owner, previous: None, conversation: None, input, is_stored: true };
        if let Some(store) = members.remove("store") {
            let is_stored = serde_json::from_str(store.get());
            session.is_stored = is_stored.map_err(|_| wrong("store", "store: expected true or false"))?;
        }
        session.resolve_references().await?;
        let mut sent = session.read_history(&mut members).await?;
        sent.extend(session.input.iter().cloned());
        if members.contains_key("input") || !sent.is_empty() {
            members.insert("input".to_owned(), raw(&sent)?);
        }
        let mut expanded = request.clone();
        expanded.body = raw(&members)?.get().as_bytes().to_vec().into();
        Ok(Some((expanded, session)))
    }

    /// Replaces references by the stored items.
    async fn resolve_references(&mut self) -> Result<(), ProviderError> {
        for item in &mut self.input {
            if let Some(id) = items::reference_id(item) {
                let found = responses::find_item(self.store.as_ref(), &self.owner, &id).await?;
                *item =
                    found.ok_or_else(|| not_found("Item", &id).with_parameter(Some("input".to_owned())))?;
            }
        }
        Ok(())
    }

    /// Removes the names of state from the request, and returns the stored items.
    async fn read_history(&mut self, members: &mut Members) -> Result<Vec<Item>, ProviderError> {
        let store = self.store.as_ref();
        let previous = members.remove("previous_response_id");
        let conversation = members.remove("conversation");
        match (previous, conversation) {
            (None, None) => Ok(Vec::new()),
            (Some(_), Some(_)) => Err(mutually_exclusive()),
            (Some(previous), None) => {
                let name = "previous_response_id";
                let id: String = serde_json::from_str(previous.get())
                    .map_err(|_| wrong(name, format!("{name}: expected a text")))?;
                let items = responses::history(store, &self.owner, &id).await?;
                self.previous = Some(id);
                Ok(items)
            }
            (None, Some(conversation)) => {
                let id = conversation_id(&conversation)
                    .ok_or_else(|| wrong("conversation", "conversation: expected an id"))?;
                let stored = Conversation::load(store, &self.owner, &id).await?;
                let (conversation, _) = stored.ok_or_else(|| not_found("Conversation", &id))?;
                let items = conversation.items(store, &self.owner, None).await?;
                self.conversation = Some(Snapshot { id, segments: conversation.segments.len() });
                Ok(items)
            }
        }
    }

    /// Returns the fields about state that the response repeats.
    pub(crate) fn state_fields(&self) -> Map<String, Value> {
        let mut fields = Map::from_iter([("store".to_owned(), self.is_stored.into())]);
        if let Some(previous) = &self.previous {
            fields.insert("previous_response_id".to_owned(), previous.as_str().into());
        }
        if let Some(conversation) = &self.conversation {
            fields.insert("conversation".to_owned(), json!({ "id": conversation.id }));
        }
        fields
    }

    /// Stores a response that has ended.
    ///
    /// # Errors
    /// The store fails, or the conversation was removed meanwhile.
    pub(crate) async fn store(&self, reply_id: &str, response: Item) -> Result<(), ProviderError> {
        let store = self.store.as_ref();
        let input = self.input.iter().enumerate();
        let input: Vec<Item> =
            input.filter_map(|(position, item)| items::normalize(item, reply_id, position)).collect();
        if let Some(conversation) = &self.conversation {
            let items: Vec<Item> = input.iter().cloned().chain(responses::output(&response)).collect();
            Conversation::append(store, &self.owner, &conversation.id, reply_id, &items).await?;
        }
        if self.is_stored {
            let (previous, conversation) = (self.previous.clone(), self.conversation.clone());
            let stored = StoredResponse { previous, conversation, input, response };
            store.insert(&self.owner, &format!("resp_{reply_id}"), stored.to_bytes()?).await?;
        }
        Ok(())
    }
}

fn raw<T: serde::Serialize>(value: &T) -> Result<Item, ProviderError> {
    to_raw_value(value).map_err(|error| wrong("input", error.to_string()))
}
