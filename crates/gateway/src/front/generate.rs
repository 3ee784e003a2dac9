//! A request for an answer: the client's rights and limits, the chain of its model, and the measurement.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_wire::{Framing, Outline, ProviderError, Server};

use super::accounts::Amount;
use super::measured::{Hold, Measurement};
use super::refusals::{not_permitted, overload_error};
use super::{ClientKey, Front, GatewayChain, Route, attempts, budget};
use crate::stop::Stop;
use crate::{ClientRequest, Gateway, GatewayResponse};

impl Front {
    /// Answers a request for an answer of a model.
    pub(super) async fn generate(
        &self,
        client: Option<&ClientKey>,
        request: &ClientRequest,
        stop: Stop,
    ) -> GatewayResponse {
        let server = self.server_for(request);
        let outline = server.and_then(|server| server.outline(&request.path, &request.body).ok());
        let model = outline.as_ref().map_or("", |outline: &Outline| outline.model.as_str());
        let name = client.map_or("", |key| key.name.as_str());
        let format = server.map_or("", Server::name);
        let mut measurement =
            Measurement::start(Arc::clone(&self.shared), self.log.clone(), request, (name, format, model));
        if client.is_some_and(|key| !key.permits(model)) {
            return measurement.measure(self.refuse(server, &not_permitted(model)), None);
        }
        let Some(place) = self.shared.places.enter(self.requests) else {
            return measurement.measure(self.refuse(server, &overload_error()), None);
        };
        let chain = self.chain_for(model);
        if let (Some(client), Some(outline)) = (client, &outline)
            && !client.limits.is_unlimited()
        {
            match self.reserve(client, chain, outline, request).await {
                Ok(hold) => measurement.hold(hold),
                Err(error) => return measurement.measure(self.refuse(server, &error), Some(place)),
            }
        }
        let recorder = measurement.recorder();
        let context = attempts::Context { shared: &self.shared, state: self.state.as_ref(), recorder };
        let answer = attempts::answer(context, chain, (name, model), request, stop).await;
        measurement.measure(answer, Some(place))
    }

    /// Reserves the amount that a request may use, with the stored conversation that it continues.
    async fn reserve(
        &self,
        client: &ClientKey,
        chain: &GatewayChain,
        outline: &Outline,
        request: &ClientRequest,
    ) -> Result<Hold, ProviderError> {
        let known = self.catalog.iter().find(|model| model.id == outline.model);
        let maximum = known.and_then(|model| model.max_output_tokens);
        let request = self.add_history(chain, request).await;
        let expected = budget::expect_tokens(&request.body, maximum)?;
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
        let second = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let reserved = self.shared.accounts.reserve(&client.name, &client.limits, amount, second);
        let reservation = reserved.map_err(budget::denial_error)?;
        Ok(Hold { reservation, expected, is_whole: outline.framing == Framing::Whole })
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
