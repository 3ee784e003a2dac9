//! Responses and conversations that upstreams of their format store, within the rights of each client.

mod names;
mod request;

use std::collections::BTreeSet;

use futures_util::StreamExt as _;
use windlass_wire::{ProviderError, Server};

use super::accounts::Amount;
use super::refusals::overload_error;
use super::{ClientKey, Front, GatewayChain};
use crate::recorder::StoredAt;
use crate::response::refuse;
use crate::state;
use crate::stop::Stop;
use crate::{ClientRequest, Gateway, GatewayResponse};
use names::read_state_ids;
use request::{StoredKind, StoredRequest};

impl Front {
    /// Answers a request about a stored value, from the store of the gateway or from the upstream that stores it; `None` if
    /// the request is about something else.
    pub(super) async fn answer_stored(
        &self,
        method: &str,
        client: Option<&ClientKey>,
        request: &ClientRequest,
        stop: &Stop,
    ) -> Option<GatewayResponse> {
        let server = self.state_server()?;
        let Some(stored) = StoredRequest::find(method, request) else {
            return self.answer_from_state(server, method, request).await;
        };
        if let Some(gateway) = self.gateway_of(server, &stored, &request.owner) {
            return Some(self.pass_stored(gateway, server, client, request, &stored, stop.clone()).await);
        }
        let own = self.answer_from_state(server, method, request).await;
        if own.as_ref().is_some_and(|answer| answer.status != 404) {
            return own;
        }
        if let Some(gateway) = self.only_gateway(server) {
            return Some(self.pass_stored(gateway, server, client, request, &stored, stop.clone()).await);
        }
        let is_upstreams = self.gateways().any(|gateway| gateway.forwards_stored(server));
        let not_found = |id| refuse(server, &state::not_found(stored.kind.noun(), id));
        own.or_else(|| stored.id.filter(|_| is_upstreams).map(not_found))
    }

    /// Refuses a request that continues a response or a conversation of another client.
    pub(super) fn refuse_foreign_state(
        &self,
        server: &dyn Server,
        request: &ClientRequest,
    ) -> Option<ProviderError> {
        if self.keys.is_none() || !server.stores_responses() {
            return None;
        }
        let is_foreign = |id: &str| self.shared.stored_ids.find(&request.owner, id) == StoredAt::Foreign;
        let (kind, id) = read_state_ids(&request.body).into_iter().find(|(_, id)| is_foreign(id))?;
        Some(match kind {
            StoredKind::Response => state::previous_not_found(&id),
            StoredKind::Conversation => state::not_found(kind.noun(), &id),
        })
    }

    async fn answer_from_state(
        &self,
        server: &dyn Server,
        method: &str,
        request: &ClientRequest,
    ) -> Option<GatewayResponse> {
        state::answer(self.state.as_ref()?.as_ref(), Some(server), method, request).await
    }

    /// Returns the gateway whose upstream stores the value for this client, or that creates it.
    fn gateway_of(&self, server: &dyn Server, stored: &StoredRequest<'_>, owner: &str) -> Option<&Gateway> {
        let Some(id) = stored.id else {
            // A conversation has no model yet. Upstreams of other formats need a conversation in the gateway's own
            // store.
            let is_theirs = self.gateways().all(|gateway| gateway.forwards_stored(server));
            return Some(self.chain.first()).filter(|_| is_theirs);
        };
        let StoredAt::Upstream(label) = self.shared.stored_ids.find(owner, id) else { return None };
        self.gateways().find(|gateway| gateway.upstream.label == label && gateway.forwards_stored(server))
    }

    /// Returns the gateway of the only upstream of the format, which knows ids that the gateway does not. With keys of
    /// clients, an unknown id can belong to another client.
    fn only_gateway(&self, server: &dyn Server) -> Option<&Gateway> {
        let gateways = || self.gateways().filter(|gateway| gateway.forwards_stored(server));
        let labels: BTreeSet<&str> = gateways().map(|gateway| gateway.upstream.label.as_str()).collect();
        (self.keys.is_none() && labels.len() == 1).then(|| gateways().next())?
    }

    fn gateways(&self) -> impl Iterator<Item = &Gateway> {
        let routes = self.routes.iter().map(|route| &route.chain);
        std::iter::once(&self.chain).chain(routes).flat_map(GatewayChain::gateways)
    }

    /// Forwards a request about a stored value. It counts as a request of its client, and takes a place until its answer has
    /// ended.
    async fn pass_stored(
        &self,
        gateway: &Gateway,
        server: &dyn Server,
        client: Option<&ClientKey>,
        request: &ClientRequest,
        stored: &StoredRequest<'_>,
        stop: Stop,
    ) -> GatewayResponse {
        if let Some(client) = client.filter(|key| !key.limits.is_unlimited())
            && let Err(error) = self.reserve_amount(client, Amount::default())
        {
            return self.refuse(Some(server), &error);
        }
        let Some(place) = self.shared.places.enter(self.requests) else {
            return self.refuse(Some(server), &overload_error());
        };
        let mut answer = gateway.forward_stored(server, request, stored, &self.shared.stored_ids, stop).await;
        let hold = move |piece| {
            let _ = &place;
            piece
        };
        answer.body = answer.body.map(hold).boxed();
        answer
    }
}
