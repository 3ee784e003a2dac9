//! `windlass policy learned`: lists and revokes learned permissions.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use windlass_app::mcp::is_learning_enabled;
use windlass_app::policies::{LessonFile, load_policy};
use windlass_app::{App, resolve_root};
use windlass_hitl::display_line;

use crate::drive::Telling;
use crate::output;

/// Lists the learned permissions of a workspace, or revokes one.
pub(crate) fn run_learned(
    app: &App,
    root: &Path,
    policy: Option<&Path>,
    revoke: Option<&str>,
    telling: Telling,
) -> anyhow::Result<ExitCode> {
    let root = resolve_root(root)?;
    let file = LessonFile::new(app, &root, &load_policy(app, &root, policy)?)?;
    let mut learned = file.load()?;
    if let Some(id) = revoke {
        let there;
        (learned, there) = file.update(|learned| learned.revoke(id))?;
        anyhow::ensure!(there, "lesson {id} does not exist");
    }
    let learns = is_learning_enabled(app)?;
    if !learns {
        output::note(
            "learning is off: these lessons count only in runs with --learn; `enabled = true` in `[learning]` of \
             config.toml switches it on for all",
        );
    }
    let now_ms = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?;
    for (id, lesson) in learned.entries() {
        let state = match (lesson.is_over(now_ms), lesson.suspended, lesson.is_active(now_ms)) {
            (true, ..) => "over".to_owned(),
            (_, 1.., _) => format!("suspended, {} approvals to come", lesson.suspended),
            (_, _, true) if learns => "runs without a question".to_owned(),
            (_, _, true) => "runs without a question where learning is on".to_owned(),
            _ => "asks".to_owned(),
        };
        if telling == Telling::Json {
            output::line(&json!({ "id": id, "lesson": lesson, "words": lesson.describe(), "state": state }))?;
            continue;
        }
        let counts = format!("{} of {} approved", lesson.approvals, lesson.total);
        output::print(&format!("{id}  {}: {counts}; {state}\n", display_line(&lesson.describe())))?;
    }
    if learned.entries().next().is_none() {
        output::note("nothing has been learned here yet");
    }
    Ok(ExitCode::SUCCESS)
}
