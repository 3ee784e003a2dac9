//! The next run of a session: a new run on the history of an ended one, or the same run again.

use windlass_agent::{Entry, Outcome};
use windlass_protocol::{Effort, RawJson};

use super::catalog::Sessions;
use super::link::{ForkPoint, SessionLink};
use super::record::SessionRecord;
use super::transcript::{cut, outcome, read_entries, restore};
use crate::config::{Autonomy, RunSettings, Task, ToolPreset};
use crate::error::{Result, bail, ensure};
use crate::providers::Provider;
use crate::runs::{MessageTime, RunFolder, leave_message};

/// Changes of the settings between two runs of a session. Only a new run can have them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RunChanges {
    /// The provider and the model.
    pub provider: Option<Provider>,
    /// The work mode.
    pub mode: Option<String>,
    /// The autonomy.
    pub autonomy: Option<Autonomy>,
    /// The tools.
    pub preset: Option<ToolPreset>,
    /// Maximum number of answers of the model; 0 means unlimited.
    pub max_turns: Option<u32>,
    /// The amount of reasoning.
    pub effort: Option<Effort>,
    /// True if the conversation is compacted before the first request of the run.
    pub compact_first: bool,
    /// Cost at which the run stops, in millionths; 0 means unlimited.
    pub max_cost: Option<u64>,
    /// JSON Schema of the answer. The schema of the run before does not count, because the task is another one.
    pub answer_schema: Option<RawJson>,
}

impl RunChanges {
    /// Returns the names of the settings that change.
    pub fn names(&self) -> Vec<&'static str> {
        let names = [
            ("model", self.provider.is_some()),
            ("mode", self.mode.is_some()),
            ("autonomy", self.autonomy.is_some()),
            ("preset", self.preset.is_some()),
            ("max_turns", self.max_turns.is_some()),
            ("effort", self.effort.is_some()),
            ("compact_first", self.compact_first),
            ("max_cost", self.max_cost.is_some()),
            ("answer_schema", self.answer_schema.is_some()),
        ];
        names.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect()
    }

    fn apply(&self, settings: &mut RunSettings) {
        if let Some(provider) = &self.provider {
            settings.provider = provider.clone();
        }
        if self.mode.is_some() {
            settings.offering.mode.clone_from(&self.mode);
        }
        settings.autonomy = self.autonomy.unwrap_or(settings.autonomy);
        settings.preset = self.preset.unwrap_or(settings.preset);
        settings.max_turns = self.max_turns.unwrap_or(settings.max_turns);
        settings.max_cost = self.max_cost.unwrap_or(settings.max_cost);
        settings.answer_schema.clone_from(&self.answer_schema);
        settings.request.reasoning = self.effort.or(settings.request.reasoning);
        // The compaction was requested for this run only, not for later runs.
        settings.compact_first = self.compact_first;
        settings.follows_compaction = settings.only_compacts;
        settings.only_compacts = false;
    }
}

/// The next step of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "a value that is used once")]
pub enum Continuation {
    /// Start this run with [`Session::start`](crate::runs::Session::start).
    NewRun {
        /// The settings of the new run.
        settings: RunSettings,
        /// Its place in the session, for [`SessionOptions::link`](crate::runs::SessionOptions::link).
        link: SessionLink,
    },
    /// The newest run was killed: resume it with [`Session::resume`](crate::runs::Session::resume). It receives the
    /// task as a message.
    Resume {
        /// The run.
        folder: RunFolder,
    },
}

impl Sessions {
    /// Prepares the next run of a session with a task. An ended run is continued by a new run on its history. A run
    /// whose process was killed is resumed and receives the task as a message.
    ///
    /// # Errors
    ///
    /// Fails if the session is active, if its run waits for an answer, or if a setting is to change that a resumed run
    /// keeps.
    pub fn continue_with(
        &self,
        session: &str,
        task: impl Into<Task>,
        changes: &RunChanges,
    ) -> Result<Continuation> {
        let task = task.into();
        ensure!(!task.text.trim().is_empty(), Invalid, "the task is empty");
        let record = self.find(session)?;
        ensure!(!record.state.is_active(), Conflict, "session {} is active in a process", record.id);
        let folder = self.newest_folder(&record)?;
        let entries = read_entries(&folder.records()?)?;
        match outcome(&entries) {
            Some(Outcome::Suspended { .. }) => bail!(
                Conflict,
                "session {} waits for an answer: answer its questions and resume it before you continue",
                record.id
            ),
            Some(_) => {}
            None => {
                let names = changes.names();
                ensure!(
                    names.is_empty(),
                    Conflict,
                    "the newest run of session {} was interrupted and is resumed, which cannot change: {}",
                    record.id,
                    names.join(", ")
                );
                leave_message(&folder, task, MessageTime::AfterTurn)?;
                return Ok(Continuation::Resume { folder });
            }
        }
        let mut settings = folder.settings()?.with_task(task);
        changes.apply(&mut settings);
        Ok(Continuation::NewRun { settings, link: self.link_next(record, &folder, entries)? })
    }

    /// Prepares the next run of a session, which only compacts the conversation. The session must have ended: a working
    /// run compacts itself before its next request.
    ///
    /// # Errors
    ///
    /// Fails if the session is active, or if its newest run must be resumed.
    pub fn compact_with(&self, session: &str) -> Result<Continuation> {
        let record = self.find(session)?;
        ensure!(!record.state.is_active(), Conflict, "session {} is active in a process", record.id);
        let folder = self.newest_folder(&record)?;
        let entries = read_entries(&folder.records()?)?;
        ensure!(
            !matches!(outcome(&entries), None | Some(Outcome::Suspended { .. })),
            Conflict,
            "the newest run of session {} has not ended: resume it, and compact it while it works",
            record.id
        );
        let mut settings = folder.settings()?.with_task(Entry::COMPACTION_TASK);
        RunChanges::default().apply(&mut settings);
        settings.only_compacts = true;
        Ok(Continuation::NewRun { settings, link: self.link_next(record, &folder, entries)? })
    }

    /// Returns the place of the next run of a session, after its newest run.
    fn link_next(
        &self,
        record: SessionRecord,
        folder: &RunFolder,
        entries: Vec<Entry>,
    ) -> Result<SessionLink> {
        let events = self.events(&record, None)?;
        Ok(SessionLink {
            id: None,
            parent: Some(folder.id.clone()),
            forked_from: None,
            first_seq: events.last().map_or(1, |event| event.seq.saturating_add(1)),
            history: Some(restore(entries)?),
            grants: None,
            servers: Vec::new(),
            editor: None,
            session: Some(record),
        })
    }

    /// Prepares the first run of a new session with the conversation of another session until a point of its newest
    /// run. The files of the workspace stay as they are.
    ///
    /// # Errors
    ///
    /// Fails if the session or the point does not exist.
    pub fn fork_with(
        &self,
        session: &str,
        point: &ForkPoint,
        task: impl Into<Task>,
        changes: &RunChanges,
    ) -> Result<Continuation> {
        let task = task.into();
        ensure!(!task.text.trim().is_empty(), Invalid, "the task is empty");
        let record = self.find(session)?;
        let folder = self.newest_folder(&record)?;
        let entries = cut(read_entries(&folder.records()?)?, point)?;
        let mut settings = folder.settings()?.with_task(task);
        changes.apply(&mut settings);
        let link = SessionLink {
            parent: Some(folder.id.clone()),
            forked_from: Some(record.id),
            first_seq: 1,
            history: Some(restore(entries)?),
            ..SessionLink::default()
        };
        Ok(Continuation::NewRun { settings, link })
    }
}
