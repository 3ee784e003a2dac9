//! Sessions of the store: list, load, delete.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};
use windlass_app::sessions::{PageRequest, SessionDraft, SessionRecord, Sessions};
use windlass_app::{AppError, ErrorKind, RunSettings};

use crate::config_options;
use crate::connection::{CheckedSetup, Connection, SessionId, Setup, check_setup};
use crate::rpc::RpcError;
use crate::sessions::{EditorSession, modes};
use crate::translator::Translator;

/// Number of sessions of a page.
const PAGE: usize = 100;

#[derive(Deserialize)]
pub(crate) struct List {
    #[serde(default)]
    cwd: Option<PathBuf>,
    #[serde(default)]
    cursor: Option<String>,
}

/// Works on the sessions of the store outside of the async threads.
pub(crate) async fn on_sessions<T: Send + 'static>(
    connection: &Connection,
    work: impl FnOnce(&Sessions) -> Result<T, AppError> + Send + 'static,
) -> Result<T, RpcError> {
    let host = connection.shared.host.clone();
    let worked = tokio::task::spawn_blocking(move || work(host.sessions())).await;
    Ok(worked.map_err(|_| RpcError::internal("a task of the program failed"))??)
}

/// Lists sessions, the one that changed last first.
pub(crate) async fn list(connection: &Connection, list: List) -> Result<Value, RpcError> {
    let mut request = PageRequest::new(PAGE);
    if let Some(cursor) = &list.cursor {
        request = request
            .starting_after(cursor.parse().map_err(|_| RpcError::invalid_params("the cursor is unknown"))?);
    }
    if let Some(folder) = list.cwd {
        request = request.in_folder(folder);
    }
    let page = on_sessions(connection, move |sessions| sessions.page(&request)).await?;
    let sessions: Vec<Value> = page.records.iter().map(info).collect();
    let mut response = json!({"sessions": sessions});
    if let (Some(next), Some(fields)) = (page.next, response.as_object_mut()) {
        fields.insert("nextCursor".to_owned(), json!(next.to_string()));
    }
    Ok(response)
}

fn info(record: &SessionRecord) -> Value {
    json!({
        "sessionId": record.id, "cwd": record.root, "title": record.name, "updatedAt": to_iso(record.updated_ms),
    })
}

/// Opens a stored session. With `is_replayed`, sends its history first.
pub(crate) async fn load(
    connection: &Connection,
    setup: Setup,
    is_replayed: bool,
) -> Result<Value, RpcError> {
    let CheckedSetup { root, servers } = check_setup(connection, &setup)?;
    let id = setup.session_id.clone();
    if id.is_empty() {
        return Err(RpcError::invalid_params("the id of the session is missing"));
    }
    // A session is recorded from its first prompt on, and is a draft before.
    if let Some(open) = find_new(connection, &id).await?.filter(|open| open.root == root) {
        if connection.sessions.get(&id).is_err() {
            connection.sessions.open(&id, open.clone())?;
        }
        connection.shared.host.set_servers(&id, servers);
        connection.attach_files(&id, &setup.cwd);
        let options = config_options::list(connection, &open).await?;
        return Ok(json!({"modes": modes(open.autonomy), "configOptions": options}));
    }
    let record = on_sessions(connection, move |sessions| sessions.find(&id)).await?;
    if record.id != setup.session_id {
        return Err(RpcError::not_found("the session does not exist"));
    }
    if record.root != root {
        return Err(RpcError::invalid_params(format!("the session works in {}", record.root.display())));
    }
    let events = connection.shared.host.read(&record.id, None).await?;
    let last_seq = events.last().map(|event| event.seq);
    let settings = read_settings(connection, record.clone()).await?;
    let session = EditorSession {
        root,
        autonomy: record.autonomy,
        model: settings.provider.model,
        effort: settings.request.reasoning,
        is_started: true,
        last_seq,
        rejected: BTreeSet::new(),
    };
    connection.sessions.open(&record.id, session.clone())?;
    connection.shared.host.set_servers(&record.id, servers);
    connection.attach_files(&record.id, &setup.cwd);
    if is_replayed {
        let mut translator = Translator::replay(&record.root);
        for event in &events {
            for update in translator.translate(event) {
                connection.peer.update(&record.id, update).await;
            }
        }
    }
    let options = config_options::list(connection, &session).await?;
    Ok(json!({"modes": modes(record.autonomy), "configOptions": options}))
}

