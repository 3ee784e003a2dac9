//! `windlass say`: words for a run that works in another process, or that is resumed later.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use windlass_agent::{Entry, Event, Messages, Moment, Outcome, Speaker};
use windlass_client::StorageLock;
use windlass_journal::FileJournal;

use crate::answers::{read, write};
use crate::arguments::Say;
use crate::output;
use crate::runs::{self, RunFolder};

/// How often a run looks whether something was said to it.
const INTERVAL: Duration = Duration::from_millis(250);

/// One message, as it lies in a run's folder.
#[derive(Debug, Serialize, Deserialize)]
struct Message {
    /// By this the run knows a message that it has written down already. A name of a file comes again when the folder was
    /// empty in between; messages of earlier versions have no id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    text: String,
    when: Moment,
}

pub(crate) fn say(arguments: &Say) -> anyhow::Result<ExitCode> {
    let folder = RunFolder::find(&runs::state()?, &arguments.run)?;
    anyhow::ensure!(!arguments.words.trim().is_empty(), "there are no words to say");
    anyhow::ensure!(
        !is_completed(&folder)?,
        "run {} is completed and hears nothing any more; start a new run",
        folder.id
    );
    let when = if arguments.after { Moment::AfterTask } else { Moment::NextTurn };
    leave(&folder, &arguments.words, when)?;
    output::note("kept; the run hears it at its next turn, or when it is resumed");
    Ok(ExitCode::SUCCESS)
}

/// Whether a run has ended for good: a completed run cannot be resumed.
fn is_completed(folder: &RunFolder) -> anyhow::Result<bool> {
    let records = FileJournal::read(folder.journal())?;
    let last = records.last().and_then(|record| record.read::<Entry>().ok());
    Ok(matches!(last, Some(Entry::Finished { outcome: Outcome::Completed { .. }, .. })))
}

/// Leaves words for a run.
pub(crate) fn leave(folder: &RunFolder, words: &str, when: Moment) -> anyhow::Result<()> {
    // Messages are heard in the order of their names. A clock can go back, so the name counts on from those that are
    // there; the lock keeps two processes from taking one number.
    let inbox = folder.inbox();
    runs::make_private(&inbox)?;
    let _lock = StorageLock::of_folder(&inbox).context("the run's messages cannot be locked")?;
    let names = std::fs::read_dir(&inbox).context("the run's messages cannot be read")?;
    let numbers = names.filter_map(|entry| number(entry.ok()?.file_name().to_str()?));
    let number = numbers.max().unwrap_or_default().saturating_add(1);
    let name = format!("{number:039}-{}", std::process::id());
    write(&inbox, &name, &Message { id: Some(message_id()?), text: words.to_owned(), when })
}

/// An id that no other message has.
fn message_id() -> anyhow::Result<String> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|error| anyhow::anyhow!("no random bytes: {error}"))?;
    Ok(format!("say-{:032x}", u128::from_be_bytes(random)))
}

/// The number of a message, by the name of its file.
fn number(name: &str) -> Option<u128> {
    name.split_once('-')?.0.parse().ok()
}

/// What is said to a run, out of its folder. A message stays there until the run has written it down.
#[derive(Clone)]
pub(crate) struct Inbox {
    folder: PathBuf,
    /// What the run was told and has not written down yet.
    told: Arc<Mutex<VecDeque<Told>>>,
}

/// A message that the run was told.
#[derive(Clone)]
struct Told {
    path: PathBuf,
    id: Option<String>,
}

impl Inbox {
    pub(crate) fn of(folder: &RunFolder) -> Self {
        Self { folder: folder.inbox(), told: Arc::default() }
    }

    /// The ear of a run, which hears what lies here and what is laid here while it works.
    pub(crate) fn messages(&self) -> Messages {
        let (speaker, messages) = Messages::channel();
        tokio::spawn(self.clone().watch(speaker));
        messages
    }

    async fn watch(self, speaker: Speaker) {
        loop {
            for (path, message) in self.news() {
                let Message { id, text, when } = message;
                self.told().push_back(Told { path, id: id.clone() });
                let said = match id {
                    Some(id) => speaker.say_once(id, text, when).await,
                    None => speaker.say(text, when).await,
                };
                if said.is_err() {
                    return;
                }
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    fn news(&self) -> Vec<(PathBuf, Message)> {
        let Ok(names) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let told = self.told().clone();
        let mut paths: Vec<PathBuf> = names
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.extension().is_some_and(|extension| extension == "json")
                    && !told.iter().any(|told| told.path == *path)
            })
            .collect();
        paths.sort();
        // What is no message stays where it is; nobody but the user writes here.
        paths.into_iter().filter_map(|path| Some((path.clone(), read(&path).ok()?))).collect()
    }

    /// The run has written a message down, or refused it: it need not be kept here any more.
    pub(crate) fn follow(&self, event: &Event) {
        let id = match event {
            Event::MessageQueued { id, .. } | Event::MessageRefused { id, .. } => id.as_deref(),
            // A process that was killed had it on record, and did not come to remove it.
            Event::MessageRepeated { id } => Some(id.as_str()),
            _ => return,
        };
        let mut told = self.told();
        let Some(at) = told.iter().position(|told| told.id.as_deref() == id) else { return };
        // A message is gone before it is forgotten: in between it would be news.
        if let Some(told) = told.get(at) {
            drop(std::fs::remove_file(&told.path));
        }
        told.remove(at);
    }

    fn told(&self) -> MutexGuard<'_, VecDeque<Told>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
