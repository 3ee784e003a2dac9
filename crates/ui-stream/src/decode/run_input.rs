//! The request of AG-UI.

use serde_json::{Map, Value};
use windlass_app::sessions::Answer;

use super::fields::{check_answers, list, object, optional_text, parse, text, wrong};
use super::values::{AttachedFile, DecodeError, DecodeLimits};
use crate::answers::read_payload;

/// Request of a client of AG-UI: a new message of the person, or answers to interrupts.
///
/// Only the newest message counts: the conversation is in the records of the session.
///
/// ```
/// use windlass_app::sessions::Answer;
/// use windlass_ui_stream::{DecodeLimits, RunInput};
///
/// let body = br#"{"threadId":"t","runId":"2","messages":[],"tools":[],"context":[],
///     "resume":[{"interruptId":"q-1","status":"resolved","payload":{"approved":true}}]}"#;
/// let input = RunInput::decode(body, &DecodeLimits::default())?;
/// assert_eq!(input.answers, [("q-1".to_owned(), Answer::Once { comment: None })]);
/// # Ok::<(), windlass_ui_stream::DecodeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunInput {
    /// Id of the thread.
    pub thread: String,
    /// Id of the client's run.
    pub run: String,
    /// The text of the newest message, if a person wrote it and the request resumes no run.
    pub text: String,
    /// The files of the newest message, if a person wrote it and the request resumes no run.
    pub files: Vec<AttachedFile>,
    /// The id of each answered question and the answer. An interrupt that the person cancelled is answered with no.
    pub answers: Vec<(String, Answer)>,
    /// The run and the number of the last event that the client has, from the member `windlass` of its state.
    pub place: Option<(String, u64)>,
    /// The client's state.
    pub state: Value,
}

impl RunInput {
    /// Decodes the body of a request.
    ///
    /// # Errors
    ///
    /// Fails if the body is not a request of AG-UI, or is beyond a limit.
    pub fn decode(body: &[u8], limits: &DecodeLimits) -> Result<Self, DecodeError> {
        let mut fields = parse(body, limits)?;
        let state = fields.remove("state").unwrap_or_default();
        let mut input = Self {
            thread: text(&fields, "threadId", "")?,
            run: text(&fields, "runId", "")?,
            ..Self::default()
        };
        input.place = read_place(&state);
        input.state = state;
        for entry in list(&fields, "resume", limits.answers)? {
            input.answers.push(read_entry(object(entry, "an entry of resume")?)?);
        }
        check_answers(input.answers.len(), limits)?;
        let newest = list(&fields, "messages", limits.messages)?.last();
        if let (Some(newest), true) = (newest, input.answers.is_empty()) {
            input.read_message(object(newest, "the newest message")?, limits)?;
        }
        Ok(input)
    }

    fn read_message(
        &mut self,
        message: &Map<String, Value>,
        limits: &DecodeLimits,
    ) -> Result<(), DecodeError> {
        if text(message, "role", "the newest message")? != "user" {
            return Ok(());
        }
        if let Some(Value::String(content)) = message.get("content") {
            self.text.clone_from(content);
            return Ok(());
        }
        for part in list(message, "content", limits.parts)? {
            let part = object(part, "a part")?;
            match text(part, "type", "a part")?.as_str() {
                "text" => {
                    if !self.text.is_empty() {
                        self.text.push('\n');
                    }
                    self.text.push_str(&text(part, "text", "a text part")?);
                }
                "image" | "audio" | "video" | "document" => self.files.push(read_file(part)?),
                _ => {}
            }
        }
        Ok(())
    }
}

fn read_place(state: &Value) -> Option<(String, u64)> {
    let place = state.get("windlass")?;
    Some((place.get("run")?.as_str()?.to_owned(), place.get("seq")?.as_u64()?))
}

fn read_entry(entry: &Map<String, Value>) -> Result<(String, Answer), DecodeError> {
    let question = text(entry, "interruptId", "an entry of resume")?;
    let answer = match text(entry, "status", "an entry of resume")?.as_str() {
        "cancelled" => Answer::No { comment: None },
        "resolved" => read_payload(entry.get("payload").unwrap_or(&Value::Null))
            .ok_or_else(|| wrong("the payload of an entry of resume", "an answer"))?,
        _ => return Err(wrong("the status of an entry of resume", "resolved or cancelled")),
    };
    Ok((question, answer))
}

fn read_file(part: &Map<String, Value>) -> Result<AttachedFile, DecodeError> {
    let path = "the source of a part";
    let source = object(part.get("source").unwrap_or(&Value::Null), path)?;
    let value = text(source, "value", path)?;
    let media_type = optional_text(source, "mimeType", path)?.unwrap_or_default();
    let url = match text(source, "type", path)?.as_str() {
        "data" => format!("data:{media_type};base64,{value}"),
        "url" => value,
        _ => return Err(wrong(path, "data or url")),
    };
    Ok(AttachedFile { media_type, url, name: None })
}
