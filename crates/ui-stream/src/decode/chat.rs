//! The request of `useChat`.

use serde_json::{Map, Value};
use windlass_app::sessions::Answer;

use super::fields::{check_answers, list, object, optional_text, parse, text, wrong};
use super::values::{AttachedFile, DecodeError, DecodeLimits};
use crate::answers::{decide, read_payload};

/// Request of the AI SDK's `useChat`: a new message of the person, or answers to questions.
///
/// Only the newest message counts: the conversation is in the records of the session, so a client cannot change it.
///
/// ```
/// use windlass_ui_stream::{ChatRequest, DecodeLimits};
///
/// let body = br#"{"id":"c","messages":[{"id":"1","role":"user","parts":[{"type":"text","text":"Hi"}]}]}"#;
/// let request = ChatRequest::decode(body, &DecodeLimits::default())?;
/// assert_eq!(request.text, "Hi");
/// # Ok::<(), windlass_ui_stream::DecodeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatRequest {
    /// Id of the chat.
    pub id: String,
    /// The texts of the newest message, if a person wrote it.
    pub text: String,
    /// The files of the newest message, if a person wrote it.
    pub files: Vec<AttachedFile>,
    /// The answers of the newest message: the id of each question and the answer.
    pub answers: Vec<(String, Answer)>,
    /// The run and the number of the last event that the newest message of the assistant contains.
    pub place: Option<(String, u64)>,
}

impl ChatRequest {
    /// Decodes the body of a request.
    ///
    /// # Errors
    ///
    /// Fails if the body is not a request of `useChat`, or is beyond a limit.
    pub fn decode(body: &[u8], limits: &DecodeLimits) -> Result<Self, DecodeError> {
        let fields = parse(body, limits)?;
        let messages = list(&fields, "messages", limits.messages)?;
        let newest = messages.last().ok_or_else(|| wrong("messages", "a list with a message"))?;
        let newest = object(newest, "the newest message")?;
        let mut request = Self { id: text(&fields, "id", "")?, ..Self::default() };
        request.place = messages.iter().rev().find_map(read_place);
        let parts = list(newest, "parts", limits.parts)?;
        let is_person = match text(newest, "role", "the newest message")?.as_str() {
            "user" => true,
            "assistant" => false,
            _ => return Err(wrong("the role of the newest message", "user or assistant")),
        };
        for part in parts {
            let part = object(part, "a part")?;
            let kind = text(part, "type", "a part")?;
            if is_person {
                request.read_part(&kind, part)?;
            }
            request.answers.extend(read_answer(&kind, part)?);
            check_answers(request.answers.len(), limits)?;
        }
        Ok(request)
    }

    fn read_part(&mut self, kind: &str, part: &Map<String, Value>) -> Result<(), DecodeError> {
        match kind {
            "text" => {
                let text = text(part, "text", "a text part")?;
                if !self.text.is_empty() {
                    self.text.push('\n');
                }
                self.text.push_str(&text);
            }
            "file" => self.files.push(AttachedFile {
                media_type: text(part, "mediaType", "a file part")?,
                url: text(part, "url", "a file part")?,
                name: optional_text(part, "filename", "a file part")?,
            }),
            _ => {}
        }
        Ok(())
    }
}

/// Returns the place of a message of the assistant.
fn read_place(message: &Value) -> Option<(String, u64)> {
    let metadata = message.get("metadata").filter(|_| message.get("role") == Some(&"assistant".into()))?;
    Some((metadata.get("run")?.as_str()?.to_owned(), metadata.get("seq")?.as_u64()?))
}

/// Returns the answer of a part: a call whose approval has a response, a `tool-approval-response`, or a part
/// `data-answer` with the members of an answer and the id of its question.
fn read_answer(kind: &str, part: &Map<String, Value>) -> Result<Option<(String, Answer)>, DecodeError> {
    if kind == "tool-approval-response" {
        return read_response(part, "approvalId", kind).map(Some);
    }
    if kind == "data-answer" {
        let data = object(part.get("data").unwrap_or(&Value::Null), "data-answer.data")?;
        let question = text(data, "question", "data-answer.data")?;
        let answer = read_payload(&Value::Object(data.clone()));
        let answer = answer.ok_or_else(|| wrong("data-answer.data", "an answer"))?;
        return Ok(Some((question, answer)));
    }
    let is_call = kind == "dynamic-tool" || kind.starts_with("tool-");
    if !is_call || part.get("state").and_then(Value::as_str) != Some("approval-responded") {
        return Ok(None);
    }
    let approval = object(part.get("approval").unwrap_or(&Value::Null), "the approval of a call")?;
    read_response(approval, "id", "the approval of a call").map(Some)
}

fn read_response(fields: &Map<String, Value>, id: &str, path: &str) -> Result<(String, Answer), DecodeError> {
    let question = text(fields, id, path)?;
    let is_approved = fields.get("approved").and_then(Value::as_bool);
    let is_approved = is_approved.ok_or_else(|| wrong(format!("{path}.approved"), "true or false"))?;
    Ok((question, decide(is_approved, false, optional_text(fields, "reason", path)?)))
}
