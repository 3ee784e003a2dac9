//! The attempts of one request at the gateways of a chain.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};

use super::chain::{Affinity, GatewayChain};
use super::conversation::conversation_seed;
use super::cool_downs::FallbackReason;
use super::front_records::FrontRecords;
use crate::recorder::Recorder;
use crate::response::new_id;
use crate::state::StateStore;
use crate::stop::Stop;
use crate::{ClientRequest, Gateway, GatewayResponse};

/// The parts that each attempt of a request gets.
pub(super) struct Context<'a> {
    pub(super) shared: &'a FrontRecords,
    /// The store for gateways that have none of their own.
    pub(super) state: Option<&'a Arc<dyn StateStore>>,
    pub(super) recorder: Arc<Recorder>,
}

impl Context<'_> {
    fn prepare(&self, gateway: &Gateway) -> Gateway {
        let mut gateway = gateway.clone().with_recorder(Arc::clone(&self.recorder));
        gateway.state = gateway.state.or_else(|| self.state.cloned());
        gateway
    }
}

/// Sends a request to the gateways of a chain until one answers.
pub(super) async fn answer(
    context: Context<'_>,
    chain: &GatewayChain,
    (client, model): (&str, &str),
    request: &ClientRequest,
    stop: Stop,
) -> GatewayResponse {
    let shared = context.shared;
    let mut gateways = chain.gateways();
    if let (Some(only), None) = (gateways.next(), gateways.next()) {
        return context.prepare(only).answer_until(request, stop).await;
    }
    let seed = match chain.affinity() {
        Affinity::Conversation => conversation_seed(client, model, &request.body),
        Affinity::Request => new_id().into_bytes(),
    };
    let order = chain.order(&seed, |label| shared.cool_downs.contains(label));
    let (mut gateway, mut others) = (chain.first(), order.into_iter());
    if let Some(best) = others.next() {
        gateway = best;
    }
    loop {
        let label = &gateway.upstream.label;
        let (answer, reason) =
            examine(context.prepare(gateway).answer_until(request, stop.clone()).await).await;
        let Some(reason) = reason else {
            shared.cool_downs.end(label);
            return answer;
        };
        // Another model of the upstream may exist.
        if reason != FallbackReason::NotFound {
            shared.cool_downs.begin(label, retry_after(&answer).unwrap_or(chain.cool_down()));
        }
        shared.metrics.fall_back(label, reason);
        match others.next() {
            Some(next) => gateway = next,
            None => return answer,
        }
    }
}

/// Returns an answer with the reason for another attempt, if there is one. Waits for the first bytes of a success.
async fn examine(mut answer: GatewayResponse) -> (GatewayResponse, Option<FallbackReason>) {
    if answer.status >= 400 {
        let reason = FallbackReason::from_status(answer.status);
        return (answer, reason);
    }
    let first = answer.body.next().await;
    let reason = matches!(first, None | Some(Err(_))).then_some(FallbackReason::Broken);
    let rest = std::mem::replace(&mut answer.body, Box::pin(stream::empty()));
    answer.body = Box::pin(stream::iter(first).chain(rest));
    (answer, reason)
}

fn retry_after(answer: &GatewayResponse) -> Option<Duration> {
    let (_, value) = answer.headers.iter().find(|(name, _)| name == "retry-after")?;
    value.trim().parse().ok().map(Duration::from_secs)
}