/// Returns a session without a run: one of this connection, or one that another agent opened.
async fn find_new(connection: &Connection, id: &str) -> Result<Option<EditorSession>, RpcError> {
    if let Ok(open) = connection.sessions.get(id) {
        return Ok(Some(open).filter(|open| !open.is_started));
    }
    let id = id.to_owned();
    let draft = on_sessions(connection, move |sessions| sessions.draft(&id)).await?;
    Ok(draft.map(EditorSession::from_draft))
}

/// Stores the settings of an open session that has no run yet, because a client may start another agent for its prompt.
pub(crate) async fn save_draft(connection: &Connection, id: &str) -> Result<(), RpcError> {
    let session = connection.sessions.get(id)?;
    if session.is_started {
        return Ok(());
    }
    let EditorSession { root, autonomy, model, effort, .. } = session;
    let (id, draft) = (id.to_owned(), SessionDraft { root, autonomy, model, effort });
    on_sessions(connection, move |sessions| sessions.save_draft(&id, &draft)).await
}

/// Removes the draft of a session that has a run now.
pub(crate) async fn remove_draft(connection: &Connection, id: &str) -> Result<(), RpcError> {
    let id = id.to_owned();
    on_sessions(connection, move |sessions| sessions.remove_draft(&id)).await
}

/// Reads the settings of the newest run of a session.
pub(crate) async fn read_settings(
    connection: &Connection,
    record: SessionRecord,
) -> Result<RunSettings, RpcError> {
    on_sessions(connection, move |sessions| sessions.newest_folder(&record)?.settings()).await
}

/// Deletes a session with its records.
pub(crate) async fn delete(connection: &Connection, session: SessionId) -> Result<Value, RpcError> {
    let id = session.session_id.clone();
    remove_draft(connection, &id).await?;
    // A session without a prompt has no records.
    let is_new = connection.sessions.get(&id).is_ok_and(|session| !session.is_started);
    if !is_new {
        on_sessions(connection, move |sessions| {
            match sessions.find(&id) {
                // The beginning of an id, and the word `last`, name a session, too.
                Ok(record) if record.id == id => sessions.delete(&id).map(drop),
                Ok(_) => Ok(()),
                // The protocol demands success for a session that does not exist.
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            }
        })
        .await?;
    }
    drop(connection.sessions.close(&session.session_id));
    connection.shared.host.set_servers(&session.session_id, Vec::new());
    Ok(json!({}))
}

/// Returns a time in milliseconds since 1970 in the form of ISO 8601.
fn to_iso(ms: u64) -> String {
    let seconds = ms / 1_000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days from March 1 of year 0, so that the leap day is the last of its year (Hinnant, "chrono-compatible
    // low-level date algorithms").
    let shifted = days.saturating_add(719_468);
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era + day_of_era / 36_524 - day_of_era / 1_460 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::to_iso;

    #[test]
    fn times_have_the_form_of_the_standard() {
        assert_eq!(to_iso(0), "1970-01-01T00:00:00Z");
        assert_eq!(to_iso(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(to_iso(1_795_750_215_999), "2026-11-27T03:30:15Z");
        assert_eq!(to_iso(4_107_542_399_000), "2100-02-28T23:59:59Z");
        // Far values do not overflow.
        assert!(to_iso(u64::MAX).ends_with('Z'));
    }
}
