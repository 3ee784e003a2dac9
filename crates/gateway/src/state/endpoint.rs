//! The endpoints of stored responses and conversations.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use windlass_wire::{ProviderError, Server};

use super::conversations::Conversation;
use super::error::{not_found, wrong};
use super::items::{self, Item};
use super::responses::StoredResponse;
use super::store::StateStore;
use crate::response::{json, new_id, now, refuse};
use crate::{ClientRequest, GatewayResponse};

/// Maximum items that one request adds to a conversation.
const NEW_ITEMS: usize = 20;

/// Answers a request about stored state; `None` if the request is about something else. The client's owner must be
/// set.
pub(crate) async fn answer(
    store: &dyn StateStore,
    server: Option<&dyn Server>,
    method: &str,
    request: &ClientRequest,
) -> Option<GatewayResponse> {
    let server = server?;
    let answer = route(store, method, request).await?;
    Some(answer.unwrap_or_else(|error| refuse(server, &error)))
}

type StateAnswer = Result<GatewayResponse, ProviderError>;

async fn route(store: &dyn StateStore, method: &str, request: &ClientRequest) -> Option<StateAnswer> {
    let parts: Vec<&str> = request.route().split('/').filter(|part| !part.is_empty()).collect();
    let start = parts.iter().position(|part| matches!(*part, "responses" | "conversations"))?;
    let access = Access { store, owner: &request.owner };
    let query = request.path.split_once('?').map(|(_, query)| query).unwrap_or_default();
    match (method, parts.get(start..)?) {
        ("GET", ["responses", id]) => Some(access.response(id, query).await),
        ("DELETE", ["responses", id]) => Some(access.remove_response(id).await),
        ("GET", ["responses", id, "input_items"]) => Some(access.input_items(id, query).await),
        ("POST", ["responses", id, "cancel"]) => Some(access.cancel(id).await),
        ("POST", ["conversations"]) => Some(access.create(&request.body).await),
        ("GET", ["conversations", id]) => Some(access.conversation(id).await),
        ("POST", ["conversations", id]) => Some(access.update(id, &request.body).await),
        ("DELETE", ["conversations", id]) => Some(access.remove(id).await),
        ("GET", ["conversations", id, "items"]) => Some(access.items(id, query).await),
        ("POST", ["conversations", id, "items"]) => Some(access.add_items(id, &request.body).await),
        ("GET", ["conversations", id, "items", item]) => Some(access.item(id, item).await),
        ("DELETE", ["conversations", id, "items", item]) => Some(access.remove_item(id, item).await),
        _ => None,
    }
}

/// The access of one client.
struct Access<'a> {
    store: &'a dyn StateStore,
    owner: &'a str,
}

/// The body of a request that creates or changes a conversation.
#[derive(Default, Deserialize)]
struct Change<'a> {
    #[serde(default)]
    metadata: Option<Value>,
    #[serde(borrow, default)]
    items: Option<Vec<&'a RawValue>>,
}

impl<'a> Change<'a> {
    fn parse(body: &'a [u8]) -> Result<Self, ProviderError> {
        if body.is_empty() {
            return Ok(Self::default());
        }
        let change: Self = serde_json::from_slice(body).map_err(|error| wrong("body", error.to_string()))?;
        if change.metadata.as_ref().is_some_and(|metadata| !metadata.is_object() && !metadata.is_null()) {
            return Err(wrong("metadata", "metadata: expected an object"));
        }
        if change.items.as_ref().is_some_and(|items| items.len() > NEW_ITEMS) {
            return Err(wrong("items", format!("items: expected at most {NEW_ITEMS} items")));
        }
        Ok(change)
    }

    fn items(&self, reply_id: &str) -> Result<Vec<Item>, ProviderError> {
        let items = self.items.iter().flatten().enumerate();
        let normal = items.map(|(position, item)| items::normalize(item, reply_id, position));
        normal.collect::<Option<_>>().ok_or_else(|| wrong("items", "items: expected a list of objects"))
    }
}

