//! Answers of the client to the questions of a run.

use serde_json::Value;
use windlass_agent::DeliverAt;
use windlass_app::Task;
use windlass_app::feed::Question;
use windlass_app::sessions::{Answer, AnswerError, OpenQuestion, SessionHost};

use crate::connection::Connection;
use crate::elicitation;
use crate::permission::{self, WINDOW};
use crate::rpc::RpcError;
use crate::sessions::PromptSlot;
use crate::translator::Translator;

/// Answers the questions of a suspended session: the client is asked about calls, and the text answers a question in
/// words, or is a message. Returns false if the prompt was cancelled, or a question stays open.
pub(crate) async fn answer_stored(
    connection: &Connection,
    slot: &PromptSlot,
    task: &Task,
) -> Result<bool, RpcError> {
    let (host, id) = (&connection.shared.host, slot.id.as_str());
    let root = connection.sessions.get(id)?.root;
    let mut is_used = false;
    for question in host.questions(id).await? {
        let given = if let Question::Call { card } = &question.card {
            let diffs = Translator::replay(&root).add_card(card);
            let params = permission::request(id, &root, &question, &card.call, diffs);
            let mut cancelled = slot.cancelled.clone();
            tokio::select! {
                given = ask_permission(connection, id, &question, params) => given,
                _ = cancelled.wait_for(|is_cancelled| *is_cancelled) => Answer::Later,
            }
        } else {
            check_words_only(task)?;
            is_used = true;
            words(&task.text)
        };
        if given == Answer::Later {
            return Ok(false);
        }
        answer(host, id, &question.id, given).await?;
    }
    if !is_used {
        host.send(id, task.clone(), DeliverAt::NextTurn).await?;
    }
    Ok(true)
}

/// Refuses pictures and files in the answer to a question in words.
pub(crate) fn check_words_only(task: &Task) -> Result<(), RpcError> {
    if task.parts.is_empty() {
        return Ok(());
    }
    Err(RpcError::invalid_params(
        "the run asks a question in words: send pictures and files after its answer",
    ))
}

pub(crate) fn words(text: &str) -> Answer {
    Answer::Words { text: text.to_owned() }
}

pub(crate) fn is_call(question: &Question) -> bool {
    matches!(question, Question::Call { .. })
}

/// Gives an answer. An earlier answer of another window counts, and is not an error.
pub(crate) async fn answer(
    host: &SessionHost,
    session: &str,
    question: &str,
    answer: Answer,
) -> Result<(), RpcError> {
    match host.answer(session, question, answer, WINDOW).await {
        Ok(_) | Err(AnswerError::AlreadyAnswered { .. } | AnswerError::NotOpen { .. }) => Ok(()),
        Err(error) => Err(RpcError::internal(error.to_string())),
    }
}

/// Asks the client for a permission. A call that was rejected for the session is rejected without asking again. A client
/// that cannot answer leaves the question open.
pub(crate) async fn ask_permission(
    connection: &Connection,
    session: &str,
    question: &OpenQuestion,
    params: Value,
) -> Answer {
    let digest = permission::digest_of(&question.card);
    if digest.is_some_and(|digest| connection.sessions.is_rejected(session, digest)) {
        return permission::repeat_rejection();
    }
    let Some(response) = ask(connection, "session/request_permission", params).await else {
        return Answer::Later;
    };
    if let Some(digest) = digest.filter(|_| permission::is_rejection(&response)) {
        connection.sessions.reject(session, digest);
    }
    permission::answer(question, &response)
}

/// Asks a question in words with a form. Returns `None` if the question stays open.
pub(crate) async fn ask_form(connection: &Connection, params: Value) -> Option<Answer> {
    elicitation::answer(&ask(connection, "elicitation/create", params).await?)
}

async fn ask(connection: &Connection, method: &str, params: Value) -> Option<Value> {
    connection.peer.request(method, params).await.wait().await?.ok()
}
