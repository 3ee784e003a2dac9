//! Messages for a run that works in another process or will be resumed.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_agent::{DeliverAt, Entry, Event, MessageReceiver, MessageSender, Outcome};
use windlass_client::StorageLock;
use windlass_journal::FileJournal;

use super::RunFolder;
use super::folder::no_random_bytes;
use crate::config::create_private_folder;
use crate::error::{Context as _, Result, ensure};
use crate::storage::{read_json, write_json};

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

/// Stores a message for a run, which receives it at its next turn or when it is resumed.
///
/// # Errors
///
/// Fails if the message is empty, or if the run has completed.
pub fn leave_message(folder: &RunFolder, words: &str, when: DeliverAt) -> Result<()> {
    ensure!(!words.trim().is_empty(), Invalid, "the message is empty");
    ensure!(
        !is_completed(folder)?,
        Conflict,
        "run {} is completed and receives no messages; start a new run",
        folder.id
    );
    store_message(folder, words, when)
}

/// Returns true if a run has completed and thus cannot be resumed.
fn is_completed(folder: &RunFolder) -> Result<bool> {
    let records = FileJournal::read(folder.journal())?;
    let last = records.last().and_then(|record| record.read::<Entry>().ok());
    Ok(matches!(last, Some(Entry::Finished { outcome: Outcome::Completed { .. }, .. })))
}

/// Stores a message in a run's inbox.
pub(crate) fn store_message(folder: &RunFolder, words: &str, when: DeliverAt) -> Result<()> {
    // Messages are read in the order of their names. The number continues from the existing files, because a
    // clock can go backwards; the lock prevents two processes from using the same number.
    let inbox = folder.inbox();
    create_private_folder(&inbox)?;
    let _lock = StorageLock::lock_folder(&inbox).context("the run's messages cannot be locked")?;
    let names = std::fs::read_dir(&inbox).context("the run's messages cannot be read")?;
    let numbers = names.filter_map(|entry| number(entry.ok()?.file_name().to_str()?));
    let number = numbers.max().unwrap_or_default().saturating_add(1);
    let name = format!("{number:039}-{}", std::process::id());
    write_json(&inbox, &name, &Message { id: Some(message_id()?), text: words.to_owned(), when })
}

/// Returns a unique message id with 128 random bits.
fn message_id() -> Result<String> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(no_random_bytes)?;
    Ok(format!("say-{:032x}", u128::from_be_bytes(random)))
}

/// Parses the number in the name of a message file.
fn number(name: &str) -> Option<u128> {
    name.split_once('-')?.0.parse().ok()
}

/// The inbox folder of a run. A message file is deleted after the run has recorded the message.
#[derive(Clone, Debug)]
pub struct Inbox {
    folder: PathBuf,
    /// Messages that were passed to the run and are not recorded yet.
    passed: Arc<Mutex<VecDeque<PassedMessage>>>,
}

/// A message that was passed to the run.
#[derive(Clone, Debug)]
struct PassedMessage {
    path: PathBuf,
    id: Option<String>,
}

impl Inbox {
    pub(crate) fn new(folder: &RunFolder) -> Self {
        Self { folder: folder.inbox(), passed: Arc::default() }
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
                self.lock_passed().push_back(PassedMessage { path, id: id.clone() });
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
        let passed = self.lock_passed().clone();
        let mut paths: Vec<PathBuf> = names
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.extension().is_some_and(|extension| extension == "json")
                    && !passed.iter().any(|known| known.path == *path)
            })
            .collect();
        paths.sort();
        // Leave other files in place: only the user can write to this folder.
        paths.into_iter().filter_map(|path| Some((path.clone(), read_json(&path).ok()?))).collect()
    }

    /// Deletes the file of a message that the run has recorded or refused.
    pub fn follow(&self, event: &Event) {
        let id = match event {
            Event::MessageQueued { id, .. } | Event::MessageRefused { id, .. } => id.as_deref(),
            // A killed process recorded the message, and did not delete its file.
            Event::MessageRepeated { id } => Some(id.as_str()),
            _ => return,
        };
        let mut passed = self.lock_passed();
        let Some(at) = passed.iter().position(|message| message.id.as_deref() == id) else { return };
        // Delete the file first: otherwise `watch` could pass the message a second time.
        if let Some(message) = passed.get(at) {
            drop(std::fs::remove_file(&message.path));
        }
        passed.remove(at);
    }

    fn lock_passed(&self) -> MutexGuard<'_, VecDeque<PassedMessage>> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
