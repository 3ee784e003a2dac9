//! The gateways of one route: balanced by weight, kept for a conversation, and replaced by others when they fail.

use std::fmt;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::Gateway;

/// The time for which an upstream that failed is asked last, unless it names a wait.
const COOL_DOWN: Duration = Duration::from_secs(10);

/// The gateways that answer for a route, in stages. Within a stage requests are balanced by weight; a later stage answers
/// when all of the earlier ones fail.
///
/// The next gateway gets a request if the answer of one is a refusal that another gateway does not necessarily
/// repeat: status 401, 402, 403, 404, 408, 429 or 5xx, a stream that breaks before its first event, or one whose
/// first event is an error that another upstream does not necessarily repeat. A client that received a byte keeps its
/// answer. A gateway that failed is asked last for the time in its `retry-after`, or for the cool-down.
///
/// ```
/// # fn example(first: windlass_gateway::Gateway, second: windlass_gateway::Gateway, other: windlass_gateway::Gateway) {
/// use windlass_gateway::{Front, GatewayChain};
///
/// // Two of three conversations go to the second key. `other` answers if both fail.
/// let chain = GatewayChain::new(first).with_peer(second, 2).with_fallback(other);
/// let front = Front::new(chain);
/// # drop(front);
/// # }
/// ```
#[derive(Clone)]
pub struct GatewayChain {
    first: Gateway,
    stages: Vec<Vec<Member>>,
    affinity: Affinity,
    cool_down: Duration,
}

/// The choice among the gateways of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Affinity {
    /// The requests of a conversation go to one gateway, whose provider has the conversation in its cache.
    #[default]
    Conversation,
    /// Each request is balanced by itself.
    Request,
}

#[derive(Clone)]
struct Member {
    gateway: Gateway,
    weight: u32,
}

impl GatewayChain {
    /// Creates a chain of one gateway with the weight 1.
    pub fn new(gateway: Gateway) -> Self {
        let stages = vec![vec![Member { gateway: gateway.clone(), weight: 1 }]];
        Self { first: gateway, stages, affinity: Affinity::default(), cool_down: COOL_DOWN }
    }

    /// Adds a gateway to the last stage. A weight of 0 counts as 1.
    pub fn with_peer(mut self, gateway: Gateway, weight: u32) -> Self {
        if let Some(stage) = self.stages.last_mut() {
            stage.push(Member { gateway, weight: weight.max(1) });
        }
        self
    }

    /// Adds a stage with one gateway of the weight 1.
    pub fn with_fallback(mut self, gateway: Gateway) -> Self {
        self.stages.push(vec![Member { gateway, weight: 1 }]);
        self
    }

    /// Sets the weight of the gateway that was added last. A weight of 0 counts as 1.
    pub fn with_weight(mut self, weight: u32) -> Self {
        if let Some(member) = self.stages.last_mut().and_then(|stage| stage.last_mut()) {
            member.weight = weight.max(1);
        }
        self
    }

    /// Sets the choice among the gateways of a stage.
    pub fn with_affinity(mut self, affinity: Affinity) -> Self {
        self.affinity = affinity;
        self
    }

    /// Sets the time for which a gateway that failed is asked last. Default: 10 seconds.
    pub fn with_cool_down(mut self, cool_down: Duration) -> Self {
        self.cool_down = cool_down;
        self
    }

    pub(super) fn affinity(&self) -> Affinity {
        self.affinity
    }

    pub(super) fn cool_down(&self) -> Duration {
        self.cool_down
    }

    /// Returns the first gateway.
    pub(super) fn first(&self) -> &Gateway {
        &self.first
    }

    /// Returns the gateways, in the order of the stages.
    pub(super) fn gateways(&self) -> impl Iterator<Item = &Gateway> {
        self.stages.iter().flatten().map(|member| &member.gateway)
    }

    /// Returns the gateways in the order in which a request tries them. `seed` identifies the conversation or the
    /// request; `is_cooling` returns true for the labels of upstreams that failed.
    pub(super) fn order(&self, seed: &[u8], is_cooling: impl Fn(&str) -> bool) -> Vec<&Gateway> {
        let mut order: Vec<(bool, usize, f64, &Gateway)> = Vec::new();
        for (stage, members) in self.stages.iter().enumerate() {
            for (place, member) in members.iter().enumerate() {
                let score = score(seed, stage, place, member);
                order.push((is_cooling(&member.gateway.upstream.label), stage, score, &member.gateway));
            }
        }
        order.sort_by(|left, right| {
            left.0.cmp(&right.0).then(left.1.cmp(&right.1)).then(left.2.total_cmp(&right.2))
        });
        order.into_iter().map(|(.., gateway)| gateway).collect()
    }
}

/// Returns the score of a member by weighted rendezvous hashing: the lowest wins. A member that leaves or returns moves
/// only the conversations that were its own.
fn score(seed: &[u8], stage: usize, place: usize, member: &Member) -> f64 {
    let mut hash = Sha256::new();
    hash.update(seed);
    hash.update(format!("|{stage}|{place}|{}", member.gateway.upstream.label));
    let digest = hash.finalize();
    let first = digest.first_chunk::<4>().copied().unwrap_or_default();
    // Between 0 and 1, both excluded.
    let uniform = (f64::from(u32::from_be_bytes(first)) + 0.5) / (f64::from(u32::MAX) + 1.0);
    -uniform.ln() / f64::from(member.weight)
}

impl From<Gateway> for GatewayChain {
    fn from(gateway: Gateway) -> Self {
        Self::new(gateway)
    }
}

impl fmt::Debug for GatewayChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages = self.stages.iter().map(|stage| {
            let members = stage.iter().map(|member| (member.gateway.upstream.label.as_str(), member.weight));
            members.collect::<Vec<_>>()
        });
        f.debug_struct("GatewayChain")
            .field("stages", &stages.collect::<Vec<_>>())
            .field("affinity", &self.affinity)
            .finish_non_exhaustive()
    }
}
