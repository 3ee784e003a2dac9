//! The numbers of sessions by state.

use std::collections::BTreeMap;

use super::record::SessionState;

/// Numbers of sessions by state, and of their open questions.
///
/// ```
/// use windlass_app::sessions::{SessionState, Sessions};
/// use windlass_app::{App, Folders};
///
/// let folder = tempfile::tempdir()?;
/// let app = App::new(Folders::new(folder.path().join("settings"), folder.path().join("state")));
/// let counts = Sessions::new(&app)?.counts()?;
/// assert_eq!((counts.states.get(&SessionState::Ended), counts.open_questions), (None, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionCounts {
    /// Number of sessions in each state that occurs.
    pub states: BTreeMap<SessionState, usize>,
    /// Number of open questions of all sessions.
    pub open_questions: usize,
}

impl SessionCounts {
    /// Adds sessions in a state with their open questions.
    pub fn add(&mut self, state: SessionState, sessions: usize, open_questions: usize) {
        if sessions > 0 {
            let count = self.states.entry(state).or_default();
            *count = count.saturating_add(sessions);
        }
        self.open_questions = self.open_questions.saturating_add(open_questions);
    }
}
