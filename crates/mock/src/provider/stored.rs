//! The responses that the provider stores for clients of the Responses API.

use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};

/// The most bytes of stored conversations. The oldest responses are removed first.
const MAX_BYTES: usize = 64 << 20;

/// The stored responses.
#[derive(Debug, Default)]
pub(super) struct StoredResponses {
    responses: HashMap<String, StoredResponse>,
    /// The ids from the oldest to the newest, also of removed responses.
    order: VecDeque<String>,
    bytes: usize,
    copies: u64,
}

#[derive(Debug)]
struct StoredResponse {
    body: Value,
    /// The conversation with the output of the response.
    items: Vec<Value>,
    bytes: usize,
}

impl StoredResponses {
    /// Returns the stored conversation before the request's input, if the request names an earlier response. The error
    /// is the message for an unknown one.
    pub(super) fn conversation(&self, request: &Value) -> Result<Option<Vec<Value>>, String> {
        let Some(id) = request.get("previous_response_id").and_then(Value::as_str) else { return Ok(None) };
        let Some(earlier) = self.find(id) else {
            return Err(format!("Previous response with id '{id}' not found."));
        };
        let mut items = earlier.items.clone();
        items.extend(input_items(request));
        Ok(Some(items))
    }

    /// Returns an id that no stored response has.
    pub(super) fn new_id(&mut self, turn: usize) -> String {
        let first = format!("resp_{turn}");
        if !self.responses.contains_key(&first) {
            return first;
        }
        self.copies = self.copies.saturating_add(1);
        format!("{first}_{}", self.copies)
    }

    /// Stores a response and the conversation that it ends.
    pub(super) fn store(&mut self, request: &Value, body: Value, request_bytes: usize) {
        let id = body["id"].as_str().unwrap_or_default().to_owned();
        let mut items = input_items(request);
        items.extend(body["output"].as_array().into_iter().flatten().cloned());
        let earlier =
            request.get("previous_response_id").and_then(Value::as_str).and_then(|id| self.find(id));
        let bytes = request_bytes.saturating_add(earlier.map_or(0, |earlier| earlier.bytes));
        self.bytes = self.bytes.saturating_add(bytes);
        self.responses.insert(id.clone(), StoredResponse { body, items, bytes });
        self.order.push_back(id);
        while self.bytes > MAX_BYTES {
            let Some(oldest) = self.order.pop_front() else { break };
            self.remove(&oldest);
        }
    }

    /// Returns the body of a stored response.
    pub(super) fn body(&self, id: &str) -> Option<&Value> {
        self.find(id).map(|response| &response.body)
    }

    /// Removes a response. Returns false if it is not stored.
    pub(super) fn remove(&mut self, id: &str) -> bool {
        let removed = self.responses.remove(id);
        self.bytes = self.bytes.saturating_sub(removed.as_ref().map_or(0, |response| response.bytes));
        removed.is_some()
    }

    fn find(&self, id: &str) -> Option<&StoredResponse> {
        self.responses.get(id)
    }
}

/// Returns the input of a request as items. A text is a message of the user.
fn input_items(request: &Value) -> Vec<Value> {
    match request.get("input") {
        Some(Value::Array(items)) => items.clone(),
        Some(Value::String(text)) => vec![json!({ "role": "user", "content": text })],
        _ => Vec::new(),
    }
}
