//! Messages for a run that works in another process or will be resumed.

mod item;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use windlass_agent::{Entry, Event, MessageReceiver, MessageSender, Outcome, RunningCalls};
use windlass_client::StorageLock;
use windlass_tool::CancellationToken;

use self::item::{InboxItem, InboxMessage};
use super::folder::no_random_bytes;
use super::shared_run::SharedRun;
use super::stop_request::StopRequest;
use super::{MessageTime, RunFolder};
use crate::config::{Task, create_private_folder, to_message};
use crate::error::{Context as _, Remedy, Result, ensure};
use crate::storage::{read_json, write_json};

/// Interval at which a run polls its inbox.
const INTERVAL: Duration = Duration::from_millis(250);

/// Stores a message for a run, which receives it at a time or when it is resumed. Like a task, a message has words, and
/// can have pictures and files within the same limits.
///
/// # Errors
///
/// Fails if the message has no text, or if the run has completed.
pub fn leave_message(
    folder: &RunFolder,
    message: impl Into<Task>,
    when: impl Into<MessageTime>,
) -> Result<()> {
    let message = message.into();
    ensure!(!message.text.trim().is_empty(), Invalid, "the message is empty: it has no words");
    check_receives(folder)?;
    store_message(folder, message, when)
}

/// Stores the request that a working run compacts its conversation before its next request to the model.
pub(crate) fn leave_compaction(folder: &RunFolder) -> Result<()> {
    check_receives(folder)?;
    store(folder, &InboxItem::Compaction)
}

/// Stores the request that a run, which works in another process, or one of its calls stops. `start` names the process,
/// as the record of the session does.
pub(crate) fn leave_stop(folder: &RunFolder, request: StopRequest, start: Option<String>) -> Result<()> {
    store(folder, &InboxItem::Stop { request, start })
}

fn check_receives(folder: &RunFolder) -> Result<()> {
    ensure!(
        !is_completed(folder)?,
        Conflict,
        remedy: Remedy::ContinueSession(folder.settings()?.session.unwrap_or_else(|| folder.id.clone())),
        "run {} is completed and receives no messages",
        folder.id
    );
    Ok(())
}

/// Returns true if a run has completed and thus cannot be resumed. The last recorded end counts, even if a program
/// that resumed the run recorded more after it.
fn is_completed(folder: &RunFolder) -> Result<bool> {
    let records = folder.records()?;
    let end = records.iter().rev().find_map(|record| match record.read::<Entry>() {
        Ok(Entry::Finished { outcome, .. }) => Some(outcome),
        _ => None,
    });
    Ok(matches!(end, Some(Outcome::Completed { .. })))
}

/// Stores a message in a run's inbox.
pub(crate) fn store_message(
    folder: &RunFolder,
    message: impl Into<Task>,
    when: impl Into<MessageTime>,
) -> Result<()> {
    let (content, time) = (message.into(), when.into());
    store(folder, &InboxItem::Message(InboxMessage { id: Some(message_id()?), content, time }))
}

fn store(folder: &RunFolder, item: &InboxItem) -> Result<()> {
    if let Some(shared) = folder.shared() {
        let text = serde_json::to_string(item)?;
        shared.store.push_message(&shared.id, &text.parse()?)?;
        return Ok(());
    }
    // Messages are read in the order of their names. The number continues from the existing files, because a
    // clock can go backwards; the lock prevents two processes from using the same number.
    let inbox = folder.inbox();
    create_private_folder(&inbox)?;
    let _lock = StorageLock::lock_folder(&inbox).context("the run's messages cannot be locked")?;
    let names = std::fs::read_dir(&inbox).context("the run's messages cannot be read")?;
    let numbers = names.filter_map(|entry| number(entry.ok()?.file_name().to_str()?));
    let number = numbers.max().unwrap_or_default().saturating_add(1);
    let name = format!("{number:039}-{}", std::process::id());
    write_json(&inbox, &name, item)
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
    /// The run in a database, which contains the messages.
    shared: Option<SharedRun>,
    /// Messages that were passed to the run and are not recorded yet.
    passed: Arc<Mutex<VecDeque<PassedMessage>>>,
    /// The calls of the run that work.
    calls: RunningCalls,
    /// Stops the run.
    cancellation: CancellationToken,
    /// This start of the run, which requests to stop name.
    start: Option<String>,
}

/// A message that was passed to the run.
#[derive(Clone, Debug)]
struct PassedMessage {
    place: MessagePlace,
    id: Option<String>,
    time: MessageTime,
}

/// The place of a stored message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum MessagePlace {
    File(PathBuf),
    /// The number of the message in a database.
    Number(u64),
}

