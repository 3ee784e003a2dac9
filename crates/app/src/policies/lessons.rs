//! Learned permissions, stored in one file for each workspace, beside the runs.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_agent::LearnedStore;
use windlass_hitl::{Learned, Policy, display_safe};

use crate::kept_file::{Form, KeptFile};
use crate::{output, runs};

/// The file of a workspace's learned permissions, for one policy.
#[derive(Clone, Debug)]
pub(crate) struct LessonFile {
    file: KeptFile,
    epoch: String,
}

impl LessonFile {
    /// Returns the file of a workspace. It is in the state folder, which no tool can reach.
    pub(crate) fn of(root: &Path, policy: &Policy) -> anyhow::Result<Self> {
        let folder = runs::state()?.join("learned");
        // The name is readable and short enough for all file systems. Two workspaces can share a file,
        // because every lesson contains its workspace.
        let name: Vec<char> = root.to_string_lossy().chars().rev().take(120).collect();
        let plain = |letter: &char| if letter.is_ascii_alphanumeric() { *letter } else { '-' };
        let name: String = name.iter().rev().map(plain).collect();
        let file = KeptFile::new(folder.join(format!("{name}.json")), "it begins anew");
        Ok(Self { file, epoch: policy.epoch() })
    }

    /// Loads the lessons that were learned under this policy.
    pub(crate) fn load(&self) -> anyhow::Result<Learned> {
        self.with_form(|form| self.file.load(form))
    }

    /// Changes the lessons. Includes those that other processes have stored since the last load.
    pub(crate) fn update<R>(&self, change: impl FnOnce(&mut Learned) -> R) -> anyhow::Result<(Learned, R)> {
        self.with_form(|form| self.file.update(form, change))
    }

    fn with_form<R>(&self, work: impl FnOnce(&Form<'_, Learned>) -> R) -> R {
        work(&Form {
            empty: &|| Learned::new(self.epoch.clone()),
            parse: &|text| Ok(Learned::parse(text, &self.epoch)?),
            text: &|learned| Ok(learned.to_text()?),
        })
    }
}

impl LearnedStore for LessonFile {
    fn update(&self, change: &dyn Fn(&mut Learned)) -> Option<Learned> {
        let learn = |learned: &mut Learned| {
            let before = active(learned);
            change(learned);
            before
        };
        match self.update(learn) {
            Ok((learned, before)) => {
                tell(&learned, &before);
                Some(learned)
            }
            // Without the change policy asks more often, never less.
            Err(error) => {
                output::note(&format!("what was learned cannot be kept: {error:#}"));
                None
            }
        }
    }
}

/// Returns the ids of the lessons that let calls run without a question.
fn active(learned: &Learned) -> BTreeSet<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let now = u64::try_from(now).unwrap_or(u64::MAX);
    learned.lessons().filter(|(_, lesson)| lesson.is_active(now)).map(|(id, _)| id.to_owned()).collect()
}

/// Prints a note for each lesson that becomes active or inactive, so nothing is learned silently.
fn tell(learned: &Learned, before: &BTreeSet<String>) {
    let now = active(learned);
    for (id, lesson) in learned.lessons() {
        let words = match (before.contains(id), now.contains(id)) {
            (false, true) => "runs without a question from now on, for 30 days",
            (true, false) => "is asked about again",
            _ => continue,
        };
        output::note(&format!(
            "· learned: {} ({}) {words}; {} of {} answers approved it; take it back with: windlass policy learned \
             --revoke {id}",
            display_safe(lesson.tool.as_str()),
            display_safe(&lesson.shape),
            lesson.approvals,
            lesson.total
        ));
    }
}
