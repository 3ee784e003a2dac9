//! The answers that taught something: a file for each workspace, beside the runs.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_agent::LearnedStore;
use windlass_hitl::{Learned, Policy, display_safe};

use crate::kept_file::{Form, KeptFile};
use crate::{output, runs};

/// Where the lessons of one workspace are kept, under one policy.
#[derive(Clone, Debug)]
pub(crate) struct LessonFile {
    file: KeptFile,
    epoch: String,
}

impl LessonFile {
    /// The file of a workspace. It is outside of it, where no tool reaches.
    pub(crate) fn of(root: &Path, policy: &Policy) -> anyhow::Result<Self> {
        let folder = runs::state()?.join("learned");
        // Readable, and short enough for a file system. Where two workspaces have one name nothing is mixed up:
        // every lesson names its workspace.
        let name: Vec<char> = root.to_string_lossy().chars().rev().take(120).collect();
        let plain = |letter: &char| if letter.is_ascii_alphanumeric() { *letter } else { '-' };
        let name: String = name.iter().rev().map(plain).collect();
        let file = KeptFile::new(folder.join(format!("{name}.json")), "it begins anew");
        Ok(Self { file, epoch: policy.epoch() })
    }

    /// The lessons under this policy.
    pub(crate) fn load(&self) -> anyhow::Result<Learned> {
        self.with_form(|form| self.file.load(form))
    }

    /// Changes the lessons, on top of what other processes have learned since.
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
            // More is asked then, never less.
            Err(error) => {
                output::note(&format!("what was learned cannot be kept: {error:#}"));
                None
            }
        }
    }
}

/// The lessons by which calls run without a question.
fn active(learned: &Learned) -> BTreeSet<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let now = u64::try_from(now).unwrap_or(u64::MAX);
    learned.lessons().filter(|(_, lesson)| lesson.is_active(now)).map(|(id, _)| id.to_owned()).collect()
}

/// Reports a lesson when it begins to count and when it ends: nothing is learned in silence.
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
