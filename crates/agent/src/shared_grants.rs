//! Grants for the rest of a session, shared by several runs and restored from the record of a resumed run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_hitl::{ApprovalDecision, ApprovalOutcome, GrantError, Grants, PolicyInput};
use windlass_loop::Entry;
use windlass_protocol::CallId;

/// The calls that a human allowed for the rest of a session, with [`ApprovalDecision::with_remember`]. Clones share the
/// same grants.
///
/// Without [`RunOptions::with_grants`](crate::RunOptions::with_grants), each run has its own grants. A program that
/// starts a run for each message of a conversation passes the same grants to all of them, so that a human is not asked
/// again about a call that is allowed for the session; [`Session`](crate::SharedGrants) does so. To keep grants longer than
/// the process, serialize [`grants`](Self::grants) and pass them to [`SharedGrants::new`]. Every grant expires eight
/// hours after it was given.
///
/// ```
/// use windlass_agent::{RunOptions, SharedGrants};
///
/// let grants = SharedGrants::default();
/// let first = RunOptions::default().with_grants(grants.clone());
/// let second = RunOptions::default().with_grants(grants.clone());
/// # drop((first, second));
/// let stored = serde_json::to_string(&grants.grants())?;
/// let later = SharedGrants::new(serde_json::from_str(&stored)?);
/// assert_eq!(later.grants(), grants.grants());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SharedGrants {
    grants: Arc<Mutex<Grants>>,
}

impl SharedGrants {
    /// Creates shared grants with this content.
    pub fn new(grants: Grants) -> Self {
        Self { grants: Arc::new(Mutex::new(grants)) }
    }

    /// Creates shared grants from the record of a run.
    pub fn from_record(entries: &[Entry]) -> Self {
        let shared = Self::default();
        shared.restore(entries);
        shared
    }

    /// Returns a copy of the current grants.
    pub fn grants(&self) -> Grants {
        self.lock().clone()
    }

    /// Revokes all grants.
    pub fn clear(&self) {
        self.lock().clear();
    }

    pub(crate) fn remember(
        &self,
        facts: &PolicyInput,
        decision: &ApprovalDecision,
    ) -> Result<(), GrantError> {
        self.lock().remember(facts, decision)
    }

    /// Adds the grants that the record of a run contains. A grant for a call of critical risk is skipped, as
    /// in the original run.
    pub(crate) fn restore(&self, entries: &[Entry]) {
        let mut decided: BTreeMap<&CallId, &PolicyInput> = BTreeMap::new();
        let mut asked = BTreeMap::new();
        for entry in entries {
            match entry {
                Entry::Decided { call, facts: Some(facts), .. } => drop(decided.insert(call, &**facts)),
                Entry::Asked { request } => drop(asked.insert(&request.call.id, &request.call)),
                Entry::Approval { call, outcome: ApprovalOutcome::Answered(decision) }
                    if is_grant(decision) =>
                {
                    if let (Some(facts), Some(call)) = (decided.get(call), asked.get(call)) {
                        let facts = PolicyInput::clone(facts).with_payload(call.payload.clone());
                        self.remember(&facts, decision).ok();
                    }
                }
                _ => {}
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Grants> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether the decision allows more than the one call.
pub(crate) fn is_grant(decision: &ApprovalDecision) -> bool {
    decision.approved && (decision.remember || decision.always_allow)
}
