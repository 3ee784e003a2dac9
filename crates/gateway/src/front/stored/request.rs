//! Requests about responses and conversations that an upstream of the same format stores.

use std::sync::Arc;

use futures_util::StreamExt as _;
use windlass_client::Method;
use windlass_wire::{Framing, HeaderDirection, Server};

use crate::forward::{pass_whole, send};
use crate::gateway::Gateway;
use crate::headers::select_headers;
use crate::passthrough::query;
use crate::recorder::{Recorder, StoredIds, is_id};
use crate::relay::RelayRequest;
use crate::response::refuse;
use crate::stop::{Phase, Stop};
use crate::usage_reader::CountedBody;
use crate::{ClientRequest, GatewayResponse, refusal};

/// The kind of a stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::front) enum StoredKind {
    Response,
    Conversation,
}

/// A request about a stored value, by its method and path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::front) struct StoredRequest<'a> {
    pub(in crate::front) kind: StoredKind,
    /// `None` for a request that creates a conversation.
    pub(in crate::front) id: Option<&'a str>,
    method: Method,
    /// The path from `responses` or `conversations`.
    path: String,
    /// True if the request removes the value itself.
    removes: bool,
}

impl StoredKind {
    /// Returns the noun in errors.
    pub(in crate::front) fn noun(self) -> &'static str {
        match self {
            Self::Response => "Response",
            Self::Conversation => "Conversation",
        }
    }
}

impl<'a> StoredRequest<'a> {
    /// Reads a request; `None` if it is about something else.
    pub(in crate::front) fn find(method: &str, request: &'a ClientRequest) -> Option<Self> {
        let parts: Vec<&str> = request.route().split('/').filter(|part| !part.is_empty()).collect();
        let start = parts.iter().position(|part| matches!(*part, "responses" | "conversations"))?;
        let parts = parts.get(start..)?;
        let (kind, id) = match (method, parts) {
            ("GET" | "DELETE", ["responses", id])
            | ("GET", ["responses", id, "input_items"])
            | ("POST", ["responses", id, "cancel"]) => (StoredKind::Response, Some(*id)),
            ("POST", ["conversations"]) => (StoredKind::Conversation, None),
            ("GET" | "POST" | "DELETE", ["conversations", id])
            | ("GET" | "POST", ["conversations", id, "items"])
            | ("GET" | "DELETE", ["conversations", id, "items", _]) => (StoredKind::Conversation, Some(*id)),
            _ => return None,
        };
        let method = match method {
            "GET" => Method::Get,
            "DELETE" => Method::Delete,
            _ => Method::Post,
        };
        // A part such as `..` would change the path at the upstream.
        let is_plain = parts.iter().all(|part| is_id(part));
        let removes = method == Method::Delete && parts.len() == 2;
        is_plain.then(|| Self { kind, id, method, path: parts.join("/"), removes })
    }
}

impl Gateway {
    /// Returns true if the upstream can store the values of this format, and requests about them can be forwarded. The
    /// hooks of a gateway cannot read them.
    pub(in crate::front) fn forwards_stored(&self, server: &dyn Server) -> bool {
        self.upstream.relay.is_some() && self.upstream.wire.name() == server.name() && self.hooks.is_empty()
    }

    /// Forwards a request about a stored value, and keeps the id of a value that it creates.
    pub(in crate::front) async fn forward_stored(
        &self,
        server: &dyn Server,
        request: &ClientRequest,
        stored: &StoredRequest<'_>,
        ids: &Arc<StoredIds>,
        stop: Stop,
    ) -> GatewayResponse {
        let (wire, label) = (&self.upstream.wire, &self.upstream.label);
        let base = self.addresses.find(wire.as_ref(), "-", Framing::Whole).ok();
        let base = base.as_ref().and_then(|address| address.path.strip_suffix("responses"));
        let (Some(base), Some(relay)) = (base, &self.upstream.relay) else {
            return refuse(server, &refusal::invalid_request("the upstream stores no responses"));
        };
        let mut path = format!("{base}{}", stored.path);
        let query = query(&request.path);
        if !query.is_empty() {
            path = format!("{path}?{query}");
        }
        let sent = RelayRequest {
            method: stored.method,
            path,
            headers: select_headers(HeaderDirection::Up, server, &request.headers),
            body: request.body.clone(),
            is_streamed: query.split('&').any(|pair| pair == "stream=true"),
        };
        let response = match send(relay.as_ref(), server, sent, &mut stop.into_signal(Phase::Ending)).await {
            Ok(response) => response,
            Err(refusal) => return *refusal,
        };
        if let Some(id) = stored.id
            && stored.removes
            && response.status == 200
        {
            ids.remove(&request.owner, id);
        }
        pass_whole(server, response, |body, status| {
            if stored.id.is_some() || status != 200 {
                return body;
            }
            let recorder = Recorder::default().with_ids(Arc::clone(ids), request.owner.as_str());
            recorder.begin(label, None);
            CountedBody::new(body, wire.clone(), Framing::Whole, Arc::new(recorder)).boxed()
        })
    }
}

#[cfg(test)]
mod tests;
