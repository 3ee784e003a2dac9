//! Learned permissions, stored in one file for each workspace, beside the runs.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_agent::ApprovalHistoryStore;
use windlass_hitl::{ApprovalHistory, Policy, display_line};

use crate::app::App;
use crate::error::{Result, one_line};
use crate::notices::Notices;
use crate::storage::{Format, StateFile};

/// The file of a workspace's learned permissions, for one policy.
#[derive(Clone, Debug)]
pub struct LessonFile {
    file: StateFile,
    notices: Notices,
    epoch: String,
}

impl LessonFile {
    /// Returns the file of a workspace. It is in the state folder, which no tool can reach.
    ///
    /// # Errors
    ///
    /// Fails if the state folder is unknown.
    pub fn new(app: &App, root: &Path, policy: &Policy) -> Result<Self> {
        let folder = app.state_file("learned")?;
        // The name is readable and short enough for all file systems. Two workspaces can share a file,
        // because every lesson contains its workspace.
        let name: Vec<char> = root.to_string_lossy().chars().rev().take(120).collect();
        let plain = |letter: &char| if letter.is_ascii_alphanumeric() { *letter } else { '-' };
        let name: String = name.iter().rev().map(plain).collect();
        let file = StateFile::new(
            folder.join(format!("{name}.json")),
            app.notices(),
            "learning starts \
             again without it",
        );
        Ok(Self { file, notices: app.notices().clone(), epoch: policy.epoch() })
    }

    /// Loads the lessons that were learned under this policy.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read. A file with invalid content is renamed, with a notice.
    pub fn load(&self) -> Result<ApprovalHistory> {
        self.with_format(|format| self.file.load(format))
    }

    /// Changes the lessons. Includes those that other processes have stored since the last load.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or written.
    pub fn update<R>(&self, change: impl FnOnce(&mut ApprovalHistory) -> R) -> Result<(ApprovalHistory, R)> {
        self.with_format(|format| self.file.update(format, change))
    }

    fn with_format<R>(&self, work: impl FnOnce(&Format<'_, ApprovalHistory>) -> R) -> R {
        work(&Format {
            empty: &|| ApprovalHistory::new(self.epoch.clone()),
            parse: &|text| Ok(ApprovalHistory::parse(text, &self.epoch)?),
            text: &|learned| Ok(learned.to_text()?),
        })
    }
}

impl ApprovalHistoryStore for LessonFile {
    fn update(&self, change: &dyn Fn(&mut ApprovalHistory)) -> Option<ApprovalHistory> {
        let learn = |learned: &mut ApprovalHistory| {
            let before = active(learned);
            change(learned);
            before
        };
        match self.update(learn) {
            Ok((learned, before)) => {
                report_changes(&learned, &before, &self.notices);
                Some(learned)
            }
            // Without the change policy asks more often, never less.
            Err(error) => {
                self.notices.inform(format!("learned permissions cannot be stored: {}", one_line(&error)));
                None
            }
        }
    }
}

/// Returns the ids of the lessons that let calls run without a question.
fn active(learned: &ApprovalHistory) -> BTreeSet<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let now = u64::try_from(now).unwrap_or(u64::MAX);
    learned.entries().filter(|(_, lesson)| lesson.is_active(now)).map(|(id, _)| id.to_owned()).collect()
}

/// Reports each lesson that becomes active or inactive, so nothing is learned silently.
fn report_changes(learned: &ApprovalHistory, before: &BTreeSet<String>, notices: &Notices) {
    let now = active(learned);
    for (id, lesson) in learned.entries() {
        let words = match (before.contains(id), now.contains(id)) {
            (false, true) => "runs without a question from now on, for 30 days",
            (true, false) => "needs approval again",
            _ => continue,
        };
        let text = format!(
            "· learned to {}: it {words}; {} of {} answers approved it",
            display_line(&lesson.describe()),
            lesson.approvals,
            lesson.total
        );
        notices.report_learned(text, id);
    }
}
