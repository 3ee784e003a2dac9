//! `windlass say`: stores a message for a run that works in another process or will be resumed.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use windlass_agent::{DeliverAt, Entry, Event, MessageReceiver, MessageSender, Outcome};
use windlass_client::StorageLock;
use windlass_journal::FileJournal;

use crate::answers::{read, write};
use crate::arguments::Say;
use crate::output;
use crate::runs::{self, RunFolder};

/// Interval at which a run polls its inbox.
const INTERVAL: Duration = Duration::from_millis(250);

/// A message file in a run's inbox.
#[derive(Debug, Serialize, Deserialize)]
struct Message {
    /// Unique id, by which a resumed run recognizes a message that its journal already contains. File names
    /// are not unique, because numbers start again in an empty inbox. Messages of earlier versions have no
    /// id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    text: String,
    when: DeliverAt,
}

pub(crate) fn say(arguments: &Say) -> anyhow::Result<ExitCode> {
    let folder = RunFolder::find(&runs::state()?, &arguments.run)?;
    anyhow::ensure!(!arguments.words.trim().is_empty(), "there are no words to say");
    anyhow::ensure!(
        !is_completed(&folder)?,
        "run {} is completed and hears nothing any more; start a new run",
        folder.id
    );
    let when = if arguments.after { DeliverAt::AfterTask } else { DeliverAt::NextTurn };
    leave(&folder, &arguments.words, when)?;
    output::note("kept; the run hears it at its next turn, or when it is resumed");
    Ok(ExitCode::SUCCESS)
}

/// Returns true if a run has completed and thus cannot be resumed.
fn is_completed(folder: &RunFolder) -> anyhow::Result<bool> {
    let records = FileJournal::read(folder.journal())?;
    let last = records.last().and_then(|record| record.read::<Entry>().ok());
    Ok(matches!(last, Some(Entry::Finished { outcome: Outcome::Completed { .. }, .. })))
}

/// Stores a message in a run's inbox.
pub(crate) fn leave(folder: &RunFolder, words: &str, when: DeliverAt) -> anyhow::Result<()> {
    // Messages are read in the order of their names. The number continues from the existing files, because a
    // clock can go backwards; the lock prevents two processes from using the same number.
    let inbox = folder.inbox();
    runs::make_private(&inbox)?;
    let _lock = StorageLock::of_folder(&inbox).context("the run's messages cannot be locked")?;
    let names = std::fs::read_dir(&inbox).context("the run's messages cannot be read")?;
    let numbers = names.filter_map(|entry| number(entry.ok()?.file_name().to_str()?));
    let number = numbers.max().unwrap_or_default().saturating_add(1);
    let name = format!("{number:039}-{}", std::process::id());
    write(&inbox, &name, &Message { id: Some(message_id()?), text: words.to_owned(), when })
}

/// Returns a unique message id with 128 random bits.
fn message_id() -> anyhow::Result<String> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|error| anyhow::anyhow!("no random bytes: {error}"))?;
    Ok(format!("say-{:032x}", u128::from_be_bytes(random)))
}

/// Parses the number in the name of a message file.
fn number(name: &str) -> Option<u128> {
    name.split_once('-')?.0.parse().ok()
}

/// The inbox folder of a run. A message file is deleted after the run has recorded the message.
#[derive(Clone)]
pub(crate) struct Inbox {
    folder: PathBuf,
    /// Messages that were passed to the run and are not recorded yet.
    told: Arc<Mutex<VecDeque<Told>>>,
}

/// A message that was passed to the run.
#[derive(Clone)]
struct Told {
    path: PathBuf,
    id: Option<String>,
}

impl Inbox {
    pub(crate) fn of(folder: &RunFolder) -> Self {
        Self { folder: folder.inbox(), told: Arc::default() }
    }

    /// Returns a channel with the messages of the inbox, including those that arrive while the run works.
    pub(crate) fn messages(&self) -> MessageReceiver {
        let (sender, messages) = MessageReceiver::channel();
        tokio::spawn(self.clone().watch(sender));
        messages
    }

    async fn watch(self, sender: MessageSender) {
        loop {
            for (path, message) in self.news() {
                let Message { id, text, when } = message;
                self.told().push_back(Told { path, id: id.clone() });
                let said = match id {
                    Some(id) => sender.send_once(id, text, when).await,
                    None => sender.send(text, when).await,
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
        // Leave other files in place: only the user can write to this folder.
        paths.into_iter().filter_map(|path| Some((path.clone(), read(&path).ok()?))).collect()
    }

    /// Deletes the file of a message that the run has recorded or refused.
    pub(crate) fn follow(&self, event: &Event) {
        let id = match event {
            Event::MessageQueued { id, .. } | Event::MessageRefused { id, .. } => id.as_deref(),
            // A killed process recorded the message, and did not delete its file.
            Event::MessageRepeated { id } => Some(id.as_str()),
            _ => return,
        };
        let mut told = self.told();
        let Some(at) = told.iter().position(|told| told.id.as_deref() == id) else { return };
        // Delete the file first: otherwise `watch` could pass the message a second time.
        if let Some(told) = told.get(at) {
            drop(std::fs::remove_file(&told.path));
        }
        told.remove(at);
    }

    fn told(&self) -> MutexGuard<'_, VecDeque<Told>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
