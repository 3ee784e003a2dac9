//! A request for an answer: the client's rights and limits, the chain of its model, and the measurement.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_wire::{Framing, Outline, ProviderError, Server};

use super::accounts::{Amount, Reservation};
use super::cache_plan::CachePlan;
use super::measured::{Hold, Measurement};
use super::refusals::{not_permitted, overload_error};
use super::tracer::{RequestSpan, replace_parent};
use super::{CacheResult, ClientKey, Front, GatewayChain, Route, attempts, budget};
use crate::gateway::{RequestKind, RequestSummary};
use crate::recorder::Recorder;
use crate::stop::Stop;
use crate::{ClientRequest, Gateway, GatewayResponse};

impl Front {
    /// Answers a request for an answer of a model.
    pub(super) async fn generate(
        &self,
        client: Option<&ClientKey>,
        request: ClientRequest,
        stop: Stop,
    ) -> GatewayResponse {
        let summary = RequestSummary::read(&request);
        let server = summary.kind.server(&self.chain.first().servers, &request);
        let summary = summary.with_outline(server, &request);
        let outline = summary.outline.as_ref();
        let model = outline.map_or("", |outline: &Outline| outline.model.as_str());
        let name = client.map_or("", |key| key.name.as_str());
        let format = server.map_or("", Server::name);
        let is_cached = outline.is_some() && summary.kind != RequestKind::Compaction;
        let cached = self.cache.as_ref().zip(server.filter(|_| is_cached));
        let plan = cached.map(|(cache, server)| CachePlan::new(cache, server, &request));
        let keeps_ids = server.is_some_and(Server::stores_responses) && summary.kind == RequestKind::Answer;
        let recorder = Arc::new(self.recorder(plan.as_ref(), keeps_ids.then_some(&*request.owner)));
        let mut measurement = Measurement::start(
            (Arc::clone(&self.shared), Arc::clone(&recorder)),
            (self.log.clone(), &self.tracer),
            &request,
            (name, format, model),
        );
        if server.is_none() {
            return measurement.measure(self.refuse_path("POST", &request), None);
        }
        let foreign_model = client.filter(|key| !key.permits(model)).map(|_| not_permitted(model));
        let foreign_state = || server.and_then(|server| self.refuse_foreign_state(server, &request));
        if let Some(error) = foreign_model.or_else(foreign_state) {
            return measurement.measure(self.refuse(server, &error), None);
        }
        let Some(place) = self.shared.places.enter(self.requests) else {
            return measurement.measure(self.refuse(server, &overload_error()), None);
        };
        let chain = self.chain_for(model);
        let stored = plan.as_ref().and_then(CachePlan::find);
        match self.hold(client, chain, &summary, (&request, stored.is_some())).await {
            Ok(hold) => measurement.hold(hold),
            Err(error) => return measurement.measure(self.refuse(server, &error), Some(place)),
        }
        if let Some(stored) = stored {
            measurement.count_cache(CacheResult::Hit);
            return measurement.measure(stored, Some(place));
        }
        let request = match measurement.span().and_then(RequestSpan::trace_parent) {
            Some(parent) => replace_parent(request, parent),
            None => request,
        };
        let context = attempts::Context {
            shared: &self.shared,
            state: self.state.as_ref(),
            recorder: Arc::clone(&recorder),
            span: measurement.span(),
        };
        let mut answer = attempts::answer(context, chain, name, request, summary, stop).await;
        if let Some(plan) = plan {
            measurement.count_cache(plan.result());
            answer = plan.record(answer, recorder);
        }
        measurement.measure(answer, Some(place))
    }

    /// Creates the recorder of an answer. `owner` is the client for which the id of a stored response is kept, if it is.
    fn recorder(&self, plan: Option<&CachePlan>, owner: Option<&str>) -> Recorder {
        let recorder = match plan {
            Some(plan) if plan.stores() => Recorder::with_end(),
            _ => Recorder::default(),
        };
        match owner {
            Some(owner) => recorder.with_ids(Arc::clone(&self.shared.stored_ids), owner),
            None => recorder,
        }
    }

