//! Questions of a run as requests for a permission.

use std::path::Path;

use serde_json::{Value, json};
use windlass_app::feed::{CallCard, Question};
use windlass_app::sessions::{Answer, OpenQuestion};

use crate::updates::{kind_of, shorten, shorten_call, text_content, title_of};

/// Name of this window in the record of an answer.
pub(crate) const WINDOW: &str = "editor";

const ONCE: &str = "once";
const SESSION: &str = "session";
const NO: &str = "no";
const NEVER: &str = "never";

/// The comment of an answer that repeats an earlier rejection.
const REJECTED: &str = "The person rejected this call for the session.";

/// Returns true if the question can be a request for a permission. A question without proposed answers is a message,
/// and the next prompt answers it.
pub(crate) fn has_options(question: &Question) -> bool {
    !matches!(question, Question::Words { suggestions, .. } if suggestions.is_empty())
}

/// Returns the parameters of `session/request_permission`. `call` is the id of the call that the client shows, `diffs`
/// the changes of the call.
pub(crate) fn request(
    session: &str,
    root: &Path,
    question: &OpenQuestion,
    call: &str,
    diffs: Vec<Value>,
) -> Value {
    let (tool_call, options) = match &question.card {
        Question::Call { card } => (describe_call(card, root, call, diffs), options_of(card)),
        Question::Words { text, suggestions } => {
            let options = suggestions.iter().enumerate();
            let options =
                options.map(|(index, text)| option(&index.to_string(), &shorten(text), "allow_once"));
            (describe_words(call, text), options.collect())
        }
        Question::Guidance { text } => {
            let options = [option(ONCE, "Continue", "allow_once"), option(NO, "Stop", "reject_once")];
            (describe_words(call, text), options.into())
        }
        _ => (describe_words(call, "Continue?"), vec![option(NO, "No", "reject_once")]),
    };
    json!({"sessionId": session, "toolCall": tool_call, "options": options})
}

fn option(id: &str, name: &str, kind: &str) -> Value {
    json!({"optionId": id, "name": name, "kind": kind})
}

fn options_of(card: &CallCard) -> Vec<Value> {
    let mut options = vec![option(ONCE, "Allow", "allow_once")];
    if card.can_remember {
        let name = match card.scope.as_str() {
            "" => "Allow for this session".to_owned(),
            scope => shorten_call(&format!("Allow for this session: {scope}")),
        };
        options.push(option(SESSION, &name, "allow_always"));
    }
    options.push(option(NO, "Deny", "reject_once"));
    options.push(option(NEVER, "Deny this call for this session", "reject_always"));
    options
}

/// Returns the digest of the call that a question is about. A rejection for the session covers the questions with the same
/// digest: another argument, another file or another rule gives another one.
pub(crate) fn digest_of(question: &Question) -> Option<&str> {
    match question {
        Question::Call { card } => Some(&card.digest),
        _ => None,
    }
}

/// Returns true if the client's response rejects a call for the session.
pub(crate) fn is_rejection(response: &Value) -> bool {
    let outcome = response.get("outcome");
    let field = |name: &str| outcome.and_then(|outcome| outcome.get(name)?.as_str());
    field("outcome") == Some("selected") && field("optionId") == Some(NEVER)
}

/// Returns the answer to a call that was rejected for the session before.
pub(crate) fn repeat_rejection() -> Answer {
    Answer::No { comment: Some(REJECTED.to_owned()) }
}

fn describe_call(card: &CallCard, root: &Path, call: &str, diffs: Vec<Value>) -> Value {
    let mut content = diffs;
    content.push(text_content(&format!("{}\n\n{}", card.reason, card.text)));
    let locations: Vec<Value> =
        card.paths.iter().map(|path| json!({"path": root.join(&path.resolved)})).collect();
    let title = match card.agents.join(" > ") {
        agents if agents.is_empty() => title_of(&card.tool, &card.arguments),
        agents => format!("{agents}: {}", title_of(&card.tool, &card.arguments)),
    };
    json!({
        "toolCallId": call, "title": title, "kind": kind_of(&card.tool), "status": "pending", "content": content,
        "locations": locations, "rawInput": card.arguments,
    })
}

fn describe_words(call: &str, text: &str) -> Value {
    json!({
        "toolCallId": call, "title": shorten(text), "kind": "other", "status": "pending",
        "content": [text_content(text)],
    })
}

/// Returns the answer that the client's response means. A cancelled or unknown choice leaves the question open.
pub(crate) fn answer(question: &OpenQuestion, response: &Value) -> Answer {
    let outcome = response.get("outcome");
    let field = |name: &str| outcome.and_then(|outcome| outcome.get(name)?.as_str()).unwrap_or_default();
    if field("outcome") != "selected" {
        return Answer::Later;
    }
    let choice = field("optionId");
    match (&question.card, choice) {
        (Question::Call { .. }, ONCE) => Answer::Once { comment: None },
        (Question::Call { .. }, SESSION) => Answer::Session { comment: None },
        (Question::Call { .. }, NO | NEVER) => Answer::No { comment: None },
        (Question::Guidance { .. }, ONCE) => Answer::Words { text: "yes".to_owned() },
        (Question::Guidance { .. }, NO) => Answer::Words { text: "no".to_owned() },
        (Question::Words { suggestions, .. }, index) => {
            let chosen = index.parse().ok().and_then(|index: usize| suggestions.get(index));
            chosen.map_or(Answer::Later, |text| Answer::Words { text: text.clone() })
        }
        _ => Answer::Later,
    }
}
