//! The method `session/prompt`: a run that works on a prompt, as the client sees it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use windlass_agent::DeliverAt;
use windlass_app::feed::{FeedEvent, FeedKind, Question, RunOutcome, Tokens};
use windlass_app::sessions::{
    Answer, AnswerError, OpenQuestion, RunChanges, RunEnd, RunHandle, SessionHost, SessionState,
};
use windlass_app::{RunSettings, Task};

use crate::connection::Connection;
use crate::content::{Block, to_task};
use crate::permission::{self, WINDOW};
use crate::rpc::RpcError;
use crate::sessions::PromptSlot;
use crate::stored::{on_sessions, read_settings};
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
    let Some((run, after)) = begin(connection, &slot, &task).await? else {
        return Ok(json!({"stopReason": "cancelled"}));
    };
    let session = connection.sessions.get(&slot.id)?;
    let mut turn = Turn {
        connection,
        id: &slot.id,
        translator: Translator::live(&session.root, &task.text),
        asks: JoinSet::new(),
        open: BTreeMap::new(),
        is_cancelled: false,
        last_seq: after,
    };
    let end = turn.follow(&run, slot.cancelled.clone()).await;
    let last_seq = Some(turn.last_seq);
    // The session may have been closed meanwhile.
    drop(connection.sessions.update(&slot.id, |session| session.last_seq = last_seq));
    end
}

/// Starts, continues or resumes the session with the task. Returns the run and the number of the last event before
/// it; `None` if the prompt was cancelled while the client was asked.
async fn begin(
    connection: &Connection,
    slot: &PromptSlot,
    task: &Task,
) -> Result<Option<(RunHandle, u64)>, RpcError> {
    let text = task.text.as_str();
    let (host, id) = (&connection.shared.host, slot.id.as_str());
    let session = connection.sessions.get(id)?;
    if !session.is_started {
        let mut settings = connection.shared.template.clone().with_task(task.clone());
        (settings.root, settings.autonomy) = (session.root, session.autonomy);
        settings.provider.model = session.model;
        settings.request.reasoning = session.effort;
        let run = host.start_as(id, settings).await?;
        connection.sessions.update(id, |session| session.is_started = true)?;
        return Ok(Some((run, 0)));
    }
    let after = match session.last_seq {
        Some(seq) => seq,
        None => host.read(id, None).await?.last().map_or(0, |event| event.seq),
    };
    if let Some(run) = host.handle(id) {
        check_words_only(task)?;
        let asked = run.questions().into_iter().find(|question| !is_call(&question.card));
        match asked {
            Some(question) => answer(host, id, &question.id, words(text)).await?,
            None => run.send(text, DeliverAt::NextTurn)?,
        }
        return Ok(Some((run, after)));
    }
    let name = slot.id.clone();
    let record = on_sessions(connection, move |sessions| sessions.find(&name)).await?;
    if record.state != SessionState::Suspended {
        let mut changes = RunChanges::default();
        changes.autonomy = (record.autonomy != session.autonomy).then_some(session.autonomy);
        let RunSettings { mut provider, request, .. } = read_settings(connection, record).await?;
        if provider.model != session.model {
            provider.model = session.model;
            changes.provider = Some(provider);
        }
        changes.effort = session.effort.filter(|effort| request.reasoning != Some(*effort));
        return Ok(Some((host.continue_session(id, task.clone(), &changes).await?, after)));
    }
    check_words_only(task)?;
    if !answer_stored(connection, slot, text).await? {
        return Ok(None);
    }
    Ok(Some((host.resume(id).await?, after)))
}

/// Checks that a message to a run has no parts: only a task can have them.
fn check_words_only(task: &Task) -> Result<(), RpcError> {
    if task.parts.is_empty() {
        return Ok(());
    }
    Err(RpcError::invalid_params("pictures and files belong to a task: send them when the run has ended"))
}

/// Answers the questions of a suspended session: the client is asked about calls, and the text answers a question in
/// words, or is a message. Returns false if the prompt was cancelled, or a question stays open.
async fn answer_stored(connection: &Connection, slot: &PromptSlot, text: &str) -> Result<bool, RpcError> {
    let (host, id) = (&connection.shared.host, slot.id.as_str());
    let root = connection.sessions.get(id)?.root;
    let mut is_used = false;
    for question in host.questions(id).await? {
        let given = if let Question::Call { card } = &question.card {
            let diffs = Translator::replay(&root).add_card(card);
            let params = permission::request(id, &root, &question, &card.call, diffs);
            let mut cancelled = slot.cancelled.clone();
            let response = tokio::select! {
                response = ask(connection, params) => response,
                _ = cancelled.wait_for(|is_cancelled| *is_cancelled) => None,
            };
            response.map_or(Answer::Later, |response| permission::answer(&question, &response))
        } else {
            is_used = true;
            words(text)
        };
        if given == Answer::Later {
            return Ok(false);
        }
        answer(host, id, &question.id, given).await?;
    }
    if !is_used {
        host.send(id, text, DeliverAt::NextTurn).await?;
    }
    Ok(true)
}

