//! The attempts of one request at the gateways of a chain.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};

use super::Shared;
use super::chain::{Affinity, GatewayChain};
use super::conversation::conversation_seed;
use crate::recorder::Recorder;
use crate::response::new_id;
use crate::state::StateStore;
use crate::stop::Stop;
use crate::{ClientRequest, Gateway, GatewayResponse};

/// Maximum cool-down that an upstream can ask for.
const MAX_COOL_DOWN: Duration = Duration::from_mins(10);

/// The reason why another gateway gets a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FallbackReason {
    /// The upstream refuses the gateway's key.
    Authentication,
    /// The account of the upstream has no credit.
    Quota,
    /// The upstream does not know the model.
    NotFound,
    RateLimit,
    /// The upstream failed, is overloaded or cannot be reached.
    Failure,
    /// The answer broke before its first byte.
    Broken,
}

/// The upstreams that failed, by their label, with the end of their cool-down.
#[derive(Debug, Default)]
pub(super) struct CoolDowns(Mutex<BTreeMap<String, Instant>>);

impl CoolDowns {
    fn begin(&self, label: &str, time: Duration) {
        let Some(end) = Instant::now().checked_add(time.min(MAX_COOL_DOWN)) else { return };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(label.to_owned(), end);
    }

    fn end(&self, label: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(label);
    }

    fn contains(&self, label: &str) -> bool {
        let ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ends.get(label).is_some_and(|end| *end > Instant::now())
    }
}

impl FallbackReason {
    /// Returns the reason in an answer that another gateway may not share.
    fn of_status(status: u16) -> Option<Self> {
        match status {
            401 | 403 => Some(Self::Authentication),
            402 => Some(Self::Quota),
            404 => Some(Self::NotFound),
            429 => Some(Self::RateLimit),
            408 | 500..=599 => Some(Self::Failure),
            _ => None,
        }
    }

    /// Returns the name in measurements.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Authentication => "authentication",
            Self::Quota => "quota",
            Self::NotFound => "not_found",
            Self::RateLimit => "rate_limit",
            Self::Failure => "failure",
            Self::Broken => "broken",
        }
    }
}

/// The parts that each attempt of a request gets.
pub(super) struct Context<'a> {
    pub(super) shared: &'a Shared,
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
        // A model that is not known says nothing about other models.
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
        let reason = FallbackReason::of_status(answer.status);
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
