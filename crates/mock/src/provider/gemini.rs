//! The parts of a Gemini request that are in its URL, and Gemini's rules for contents.

use serde_json::Value;

use super::refusal::Refusal;

/// The model and the method in a URL.
pub(super) struct Address<'a> {
    model: &'a str,
    is_stream: bool,
}

impl<'a> Address<'a> {
    /// Parses `…/models/MODEL:METHOD` with or without a query. Returns `None` for any other path.
    pub(super) fn parse(address: &'a str) -> Option<Self> {
        let path = address.split_once('?').map_or(address, |(path, _)| path);
        let (_, last) = path.split_once("/models/")?;
        match last.split_once(':')? {
            (model, "generateContent") => Some(Self { model, is_stream: false }),
            (model, "streamGenerateContent") => Some(Self { model, is_stream: true }),
            _ => None,
        }
    }

    /// Copies the model and the method into the body, where the other formats have them.
    pub(super) fn tell(&self, request: &mut Value) {
        if let Some(request) = request.as_object_mut() {
            request.insert("model".to_owned(), self.model.into());
            request.insert("stream".to_owned(), self.is_stream.into());
        }
    }
}

/// Returns the number of answers: adjacent contents of the model are one, as clients keep a stream.
pub(super) fn answers(contents: &[Value]) -> usize {
    let runs = contents.chunk_by(|left, right| left["role"] == right["role"]);
    runs.filter(|run| run.first().is_some_and(|content| content["role"] == "model")).count()
}

/// The words of Google for results that are missing, or that are contents of their own.
const UNEQUAL_RESULTS: &str = "Please ensure that the number of function response parts is equal to the number of \
                               function call parts of the function call turn.";

/// Checks that the content after a model's calls is from the user and has one result per call, in their
/// order.
pub(super) fn contents(contents: &[Value]) -> Result<(), Refusal> {
    let mut open: Vec<&Value> = Vec::new();
    for (position, content) in contents.iter().enumerate() {
        let parts = content["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
        if parts.is_empty() {
            return Err(at(position, "the parts are missing or empty"));
        }
        if !matches!(content["role"].as_str(), Some("user" | "model")) {
            return Err(at(position, "the role is neither user nor model"));
        }
        let results = parts_of_kind(parts, "functionResponse");
        let calls = parts_of_kind(parts, "functionCall");
        if calls.iter().any(|call| !call["args"].is_object() || call["name"] == "") {
            return Err(at(position, "a call has no object, or no name"));
        }
        let is_model = content["role"] == "model";
        if is_model && results.is_empty() && (open.is_empty() || follows_model(contents, position)) {
            // Clients keep the pieces of a stream as contents of their own.
            open.extend(calls);
            continue;
        }
        if results.len() != open.len() {
            return Err(at(position, UNEQUAL_RESULTS));
        }
        if results.iter().map(|result| &result["name"]).ne(open.iter().map(|call| &call["name"])) {
            return Err(at(position, "the results are not in the order of the calls"));
        }
        if !is_model && !calls.is_empty() {
            return Err(at(position, "the user calls a function"));
        }
        if results.iter().any(|result| !result["response"].is_object()) {
            return Err(at(position, "a result has no object"));
        }
        open = calls;
    }
    match open.first() {
        None => Ok(()),
        Some(_) => Err(at(contents.len(), "the last calls have no results")),
    }
}

/// Returns whether the content before this one is from the model, too.
fn follows_model(contents: &[Value], position: usize) -> bool {
    let before = position.checked_sub(1).and_then(|before| contents.get(before));
    before.is_some_and(|content| content["role"] == "model")
}

fn parts_of_kind<'a>(parts: &'a [Value], kind: &str) -> Vec<&'a Value> {
    parts.iter().filter_map(|part| part.get(kind)).collect()
}

fn at(position: usize, message: &str) -> Refusal {
    Refusal::request(message.to_owned(), Some(format!("contents[{position}]")))
}
