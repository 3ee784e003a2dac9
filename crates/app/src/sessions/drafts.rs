//! Sessions that a client has opened and that have no run yet.

use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use windlass_protocol::Effort;

use super::catalog::Sessions;
use crate::config::{Autonomy, create_private_folder};
use crate::error::{Context as _, Result, ensure};
use crate::runs::is_id;
use crate::storage::{read_json, write_json};

/// Number of drafts that are kept. A further one replaces the oldest.
const DRAFTS: usize = 200;

/// Session without a run: the settings that a client chose before its first task. Another process can open it, because some
/// clients start an agent for each of their commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::exhaustive_structs, reason = "the settings that a client can choose before a task")]
pub struct SessionDraft {
    /// The folder of the session.
    pub root: PathBuf,
    /// The autonomy of the first run.
    pub autonomy: Autonomy,
    /// The model of the first run.
    pub model: String,
    /// The amount of reasoning of the first run; `None` leaves it to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
}

impl Sessions {
    /// Stores a draft under an id of [`SessionHost::reserve_id`](super::SessionHost::reserve_id).
    ///
    /// # Errors
    ///
    /// Fails if the id is malformed, or if the draft cannot be written.
    pub fn save_draft(&self, id: &str, draft: &SessionDraft) -> Result<()> {
        ensure!(is_id(id), Invalid, "{id:?} is not the id of a session");
        let folder = self.drafts_folder()?;
        create_private_folder(&folder).context("the folder of new sessions cannot be created")?;
        write_json(&folder, id, draft)?;
        self.remove_oldest_drafts()
    }

    /// Returns a draft, or `None` if there is none with this id.
    ///
    /// # Errors
    ///
    /// Fails if the draft cannot be read.
    pub fn draft(&self, id: &str) -> Result<Option<SessionDraft>> {
        if !is_id(id) {
            return Ok(None);
        }
        let path = self.drafts_folder()?.join(format!("{id}.json"));
        if !path.exists() {
            return Ok(None);
        }
        read_json(&path).map(Some)
    }

    /// Removes a draft, for example because its session has a run now.
    ///
    /// # Errors
    ///
    /// Fails if the state folder is unknown.
    pub fn remove_draft(&self, id: &str) -> Result<()> {
        if is_id(id) {
            // Ignore errors: a missing draft needs no removal, and a draft that stays only counts toward the maximum.
            drop(std::fs::remove_file(self.drafts_folder()?.join(format!("{id}.json"))));
        }
        Ok(())
    }

    fn drafts_folder(&self) -> Result<PathBuf> {
        Ok(self.app().state_folder()?.join("drafts"))
    }

    fn remove_oldest_drafts(&self) -> Result<()> {
        let entries = std::fs::read_dir(self.drafts_folder()?).context("new sessions cannot be listed")?;
        let mut drafts: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let path = entry.path();
                let is_draft = path.extension().is_some_and(|extension| extension == "json");
                is_draft.then_some((entry.metadata().ok()?.modified().ok()?, path))
            })
            .collect();
        drafts.sort();
        let surplus = drafts.len().saturating_sub(DRAFTS);
        for (_, path) in drafts.into_iter().take(surplus) {
            drop(std::fs::remove_file(path));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{App, Folders};

    fn draft(model: &str) -> SessionDraft {
        let root = PathBuf::from("/project");
        SessionDraft { root, autonomy: Autonomy::Ask, model: model.to_owned(), effort: Some(Effort::High) }
    }

    #[test]
    fn drafts_are_kept_for_other_processes_and_bounded() {
        let place = tempfile::tempdir().unwrap();
        let app = App::new(Folders::new(place.path().join("settings"), place.path().join("state")));
        let sessions = Sessions::new(&app).unwrap();
        assert_eq!(sessions.draft("100-00000000").unwrap(), None);
        for number in 0..=DRAFTS {
            sessions.save_draft(&format!("100-{number:08x}"), &draft(&number.to_string())).unwrap();
        }
        let other = Sessions::new(&app).unwrap();
        let last = format!("100-{DRAFTS:08x}");
        assert_eq!(other.draft(&last).unwrap(), Some(draft(&DRAFTS.to_string())));
        let count = || std::fs::read_dir(place.path().join("state/drafts")).unwrap().count();
        assert_eq!(count(), DRAFTS);
        other.remove_draft(&last).unwrap();
        assert_eq!((sessions.draft(&last).unwrap(), count()), (None, DRAFTS - 1));
    }

    #[test]
    fn an_id_that_is_a_path_has_no_draft() {
        let place = tempfile::tempdir().unwrap();
        let app = App::new(Folders::new(place.path().join("settings"), place.path().join("state")));
        let sessions = Sessions::new(&app).unwrap();
        std::fs::create_dir_all(place.path().join("state")).unwrap();
        let other = place.path().join("state/other.json");
        std::fs::write(&other, serde_json::to_string(&draft("m")).unwrap()).unwrap();
        assert_eq!(sessions.draft("../other").unwrap(), None);
        sessions.remove_draft("../other").unwrap();
        assert!(other.exists() && sessions.save_draft("../other", &draft("m")).is_err());
    }
}
