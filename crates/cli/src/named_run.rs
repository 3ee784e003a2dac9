//! Runs that a person names on the command line.

use windlass_app::runs::RunFolder;
use windlass_app::sessions::Sessions;
use windlass_app::{App, ErrorKind};

/// Finds a run by its id, or the newest run of a session by the session's id, the beginning of that id, or `last`.
pub(crate) fn find_named_run(app: &App, name: &str) -> anyhow::Result<RunFolder> {
    let found = app.find_run(name);
    if found.is_ok() {
        return Ok(found?);
    }
    let sessions = Sessions::new(app)?;
    match sessions.find(name) {
        Ok(record) => Ok(sessions.newest_folder(&record)?),
        Err(error) if error.kind() == ErrorKind::Conflict => Err(error.into()),
        Err(_) => Ok(found?),
    }
}
