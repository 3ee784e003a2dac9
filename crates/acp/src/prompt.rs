//! The method `session/prompt`: a run that works on a prompt, as the client sees it.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use windlass_app::feed::{FeedEvent, FeedKind, Question, RunOutcome, Tokens};
use windlass_app::sessions::{OpenQuestion, RunEnd};

use crate::answers::{answer, ask_form, ask_permission};
use crate::asks::Asks;
use crate::begin::{PromptRun, begin};
use crate::connection::Connection;
use crate::content::{Block, to_task};
use crate::elicitation;
use crate::followed_run::FollowedRun;
use crate::permission;
use crate::rpc::RpcError;
use crate::sessions::PromptSlot;
use crate::translator::{Translator, call_update};
use crate::updates::chunk;

/// Time for the last event of a run that has ended.
const LAST_EVENT: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
pub(crate) struct PromptParameters {
    prompt: Vec<Block>,
}

/// Works on a prompt, and returns the reason of the stop.
pub(crate) async fn prompt(
    connection: &Connection,
    slot: PromptSlot,
    parameters: PromptParameters,
) -> Result<Value, RpcError> {
    let read = tokio::task::spawn_blocking(move || to_task(&parameters.prompt));
    let task = read.await.map_err(|error| RpcError::internal(error.to_string()))??;
    let Some(PromptRun { run, after, questions }) = Box::pin(begin(connection, &slot, &task)).await? else {
        return Ok(json!({"stopReason": "cancelled"}));
    };
    let session = connection.sessions.get(&slot.id)?;
    let mut turn = Turn {
        connection,
        id: &slot.id,
        translator: Translator::live(&session.root, &task.text)
            .with_window(connection.shared.template.context_window)
            .with_terminals(connection.shows_terminals()),
        asks: Asks::default(),
        is_cancelled: false,
        last_seq: after,
    };
    for question in questions {
        turn.open_question(question, None);
    }
    let end = turn.follow(&run, slot.cancelled.clone()).await;
    let last_seq = Some(turn.last_seq);
    // The session may have been closed meanwhile.
    drop(connection.sessions.update(&slot.id, |session| session.last_seq = last_seq));
    end
}

/// The work on a prompt.
struct Turn<'a> {
    connection: &'a Connection,
    id: &'a str,
    translator: Translator,
    asks: Asks,
    is_cancelled: bool,
    last_seq: u64,
}

