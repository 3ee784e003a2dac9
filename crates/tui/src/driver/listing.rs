//! Descriptions of sessions, the export of a conversation, and the files of a project.

use std::path::Path;
use std::time::Duration;

use ignore::WalkBuilder;
use windlass_app::AppError;
use windlass_app::sessions::{ExportFormat, SessionRecord, SessionState, Sessions, export};

use super::parts::Parts;
use crate::input::{OpenedSession, Reply, SessionChoice};

/// Maximum number of files that `@` completes.
const MAX_FILES: usize = 50_000;

pub(super) fn describe_session(record: &SessionRecord, last_seq: u64) -> OpenedSession {
    OpenedSession {
        session: record.id.clone(),
        last_seq,
        model: record.model.clone(),
        mode: record.mode.clone().unwrap_or_default(),
        autonomy: record.autonomy.as_str().to_owned(),
        is_suspended: record.state == SessionState::Suspended,
        is_active: record.state.is_active(),
    }
}

pub(super) fn to_choice(record: &SessionRecord, now_ms: u64) -> SessionChoice {
    let age = Duration::from_millis(now_ms.saturating_sub(record.updated_ms));
    let age = windlass_screen::format_duration(Duration::from_secs(age.as_secs()));
    let name = if record.name.is_empty() { "(no name)" } else { &record.name };
    let folder = record.root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    SessionChoice::new(
        &record.id,
        name,
        format!("{} · {age} ago · {} · {folder}", record.state.as_str(), record.model),
    )
}

/// Writes the conversation into a new file of the project.
pub(super) fn write_export(parts: &Parts, session: &str, file: Option<String>) -> Result<Reply, AppError> {
    use std::io::Write as _;

    let sessions: &Sessions = parts.host.sessions();
    let record = sessions.find(session)?;
    let text = export(sessions, &record, ExportFormat::Markdown)?;
    let path = parts.root.join(file.unwrap_or_else(|| format!("windlass-{}.md", record.id)));
    let written = std::fs::File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
    Ok(match written {
        Ok(()) => Reply::Notice(format!("written to {}", path.display())),
        Err(error) => Reply::Error(format!("{} cannot be written: {error}", path.display())),
    })
}

/// Lists the files of a folder that its ignore files do not exclude.
pub(super) fn list_files(root: &Path) -> Vec<String> {
    let walk = WalkBuilder::new(root).hidden(true).require_git(false).build();
    let files =
        walk.filter_map(Result::ok).filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let names = files.filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.take(MAX_FILES).collect();
    names.sort();
    names
}

pub(super) fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
