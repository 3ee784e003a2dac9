//! The attempts of one request at the gateways of a chain.

use std::sync::Arc;
use std::time::Duration;

use super::attempt::OpenAttempt;
use super::chain::{Affinity, GatewayChain};
use super::conversation::conversation_seed;
use super::cool_downs::FallbackReason;
use super::first_event;
use super::front_records::FrontRecords;
use super::tracer::RequestSpan;
use crate::gateway::RequestSummary;
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
    /// The span of the request.
    pub(super) span: Option<&'a dyn RequestSpan>,
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
    client: &str,
    request: ClientRequest,
    summary: RequestSummary,
    stop: Stop,
) -> GatewayResponse {
    let shared = context.shared;
    let mut gateways = chain.gateways();
    if let (Some(only), None) = (gateways.next(), gateways.next()) {
        return context.prepare(only).answer_until(request, summary, stop).await;
    }
    let seed = match chain.affinity() {
        Affinity::Conversation => {
            let model = summary.outline.as_ref().map_or("", |outline| outline.model.as_str());
            conversation_seed(client, model, &request.body)
        }
        Affinity::Request => new_id().into_bytes(),
    };
    let order = chain.order(&seed, |label| shared.cool_downs.contains(label));
    let (mut gateway, mut others) = (chain.first(), order.into_iter());
    if let Some(best) = others.next() {
        gateway = best;
    }
    let mut number: usize = 1;
    loop {
        let label = &gateway.upstream.label;
        let prepared = context.prepare(gateway);
        let model = summary.outline.as_ref().map_or("", |outline| outline.model.as_str());
        let attempt = OpenAttempt::begin(context.span, number, gateway, model);
        let request = attempt.trace(request.clone());
        let answer = prepared.answer_until(request, summary.clone(), stop.clone()).await;
        let (answer, reason) = examine(answer).await;
        let answer = attempt.observe(answer, reason);
        let Some(reason) = reason else {
            shared.cool_downs.end(label);
            return answer;
        };
        // Another model of the upstream may exist.
        if reason != FallbackReason::NotFound {
            shared.cool_downs.begin(label, retry_after(&answer).unwrap_or(chain.cool_down()));
        }
        shared.metrics.fall_back(label, reason);
        number = number.saturating_add(1);
        match others.next() {
            Some(next) => gateway = next,
            None => return answer,
        }
    }
}

/// Returns an answer with the reason for another attempt, if there is one.
async fn examine(answer: GatewayResponse) -> (GatewayResponse, Option<FallbackReason>) {
    if answer.status >= 400 {
        let reason = FallbackReason::from_status(answer.status);
        return (answer, reason);
    }
    first_event::examine(answer).await
}

fn retry_after(answer: &GatewayResponse) -> Option<Duration> {
    let (_, value) = answer.headers.iter().find(|(name, _)| name == "retry-after")?;
    value.trim().parse().ok().map(Duration::from_secs)
}