impl Turn<'_> {
    /// Sends the events of a run until it ends or waits for a text from the person.
    async fn follow(
        &mut self,
        run: &FollowedRun,
        mut cancelled: watch::Receiver<bool>,
    ) -> Result<Value, RpcError> {
        let host = &self.connection.shared.host;
        let mut feed = host.watch(self.id, Some(self.last_seq)).await?;
        let mut closing = self.connection.closing.clone();
        let (mut end, mut left) = (None, None::<String>);
        loop {
            if let Some(text) = left {
                return Ok(self.leave_question(&text).await);
            }
            let event = tokio::select! {
                event = feed.next() => event?,
                () = wait_until_set(&mut cancelled), if !self.is_cancelled => {
                    self.is_cancelled = true;
                    // A run that has ended is stopped.
                    drop(host.stop(self.id).await);
                    continue;
                }
                () = wait_until_set(&mut closing) => {
                    return Err(RpcError::internal("the connection is closed"));
                }
                Some(asked) = self.asks.join_next() => {
                    left = asked;
                    continue;
                }
                ended = last_event(run.wait(host, self.id), end.is_some()) => {
                    if let Some(end) = end {
                        return self.stop_without_event(end);
                    }
                    end = Some(ended);
                    continue;
                }
            };
            self.last_seq = self.last_seq.max(event.seq);
            for update in self.translator.translate(&event) {
                self.connection.peer.update(self.id, update).await;
            }
            if let Some(end) = self.observe(event, run).await {
                return end;
            }
        }
    }

    /// Follows the questions and the end of the run. Returns the response to the prompt if its work is over.
    async fn observe(&mut self, event: FeedEvent, run: &FollowedRun) -> Option<Result<Value, RpcError>> {
        match event.kind {
            FeedKind::QuestionOpened { question, card } => {
                let call = event.agent.map(|agent| agent.call);
                // A question of the records may have been answered before.
                let open = self.connection.shared.host.questions(self.id).await.unwrap_or_default();
                let opened = open.into_iter().find(|open| open.id == question)?;
                if self.asks.contains(&question) {
                    return None;
                }
                if !permission::has_options(&card) && !self.connection.has_forms() {
                    let text = if let Question::Words { text, .. } = &card { text } else { "" };
                    return Some(Ok(self.leave_question(text).await));
                }
                self.open_question(opened, call);
            }
            FeedKind::QuestionClosed { question, .. } | FeedKind::QuestionPostponed { question } => {
                self.asks.withdraw(&question).await;
            }
            FeedKind::RunEnded { outcome, total } if event.agent.is_none() && event.run == run.id() => {
                // The host forgets the run after its last event. The next prompt must not reach this run.
                let host = &self.connection.shared.host;
                drop(tokio::time::timeout(LAST_EVENT, run.wait(host, self.id)).await);
                return Some(self.stop(outcome, total).await);
            }
            FeedKind::Error { message } if event.agent.is_none() && event.run == run.id() => {
                return Some(Err(RpcError::internal(message)));
            }
            _ => {}
        }
        None
    }

    /// Ends the turn with a question in words, which the next prompt answers.
    async fn leave_question(&self, text: &str) -> Value {
        self.connection.peer.update(self.id, chunk("agent_message_chunk", text)).await;
        json!({"stopReason": "end_turn"})
    }

    /// Asks the client in a task of its own, so that events and other questions arrive meanwhile.
    fn open_question(&mut self, question: OpenQuestion, root_call: Option<String>) {
        let diffs = match &question.card {
            Question::Call { card } => self.translator.add_card(card),
            _ => Vec::new(),
        };
        let call = match (&question.card, root_call) {
            (_, Some(call)) => call,
            (Question::Call { card }, None) => card.call.clone(),
            _ => question.id.clone(),
        };
        let params = permission::request(self.id, self.translator.root(), &question, &call, diffs);
        let form = elicitation::request(self.id, &question).filter(|_| self.connection.has_forms());
        let (connection, id) = (self.connection.clone(), self.id.to_owned());
        let name = question.id.clone();
        self.asks.ask(name, async move {
            let is_form = form.is_some();
            let given = match form {
                Some(form) => ask_form(&connection, form).await,
                None => Some(ask_permission(&connection, &id, &question, params).await),
            };
            let Some(given) = given else { return question_text(&question.card) };
            // The run reports an answer that cannot be stored.
            drop(answer(&connection.shared.host, &id, &question.id, given).await);
            if call == question.id && !is_form {
                connection.peer.update(&id, call_update(&call, json!({"status": "completed"}))).await;
            }
            None
        });
    }

    async fn stop(&self, outcome: RunOutcome, total: Tokens) -> Result<Value, RpcError> {
        let reason = match outcome {
            _ if self.is_cancelled => "cancelled",
            RunOutcome::Stopped { cause } => match cause.as_str() {
                "cancelled" => "cancelled",
                "turn_limit" | "mistake_limit" => "max_turn_requests",
                "budget" => "max_tokens",
                "refused" => "refusal",
                _ => "end_turn",
            },
            RunOutcome::Suspended { .. } => {
                let text = "The run is suspended: an answer is missing. Send a message to continue.";
                self.connection.peer.update(self.id, chunk("agent_message_chunk", text)).await;
                "end_turn"
            }
            RunOutcome::Failed { message } => return Err(RpcError::internal(message)),
            _ => "end_turn",
        };
        let usage = json!({
            "totalTokens": total.input.saturating_add(total.output), "inputTokens": total.input,
            "outputTokens": total.output, "thoughtTokens": total.reasoning,
            "cachedReadTokens": total.cache_read, "cachedWriteTokens": total.cache_write,
        });
        Ok(json!({"stopReason": reason, "usage": usage}))
    }

    fn stop_without_event(&self, end: RunEnd) -> Result<Value, RpcError> {
        match end {
            _ if self.is_cancelled => Ok(json!({"stopReason": "cancelled"})),
            RunEnd::Error { message } => Err(RpcError::internal(message)),
            _ => Ok(json!({"stopReason": "end_turn"})),
        }
    }
}

fn question_text(question: &Question) -> Option<String> {
    match question {
        Question::Words { text, .. } => Some(text.clone()),
        _ => None,
    }
}

async fn wait_until_set(flag: &mut watch::Receiver<bool>) {
    drop(flag.wait_for(|is_set| *is_set).await);
}

/// Waits for the end of the run, and then for the time of its last event.
async fn last_event(end: impl Future<Output = RunEnd>, has_ended: bool) -> RunEnd {
    let end = end.await;
    if has_ended {
        tokio::time::sleep(LAST_EVENT).await;
    }
    end
}
