//! Upstreams that failed, and the reasons.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum cool-down that an upstream can ask for.
const MAX_COOL_DOWN: Duration = Duration::from_mins(10);

/// The reason why another gateway of a chain gets a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FallbackReason {
    /// The upstream refuses the gateway's key.
    Authentication,
    /// The account of the upstream has no credit.
    Quota,
    /// The upstream does not know the model.
    NotFound,
    /// The upstream has a rate limit.
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
    pub(super) fn begin(&self, label: &str, time: Duration) {
        let Some(end) = Instant::now().checked_add(time.min(MAX_COOL_DOWN)) else { return };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(label.to_owned(), end);
    }

    pub(super) fn end(&self, label: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(label);
    }

    pub(super) fn contains(&self, label: &str) -> bool {
        let ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ends.get(label).is_some_and(|end| *end > Instant::now())
    }
}

impl FallbackReason {
    /// Returns the reason of a refusal that another gateway does not necessarily repeat.
    pub(super) fn from_status(status: u16) -> Option<Self> {
        match status {
            401 | 403 => Some(Self::Authentication),
            402 => Some(Self::Quota),
            404 => Some(Self::NotFound),
            429 => Some(Self::RateLimit),
            408 | 500..=599 => Some(Self::Failure),
            _ => None,
        }
    }

    /// Returns the name in measurements and spans.
    pub fn as_str(self) -> &'static str {
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