fn words(text: &str) -> Answer {
    Answer::Words { text: text.to_owned() }
}

fn is_call(question: &Question) -> bool {
    matches!(question, Question::Call { .. })
}

/// Gives an answer. An earlier answer of another window counts, and is not an error.
async fn answer(host: &SessionHost, session: &str, question: &str, answer: Answer) -> Result<(), RpcError> {
    match host.answer(session, question, answer, WINDOW).await {
        Ok(_) | Err(AnswerError::AlreadyAnswered { .. } | AnswerError::NotOpen { .. }) => Ok(()),
        Err(error) => Err(RpcError::internal(error.to_string())),
    }
}

/// Asks the client for a permission; `None` if it cannot answer.
async fn ask(connection: &Connection, params: Value) -> Option<Value> {
    connection.peer.request("session/request_permission", params).await.wait().await?.ok()
}

/// The work on a prompt.
struct Turn<'a> {
    connection: &'a Connection,
    id: &'a str,
    translator: Translator,
    asks: JoinSet<()>,
    /// The requests for permissions, by question.
    open: BTreeMap<String, AbortHandle>,
    is_cancelled: bool,
    last_seq: u64,
}

impl Turn<'_> {
    /// Sends the events of a run until it ends or waits for words.
    async fn follow(
        &mut self,
        run: &RunHandle,
        mut cancelled: watch::Receiver<bool>,
    ) -> Result<Value, RpcError> {
        let mut feed = self.connection.shared.host.watch(self.id, Some(self.last_seq)).await?;
        let mut closing = self.connection.closing.clone();
        let mut end = None;
        loop {
            let event = tokio::select! {
                event = feed.next() => event?,
                _ = cancelled.wait_for(|is_cancelled| *is_cancelled), if !self.is_cancelled => {
                    self.is_cancelled = true;
                    run.stop();
                    continue;
                }
                _ = closing.wait_for(|is_closing| *is_closing) => {
                    return Err(RpcError::internal("the connection is closed"));
                }
                Some(_) = self.asks.join_next() => continue,
                ended = last_event(run, end.is_some()) => {
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
    async fn observe(&mut self, event: FeedEvent, run: &RunHandle) -> Option<Result<Value, RpcError>> {
        match event.kind {
            FeedKind::QuestionOpened { question, card } => {
                let call = event.agent.map(|agent| agent.call);
                // A question of the records may have been answered before.
                let opened = run.questions().into_iter().find(|open| open.id == question)?;
                if !permission::has_options(&card) {
                    if let Question::Words { text, .. } = &card {
                        self.connection.peer.update(self.id, chunk("agent_message_chunk", text)).await;
                    }
                    return Some(Ok(json!({"stopReason": "end_turn"})));
                }
                self.open_question(opened, call);
            }
            FeedKind::QuestionClosed { question, .. } | FeedKind::QuestionPostponed { question } => {
                if let Some(asking) = self.open.remove(&question) {
                    asking.abort();
                }
            }
            FeedKind::RunEnded { outcome, total } if event.agent.is_none() && event.run == run.run() => {
                // The host forgets the run after its last event. The next prompt must not reach this run.
                drop(tokio::time::timeout(LAST_EVENT, run.wait()).await);
                return Some(self.stop(outcome, total).await);
            }
            FeedKind::Error { message } if event.agent.is_none() && event.run == run.run() => {
                return Some(Err(RpcError::internal(message)));
            }
            _ => {}
        }
        None
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
        let (connection, id) = (self.connection.clone(), self.id.to_owned());
        let name = question.id.clone();
        let asking = self.asks.spawn(async move {
            let response = ask(&connection, params).await;
            let given = response.map_or(Answer::Later, |response| permission::answer(&question, &response));
            // The run reports an answer that cannot be stored.
            drop(answer(&connection.shared.host, &id, &question.id, given).await);
            if call == question.id {
                connection.peer.update(&id, call_update(&call, json!({"status": "completed"}))).await;
            }
        });
        self.open.insert(name, asking);
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

/// Waits for the end of the run, and then for the time of its last event.
async fn last_event(run: &RunHandle, has_ended: bool) -> RunEnd {
    let end = run.wait().await;
    if has_ended {
        tokio::time::sleep(LAST_EVENT).await;
    }
    end
}
