//! Messages to a running task.

use tokio::sync::mpsc;
use windlass_loop::{DeliverAt, Input};
use windlass_protocol::{Message, Part};

/// Messages that may be queued for the run; a full queue delays the sender.
const WAITING_MESSAGES: usize = 64;

/// The receiver of a run's messages, set with
/// [`RunOptions::with_messages`](crate::RunOptions::with_messages).
#[derive(Debug)]
pub struct MessageReceiver {
    receiver: mpsc::Receiver<QueueEntry>,
}

/// The sender of messages to a running task. Cheap to clone.
#[derive(Clone, Debug)]
pub struct MessageSender {
    sender: mpsc::Sender<QueueEntry>,
}

/// A message or a request in the queue.
#[derive(Debug)]
enum QueueEntry {
    Message { id: Option<String>, content: Message, when: DeliverAt },
    Compaction,
}

/// The run has ended and does not receive messages any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the run has ended and does not receive messages")]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to hold")]
pub struct SendError;

impl MessageReceiver {
    /// Creates the sender and the receiver of the messages to a run. The run records a message before it
    /// shows it to the model, so that the message survives a crash.
    ///
    /// ```
    /// use windlass_agent::{MessageReceiver, DeliverAt, RunOptions};
    /// let (sender, messages) = MessageReceiver::channel();
    /// let options = RunOptions::default().with_messages(messages);
    /// // … while an agent runs with `options`:
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// sender.send("leave the tests alone", DeliverAt::NextTurn).await?;
    /// sender.send("then write the changelog", DeliverAt::AfterTask).await?;
    /// # Ok::<(), windlass_agent::SendError>(())
    /// # }).unwrap();
    /// ```
    pub fn channel() -> (MessageSender, Self) {
        let (sender, receiver) = mpsc::channel(WAITING_MESSAGES);
        (MessageSender { sender }, Self { receiver })
    }

    /// Returns the next message. Waits forever if all senders are dropped.
    pub(crate) async fn next(&mut self) -> Input {
        match self.receiver.recv().await {
            Some(QueueEntry::Message { id, content, when }) => {
                let (text, parts) = split_words(content);
                Input::Say { id, text, parts, when }
            }
            Some(QueueEntry::Compaction) => Input::Compact,
            None => std::future::pending().await,
        }
    }
}

impl MessageSender {
    /// Sends a message: a text, or a text followed by pictures and files. Waits while 64 messages are queued.
    ///
    /// # Errors
    /// Returns an error if the run has ended.
    pub async fn send(&self, message: impl Into<Message>, when: DeliverAt) -> Result<(), SendError> {
        self.enqueue(QueueEntry::Message { id: None, content: message.into(), when }).await
    }

    /// Like [`send`](Self::send), but with an id. The run accepts each id once, also after it was resumed, and
    /// answers a repeated id with `Event::MessageRepeated`. So a sender can keep a message until it receives
    /// `Event::MessageQueued`, and send it again after a crash without a duplicate.
    ///
    /// # Errors
    /// Returns an error if the run has ended.
    pub async fn send_once(
        &self,
        id: impl Into<String>,
        message: impl Into<Message>,
        when: DeliverAt,
    ) -> Result<(), SendError> {
        self.enqueue(QueueEntry::Message { id: Some(id.into()), content: message.into(), when }).await
    }

    /// Requests that the run compacts its conversation before its next request to the model. A run that ends before
    /// that request does not compact.
    ///
    /// # Errors
    /// Returns an error if the run has ended.
    pub async fn compact(&self) -> Result<(), SendError> {
        self.enqueue(QueueEntry::Compaction).await
    }

    /// Waits until the run has ended. Cancel-safe.
    pub async fn wait_for_end(&self) {
        self.sender.closed().await;
    }

    async fn enqueue(&self, message: QueueEntry) -> Result<(), SendError> {
        self.sender.send(message).await.map_err(|_| SendError)
    }
}

/// Divides a message into its text and the parts after it.
pub(crate) fn split_words(mut message: Message) -> (String, Vec<Part>) {
    let words = match message.parts.first() {
        Some(Part::Text(words)) => words.text.clone(),
        _ => return (String::new(), message.parts),
    };
    let parts = message.parts.split_off(1);
    (words, parts)
}
