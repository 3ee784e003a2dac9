//! Messages to a running task.

use tokio::sync::mpsc;
use windlass_loop::{DeliverAt, Input};

/// Messages that may be queued for the run; a full queue delays the sender.
const WAITING_MESSAGES: usize = 64;

/// The receiver of a run's messages, set with
/// [`RunOptions::with_messages`](crate::RunOptions::with_messages).
#[derive(Debug)]
pub struct MessageReceiver {
    receiver: mpsc::Receiver<Message>,
}

/// The sender of messages to a running task. Cheap to clone.
#[derive(Clone, Debug)]
pub struct MessageSender {
    sender: mpsc::Sender<Message>,
}

/// A message in the queue.
#[derive(Debug)]
struct Message {
    id: Option<String>,
    text: String,
    when: DeliverAt,
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
            Some(Message { id, text, when }) => Input::Say { id, text, when },
            None => std::future::pending().await,
        }
    }
}

impl MessageSender {
    /// Sends a message. Waits while 64 messages are queued.
    ///
    /// # Errors
    /// Returns an error if the run has ended.
    pub async fn send(&self, text: impl Into<String>, when: DeliverAt) -> Result<(), SendError> {
        self.enqueue(Message { id: None, text: text.into(), when }).await
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
        text: impl Into<String>,
        when: DeliverAt,
    ) -> Result<(), SendError> {
        self.enqueue(Message { id: Some(id.into()), text: text.into(), when }).await
    }

    async fn enqueue(&self, message: Message) -> Result<(), SendError> {
        self.sender.send(message).await.map_err(|_| SendError)
    }
}