    /// Holds the amount of a request of a client with limits. A stored answer counts as a request, and costs no tokens.
    async fn hold(
        &self,
        client: Option<&ClientKey>,
        chain: &GatewayChain,
        summary: &RequestSummary,
        (request, is_stored): (&ClientRequest, bool),
    ) -> Result<Option<Hold>, ProviderError> {
        let Some(client) = client.filter(|key| !key.limits.is_unlimited()) else { return Ok(None) };
        let Some(outline) = &summary.outline else { return Ok(None) };
        if is_stored {
            return self.reserve_amount(client, Amount::default()).map(|_| None);
        }
        self.reserve(client, chain, outline, (request, matches!(summary.kind, RequestKind::Embeddings(_))))
            .await
            .map(Some)
    }

    /// Reserves the amount that a request may use, with the stored conversation that it continues.
    async fn reserve(
        &self,
        client: &ClientKey,
        chain: &GatewayChain,
        outline: &Outline,
        (request, is_embedding): (&ClientRequest, bool),
    ) -> Result<Hold, ProviderError> {
        let maximum = self.find_maximum(chain, &outline.model);
        let expected = if is_embedding {
            budget::expect_tokens(&request.body, Some(0))?
        } else {
            budget::expect_tokens(&self.add_history(chain, request).await.body, maximum)?
        };
        let mut amount = Amount::default();
        for Gateway { upstream, .. } in chain.gateways() {
            let prices = upstream.prices(upstream.name.as_deref().unwrap_or(&outline.model));
            if prices.is_none() && client.limits.has_money() {
                return Err(budget::unknown_price(&outline.model));
            }
            // Any gateway of the chain may answer.
            let candidate = expected.amount(prices);
            amount = Amount { tokens: candidate.tokens, cost: amount.cost.max(candidate.cost) };
        }
        let reservation = self.reserve_amount(client, amount)?;
        let is_background = budget::is_background(&request.body);
        Ok(Hold { reservation, expected, is_whole: outline.framing == Framing::Whole, is_background })
    }

    /// Returns the maximum of output tokens that the catalogue knows of a model, by the client's name for it or by those of
    /// the upstreams.
    fn find_maximum(&self, chain: &GatewayChain, model: &str) -> Option<u64> {
        let names = chain.gateways().filter_map(|gateway| gateway.upstream.name.as_deref()).chain([model]);
        let of_name = |name| self.catalog.iter().filter(move |known| known.id == name);
        names.flat_map(of_name).filter_map(|known| known.max_output_tokens).max()
    }

    pub(super) fn reserve_amount(
        &self,
        client: &ClientKey,
        amount: Amount,
    ) -> Result<Reservation, ProviderError> {
        let second = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let reserved = self.shared.accounts.reserve(&client.name, &client.limits, amount, second);
        reserved.map_err(budget::denial_error)
    }

    /// Adds the stored conversation that a gateway of the chain would send. A request that names unknown state stays as
    /// it is, and is refused by that gateway.
    async fn add_history<'a>(
        &self,
        chain: &GatewayChain,
        request: &'a ClientRequest,
    ) -> Cow<'a, ClientRequest> {
        let Some(server) = self.server_for(request) else { return Cow::Borrowed(request) };
        for gateway in chain.gateways() {
            let store = gateway.state.as_ref().or(self.state.as_ref());
            if let Ok((Cow::Owned(expanded), _)) = gateway.start_session(store, server, request).await {
                return Cow::Owned(expanded);
            }
        }
        Cow::Borrowed(request)
    }

    fn chain_for(&self, model: &str) -> &GatewayChain {
        let has_name = |route: &&Route| route.names.iter().any(|name| name == model);
        self.routes.iter().find(has_name).map_or(&self.chain, |route| &route.chain)
    }
}
