//! What a human allowed for the rest of a session: kept by several runs, and rebuilt from the record of a resumed one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_hitl::{ApprovalDecision, ApprovalOutcome, Facts, GrantError, Grants};
use windlass_loop::Entry;
use windlass_protocol::CallId;

/// The grants of a session: what a human allowed with [`ApprovalDecision::with_remember`]. Clones are the same session.
///
/// A run has a session of its own unless it is given one with
/// [`RunOptions::with_session`](crate::RunOptions::with_session). A program that makes one run of each message of a
/// conversation gives all of them the same session, so that a call that was allowed for the session is not asked about
/// again. To keep a session beyond the process, store [`grants`](Self::grants), which serializes, and begin with
/// [`Session::new`]. Grants end eight hours after they were given in any case.
///
/// ```
/// use windlass_agent::{RunOptions, Session};
///
/// let session = Session::default();
/// let first = RunOptions::default().with_session(session.clone());
/// let second = RunOptions::default().with_session(session.clone());
/// # drop((first, second));
/// let stored = serde_json::to_string(&session.grants())?;
/// let later = Session::new(serde_json::from_str(&stored)?);
/// assert_eq!(later.grants(), session.grants());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Session {
    grants: Arc<Mutex<Grants>>,
}

impl Session {
    /// A session that begins with these grants.
    pub fn new(grants: Grants) -> Self {
        Self { grants: Arc::new(Mutex::new(grants)) }
    }

    /// Returns what is granted now.
    pub fn grants(&self) -> Grants {
        self.lock().clone()
    }

    /// Takes all grants back.
    pub fn clear(&self) {
        self.lock().clear();
    }

    pub(crate) fn remember(&self, facts: &Facts, decision: &ApprovalDecision) -> Result<(), GrantError> {
        self.lock().remember(facts, decision)
    }

    /// Adds what the record of a run says was granted in it. A grant that cannot be given is left out, as it was then.
    pub(crate) fn restore(&self, entries: &[Entry]) {
        let mut judged: BTreeMap<&CallId, &Facts> = BTreeMap::new();
        let mut asked = BTreeMap::new();
        for entry in entries {
            match entry {
                Entry::Judged { call, facts: Some(facts), .. } => drop(judged.insert(call, &**facts)),
                Entry::Asked { request } => drop(asked.insert(&request.call.id, &request.call)),
                Entry::Approval { call, outcome: ApprovalOutcome::Answered(decision) }
                    if is_grant(decision) =>
                {
                    if let (Some(facts), Some(call)) = (judged.get(call), asked.get(call)) {
                        let facts = Facts::clone(facts).with_payload(call.payload.clone());
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

/// Whether an answer allows more than the one call.
pub(crate) fn is_grant(decision: &ApprovalDecision) -> bool {
    decision.approved && (decision.remember || decision.always_allow)
}