impl Inbox {
    pub(crate) fn new(
        folder: &RunFolder,
        start: Option<&str>,
        calls: RunningCalls,
        cancellation: CancellationToken,
    ) -> Self {
        let (shared, passed) = (folder.shared().cloned(), Arc::default());
        let start = start.map(str::to_owned);
        Self { folder: folder.inbox(), shared, passed, calls, cancellation, start }
    }

    /// Returns a channel with the messages of the inbox, including those that arrive while the run works.
    pub(crate) fn messages(&self) -> MessageReceiver {
        let (sender, messages) = MessageReceiver::channel();
        tokio::spawn(self.clone().watch(sender));
        messages
    }

    /// Passes messages to the run until it ends.
    async fn watch(self, sender: MessageSender) {
        let mut is_first = true;
        loop {
            for (place, item) in self.fetch_news().await {
                let passed = match item {
                    InboxItem::Message(message) => self.pass(&sender, place, message).await,
                    InboxItem::Stop { request, start } => {
                        if self.is_for_this_start(start.as_deref(), is_first) {
                            request.perform(&self.calls, &self.cancellation);
                        }
                        self.remove(&place);
                        true
                    }
                    InboxItem::Compaction => {
                        let is_open = sender.compact().await.is_ok();
                        if is_open {
                            // A run that ends before its next request does not compact.
                            self.remove(&place);
                        }
                        is_open
                    }
                };
                if !passed {
                    return;
                }
            }
            is_first = false;
            tokio::select! {
                () = sender.wait_for_end() => return,
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
    }

    /// Passes a message to the run. Returns false if the run has ended.
    async fn pass(&self, sender: &MessageSender, place: MessagePlace, message: InboxMessage) -> bool {
        let InboxMessage { id, content: Task { text, parts }, time } = message;
        self.lock_passed().push_back(PassedMessage { place, id: id.clone(), time });
        let content = to_message(text, parts);
        let sent = match id {
            Some(id) => sender.send_once(id, content, time.deliver_at()).await,
            None => sender.send(content, time.deliver_at()).await,
        };
        sent.is_ok()
    }

    /// Returns true if a request to stop is for this start of the run, and not for an earlier process, which was killed.
    fn is_for_this_start(&self, start: Option<&str>, is_first_look: bool) -> bool {
        match start {
            Some(start) => self.start.as_deref() == Some(start),
            // A request of an earlier version does not name the start of a process. If it exists at the first look,
            // its age is unknown.
            None => !is_first_look,
        }
    }

    /// Returns the messages that were not passed yet. A database is asked on a thread that may block.
    async fn fetch_news(&self) -> Vec<(MessagePlace, InboxItem)> {
        let Some(shared) = self.shared.clone() else { return self.news() };
        let read = tokio::task::spawn_blocking(move || shared.store.read_messages(&shared.id)).await;
        // A database that is down now is asked again at the next interval.
        let messages = read.ok().and_then(Result::ok).unwrap_or_default();
        let passed = self.lock_passed().clone();
        let is_new = |place: &MessagePlace| !passed.iter().any(|known: &PassedMessage| known.place == *place);
        let numbered = messages.into_iter().map(|(number, text)| (MessagePlace::Number(number), text));
        numbered
            .filter(|(place, _)| is_new(place))
            .filter_map(|(place, text)| Some((place, serde_json::from_str(text.as_str()).ok()?)))
            .collect()
    }

    fn news(&self) -> Vec<(MessagePlace, InboxItem)> {
        let Ok(names) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let passed = self.lock_passed().clone();
        let mut paths: Vec<PathBuf> = names
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.extension().is_some_and(|extension| extension == "json")
                    && !passed.iter().any(|known| known.place == MessagePlace::File(path.clone()))
            })
            .collect();
        paths.sort();
        // Leave other files in place: only the user can write to this folder.
        paths
            .into_iter()
            .filter_map(|path| Some((MessagePlace::File(path.clone()), read_json(&path).ok()?)))
            .collect()
    }

    /// Deletes the file of a message that the run has recorded or refused, and stops the running calls if the message
    /// demands it.
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
            self.remove(&message.place);
            if message.time == MessageTime::Now && matches!(event, Event::MessageQueued { .. }) {
                self.calls.stop_all();
            }
        }
        passed.remove(at);
    }

    /// Removes a message. If the run has ended meanwhile and the message stays, a later run recognizes it by its id.
    fn remove(&self, place: &MessagePlace) {
        match place {
            MessagePlace::File(path) => drop(std::fs::remove_file(path)),
            MessagePlace::Number(number) => {
                if let Some(lease) = self.shared.as_ref().and_then(SharedRun::lease) {
                    drop(lease.remove_message(*number));
                }
            }
        }
    }

    fn lock_passed(&self) -> MutexGuard<'_, VecDeque<PassedMessage>> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
