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
    write(&inbox, &name, &Message { text: words.to_owned(), when })
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
    told: Arc<Mutex<VecDeque<PathBuf>>>,
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
                self.told().push_back(path);
                if speaker.say(message.text, message.when).await.is_err() {
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
                path.extension().is_some_and(|extension| extension == "json") && !told.contains(path)
            })
            .collect();
        paths.sort();
        // What is no message stays where it is; nobody but the user writes here.
        paths.into_iter().filter_map(|path| Some((path.clone(), read(&path).ok()?))).collect()
    }

    /// The run has written a message down, or refused it: it need not be kept here any more.
    pub(crate) fn follow(&self, event: &Event) {
        if !matches!(event, Event::MessageQueued { .. } | Event::MessageRefused { .. }) {
            return;
        }
        // The run hears them in order. A message is gone before it is forgotten: in between it would be news.
        let mut told = self.told();
        if let Some(path) = told.front() {
            drop(std::fs::remove_file(path));
        }
        told.pop_front();
    }

    fn told(&self) -> MutexGuard<'_, VecDeque<PathBuf>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
