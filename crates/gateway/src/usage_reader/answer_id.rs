//! The id under which a provider stores an answer.

use serde::Deserialize;

/// The member of an object that names it.
#[derive(Deserialize)]
struct ResponseId {
    id: Option<String>,
}

/// The first event of an answer.
#[derive(Deserialize)]
struct FirstEvent {
    response: Option<ResponseId>,
}

/// Returns the id in an answer in one body.
pub(super) fn read_id_of_body(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<ResponseId>(body).ok()?.id
}

/// Returns the id in the first event of an answer.
pub(super) fn read_id_of_event(event: &[u8]) -> Option<String> {
    let data = event.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"data:"))?;
    serde_json::from_slice::<FirstEvent>(data).ok()?.response?.id
}