impl Access<'_> {
    async fn load(&self, id: &str) -> Result<StoredResponse, ProviderError> {
        let stored = StoredResponse::load(self.store, self.owner, id).await?;
        stored.ok_or_else(|| not_found("Response", id))
    }

    async fn load_conversation(&self, id: &str) -> Result<Conversation, ProviderError> {
        let stored = Conversation::load(self.store, self.owner, id).await?;
        Ok(stored.ok_or_else(|| not_found("Conversation", id))?.0)
    }

    async fn response(&self, id: &str, query: &str) -> StateAnswer {
        if query.split('&').any(|pair| pair == "stream=true") {
            return Err(wrong("stream", "only a background response can be streamed again"));
        }
        let stored = self.load(id).await?;
        Ok(GatewayResponse::whole(200, stored.response.get().as_bytes().to_vec()))
    }

    async fn remove_response(&self, id: &str) -> StateAnswer {
        self.load(id).await?;
        self.store.remove(self.owner, id).await?;
        Ok(json(200, &json!({ "id": id, "object": "response", "deleted": true })))
    }

    async fn input_items(&self, id: &str, query: &str) -> StateAnswer {
        page(&self.load(id).await?.input, query)
    }

    async fn cancel(&self, id: &str) -> StateAnswer {
        self.load(id).await?;
        Err(wrong("response_id", "Cannot cancel a synchronous response."))
    }

    async fn create(&self, body: &[u8]) -> StateAnswer {
        let (change, reply_id) = (Change::parse(body)?, new_id());
        let items = change.items(&reply_id)?;
        let metadata = change.metadata.filter(Value::is_object).unwrap_or_else(|| json!({}));
        let mut conversation = Conversation::new(&reply_id, now(), metadata);
        if !items.is_empty() {
            let segment = format!("seg_{reply_id}");
            Conversation::store_segment(self.store, self.owner, &segment, &items).await?;
            conversation.segments.push(segment);
        }
        conversation.create(self.store, self.owner).await?;
        Ok(json(200, &conversation.to_object()))
    }

    async fn conversation(&self, id: &str) -> StateAnswer {
        Ok(json(200, &self.load_conversation(id).await?.to_object()))
    }

    async fn update(&self, id: &str, body: &[u8]) -> StateAnswer {
        let metadata = Change::parse(body)?.metadata.filter(Value::is_object);
        let metadata = metadata.ok_or_else(|| wrong("metadata", "metadata: expected an object"))?;
        let changed = Conversation::change(self.store, self.owner, id, |held| {
            held.metadata.clone_from(&metadata);
        });
        Ok(json(200, &changed.await?.to_object()))
    }

    async fn remove(&self, id: &str) -> StateAnswer {
        if !Conversation::remove(self.store, self.owner, id).await? {
            return Err(not_found("Conversation", id));
        }
        Ok(json(200, &json!({ "id": id, "object": "conversation.deleted", "deleted": true })))
    }

    async fn items(&self, id: &str, query: &str) -> StateAnswer {
        let conversation = self.load_conversation(id).await?;
        page(&conversation.items(self.store, self.owner, None).await?, query)
    }

    async fn add_items(&self, id: &str, body: &[u8]) -> StateAnswer {
        self.load_conversation(id).await?;
        let (change, reply_id) = (Change::parse(body)?, new_id());
        let items = change.items(&reply_id)?;
        Conversation::append(self.store, self.owner, id, &reply_id, &items).await?;
        page(&items, "order=asc")
    }

    async fn item(&self, id: &str, item_id: &str) -> StateAnswer {
        let items = self.load_conversation(id).await?.items(self.store, self.owner, None).await?;
        let item = items.iter().find(|item| items::id(item).as_deref() == Some(item_id));
        let item = item.ok_or_else(|| not_found("Item", item_id))?;
        Ok(GatewayResponse::whole(200, item.get().as_bytes().to_vec()))
    }

    async fn remove_item(&self, id: &str, item_id: &str) -> StateAnswer {
        let conversation = self.load_conversation(id).await?;
        for segment in &conversation.segments {
            let mut items = Conversation::load_segment(self.store, self.owner, segment).await?;
            let count = items.len();
            items.retain(|item| items::id(item).as_deref() != Some(item_id));
            if items.len() < count {
                Conversation::store_segment(self.store, self.owner, segment, &items).await?;
                return Ok(json(200, &conversation.to_object()));
            }
        }
        Err(not_found("Item", item_id))
    }
}

fn page(items: &[Item], query: &str) -> StateAnswer {
    let shown = items::page(items, query);
    Ok(json(200, &shown.map_err(|name| wrong(name, format!("{name}: the value is not valid")))?))
}
