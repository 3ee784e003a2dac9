//! `windlass policy learned`: what a person's answers have taught.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use windlass_hitl::display_safe;

use crate::drive::Telling;
use crate::lessons::LessonFile;
use crate::{output, policies, setup};

/// Lists what was learned in a workspace, or takes a lesson back.
pub(crate) fn learned(
    root: &Path,
    policy: Option<&Path>,
    revoke: Option<&str>,
    telling: Telling,
) -> anyhow::Result<ExitCode> {
    let root = setup::root(root)?;
    let file = LessonFile::of(&root)?;
    let mut learned = file.load(&policies::load(&root, policy)?);
    if let Some(id) = revoke {
        anyhow::ensure!(learned.revoke(id), "there is no lesson {id}");
        file.save(&learned);
    }
    let now_ms = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?;
    for (id, lesson) in learned.lessons() {
        let state = match (lesson.is_over(now_ms), lesson.suspended, lesson.is_active(now_ms)) {
            (true, ..) => "over".to_owned(),
            (_, 1.., _) => format!("suspended, {} approvals to come", lesson.suspended),
            (_, _, true) => "runs without a question".to_owned(),
            _ => "asks".to_owned(),
        };
        if telling == Telling::Json {
            output::line(&json!({ "id": id, "lesson": lesson, "state": state }))?;
            continue;
        }
        let counts = format!("{} of {} approved", lesson.approvals, lesson.total);
        output::print(&format!(
            "{id}  {} {}: {counts}; {state}\n",
            lesson.tool,
            display_safe(&lesson.shape)
        ))?;
    }
    if learned.lessons().next().is_none() {
        output::note("nothing is learned here yet");
    }
    Ok(ExitCode::SUCCESS)
}
