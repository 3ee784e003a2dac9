//! Messages to a running task.

use tokio::sync::mpsc;
use windlass_loop::{DeliverAt, Input};

/// Messages that may be queued for the run; a full queue delays the sender.
const WAITING_MESSAGES: usize = 64;

/// The receiver of a run's messages, set with
/// [`RunOptions::with_messages`](crate::RunOptions::with_messages).
#[derive(Debug)]
pub struct Messages {
    receiver: mpsc::Receiver<Message>,
}

/// The sender of messages to a running task. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Speaker {
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
#[error("the run is over; nobody hears what is said to it")]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to hold")]
pub struct NobodyHears;

impl Messages {
    /// Creates the sender and the receiver of the messages to a run. The run records a message before it
    /// shows it to the model, so that the message survives a crash.
    ///
    /// ```
    /// use windlass_agent::{Messages, DeliverAt, RunOptions};
    /// let (speaker, messages) = Messages::channel();
    /// let options = RunOptions::default().with_messages(messages);
    /// // … while an agent runs with `options`:
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// speaker.say("leave the tests alone", DeliverAt::NextTurn).await?;
    /// speaker.say("then write the changelog", DeliverAt::AfterTask).await?;
    /// # Ok::<(), windlass_agent::NobodyHears>(())
    /// # }).unwrap();
    /// ```
    pub fn channel() -> (Speaker, Self) {
        let (sender, receiver) = mpsc::channel(WAITING_MESSAGES);
        (Speaker { sender }, Self { receiver })
    }

    /// Returns the next message. Waits forever if all senders are dropped.
    pub(crate) async fn next(&mut self) -> Input {
        match self.receiver.recv().await {
            Some(Message { id, text, when }) => Input::Say { id, text, when },
            None => std::future::pending().await,
        }
    }
}

impl Speaker {
    /// Sends a message. Waits while 64 messages are queued.
    ///
    /// # Errors
    /// Returns an error if the run has ended.
    pub async fn say(&self, text: impl Into<String>, when: DeliverAt) -> Result<(), NobodyHears> {
        self.send(Message { id: None, text: text.into(), when }).await
    }

    /// Like [`say`](Self::say), but with an id. The run accepts each id once, also after it was resumed, and
    /// answers a repeated id with `Event::MessageRepeated`. So a sender can keep a message until it receives
    /// `Event::MessageQueued`, and send it again after a crash without a duplicate.
    ///
    /// # Errors
    /// Returns an error if the run has ended.
    pub async fn say_once(
        &self,
        id: impl Into<String>,
        text: impl Into<String>,
        when: DeliverAt,
    ) -> Result<(), NobodyHears> {
        self.send(Message { id: Some(id.into()), text: text.into(), when }).await
    }

    async fn send(&self, message: Message) -> Result<(), NobodyHears> {
        self.sender.send(message).await.map_err(|_| NobodyHears)
    }
}
