//! A request for an answer: the client's rights and limits, the chain of its model, and the measurement.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_wire::{Framing, Outline, ProviderError, Server};

use super::accounts::{Amount, Reservation};
use super::budget::ExpectedTokens;
use super::cache_plan::CachePlan;
use super::measured::{Hold, Measurement, Receivers, RequestNames};
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
        let is_cached = outline.is_some() && summary.kind != RequestKind::Compaction;
        let cached = self.cache.as_ref().zip(server.filter(|_| is_cached));
        let plan = cached.map(|(cache, server)| CachePlan::new(cache, server, &request));
        let keeps_ids = server.is_some_and(Server::stores_responses) && summary.kind == RequestKind::Answer;
        let recorder = Arc::new(self.recorder(plan.as_ref(), keeps_ids.then_some(&*request.owner)));
        let receivers = Receivers {
            shared: Arc::clone(&self.shared),
            recorder: Arc::clone(&recorder),
            log: self.log.clone(),
            tracer: &self.tracer,
        };
        let names = RequestNames { client: name, format: server.map_or("", Server::name), model };
        let mut measurement = Measurement::start(receivers, &request, &names);
        if server.is_none() {
            return measurement.measure(self.refuse_path("POST", &request), None);
        }
        if let Some(error) = self.refuse_foreign(client, server, model, &request) {
            return measurement.measure(self.refuse(server, &error), None);
        }
        let Some(place) = self.shared.places.enter(self.requests) else {
            return measurement.measure(self.refuse(server, &overload_error()), None);
        };
        let chain = self.chain_for(model);
        let stored = plan.as_ref().and_then(CachePlan::find);
        let hold = match stored {
            Some(_) => self.count_request(client),
            // The future is needed for clients with limits only.
            None if client.is_some() => Box::pin(self.hold(client, chain, &summary, &request)).await,
            None => Ok(None),
        };
        match hold {
            Ok(hold) => measurement.hold(hold),
            Err(error) => return measurement.measure(self.refuse(server, &error), Some(place)),
        }
        if let Some(stored) = stored {
            measurement.count_cache(CacheResult::Hit);
            return measurement.measure(stored, Some(place));
        }
        let request = replace_parent(request, measurement.span().and_then(RequestSpan::trace_parent));
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

    /// Refuses a model that the client may not use, and stored state of another client.
    fn refuse_foreign(
        &self,
        client: Option<&ClientKey>,
        server: Option<&dyn Server>,
        model: &str,
        request: &ClientRequest,
    ) -> Option<ProviderError> {
        let foreign_model = client.filter(|key| !key.permits(model)).map(|_| not_permitted(model));
        foreign_model.or_else(|| self.refuse_foreign_state(server?, request))
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

    /// Counts a stored answer as a request of a client with limits. It costs no tokens.
    fn count_request(&self, client: Option<&ClientKey>) -> Result<Option<Hold>, ProviderError> {
        let Some(client) = client.filter(|key| !key.limits.is_unlimited()) else { return Ok(None) };
        self.reserve_amount(client, Amount::default()).map(|_| None)
    }

    /// Holds the amount that a request of a client with limits may use.
    async fn hold(
        &self,
        client: Option<&ClientKey>,
        chain: &GatewayChain,
        summary: &RequestSummary,
        request: &ClientRequest,
    ) -> Result<Option<Hold>, ProviderError> {
        let Some(client) = client.filter(|key| !key.limits.is_unlimited()) else { return Ok(None) };
        let Some(outline) = &summary.outline else { return Ok(None) };
        let expected = if matches!(summary.kind, RequestKind::Embeddings(_)) {
            budget::expect_tokens(&request.body, Some(0))?
        } else {
            // The stored conversation that the request continues is input, too.
            let maximum = self.find_maximum(chain, &outline.model);
            budget::expect_tokens(&self.add_history(chain, request).await.body, maximum)?
        };
        let reservation = self.reserve(client, chain, &outline.model, expected)?;
        let is_background = budget::is_background(&request.body);
        let is_whole = outline.framing == Framing::Whole;
        Ok(Some(Hold { reservation, expected, is_whole, is_background }))
    }

    /// Reserves the amount of the tokens at the most expensive gateway of a chain, because any of them may answer.
    fn reserve(
        &self,
        client: &ClientKey,
        chain: &GatewayChain,
        model: &str,
        expected: ExpectedTokens,
    ) -> Result<Reservation, ProviderError> {
        let mut amount = Amount::default();
        for Gateway { upstream, .. } in chain.gateways() {
            let prices = upstream.prices(upstream.name.as_deref().unwrap_or(model));
            if prices.is_none() && client.limits.has_money() {
                return Err(budget::unknown_price(model));
            }
            let candidate = expected.amount(prices);
            amount = Amount { tokens: candidate.tokens, cost: amount.cost.max(candidate.cost) };
        }
        self.reserve_amount(client, amount)
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
