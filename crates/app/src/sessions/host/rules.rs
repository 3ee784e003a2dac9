//! The rule that a window makes of a question.

use std::time::Duration;

use windlass_hitl::ApprovalRequest;

use super::SessionHost;
use crate::policies::RuleProposal;
use crate::runs::{OpenQuestions, RunFolder};
use crate::sessions::answer::{Answer, AnswerError, AnswerPlace};
use crate::sessions::catalog::Sessions;
use crate::sessions::handle::RunHandle;

/// The feed publishes a question a moment before the run asks it. This is the maximum number of checks whether the
/// run has asked it.
const TRIES: u32 = 100;
const INTERVAL: Duration = Duration::from_millis(20);

/// Returns the open question of a working run about a call.
pub(super) async fn wait_for_request(run: &RunHandle, question: &str) -> Option<ApprovalRequest> {
    let mut tries = 0;
    while tries < TRIES && run.shared.desk.has_question(question) {
        if let Some(request) = run.shared.desk.request(question) {
            return Some(request);
        }
        tries = tries.saturating_add(1);
        tokio::time::sleep(INTERVAL).await;
    }
    None
}

impl SessionHost {
    /// Proposes the narrowest rule that allows the call of a question and similar calls. It is not written.
    ///
    /// # Errors
    ///
    /// Returns [`AnswerError::CannotRemember`] if a rule of the policy demands the question, and another error if the
    /// question is not open or no narrow rule covers the call.
    pub async fn propose_rule(&self, session: &str, question: &str) -> Result<RuleProposal, AnswerError> {
        let (request, folder) = self.find_request(session, question).await?;
        if !request.can_remember {
            return Err(AnswerError::CannotRemember);
        }
        let propose = move |sessions: &Sessions| {
            let settings = folder.settings()?;
            RuleProposal::new(sessions.app(), &settings.root, settings.policy.as_deref(), &request)
        };
        Ok(self.on_sessions(propose).await?)
    }

    /// Approves the call of a question for the session, and writes the proposed rule to the user's policy file.
    /// `digest` is the one of the proposal that the person saw. The rule counts for runs that start or resume later.
    ///
    /// # Errors
    ///
    /// Returns [`AnswerError::RuleChanged`] if the proposal is another one now. If the answer arrived and the file cannot
    /// be written, the error names this state.
    pub async fn answer_with_rule(
        &self,
        session: &str,
        question: &str,
        (digest, comment): (&str, Option<String>),
        by: &str,
    ) -> Result<(AnswerPlace, RuleProposal), AnswerError> {
        let proposal = self.propose_rule(session, question).await?;
        if proposal.digest != digest {
            return Err(AnswerError::RuleChanged);
        }
        // A rule whose question another window answered first is not written.
        let place = self.answer(session, question, Answer::Session { comment }, by).await?;
        let written = proposal.clone();
        self.on_sessions(move |_| written.write()).await.map_err(AnswerError::RuleNotWritten)?;
        Ok((place, proposal))
    }

    /// Finds the open question of a session about a call, and the folder of the session's newest run.
    async fn find_request(
        &self,
        session: &str,
        question: &str,
    ) -> Result<(ApprovalRequest, RunFolder), AnswerError> {
        if let Some(run) = self.handle(session)
            && let Some(request) = wait_for_request(&run, question).await
        {
            return Ok((request, run.shared.folder.clone()));
        }
        let (session, question) = (session.to_owned(), question.to_owned());
        self.on_sessions(move |sessions| {
            let record = sessions.find(&session)?;
            let folder = sessions.newest_folder(&record)?;
            let open = OpenQuestions::load(&folder)?;
            let found = open.questions.into_iter().find(|request| request.request_id == question);
            found.map(|request| (request, folder)).ok_or(AnswerError::NotOpen { question })
        })
        .await
    }
}
