//! What is said to a run while it works.

use tokio::sync::mpsc;
use windlass_loop::{Input, Moment};

/// How many messages may wait for the run to hear them.
const WAITING_MESSAGES: usize = 64;

/// The ear of a run: what it hears while it works. Given to it by `RunOptions::with_messages`.
#[derive(Debug)]
pub struct Messages {
    receiver: mpsc::Receiver<Message>,
}

/// Says something to a run while it works. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Speaker {
    sender: mpsc::Sender<Message>,
}

/// A message on its way to the run.
#[derive(Debug)]
struct Message {
    id: Option<String>,
    text: String,
    when: Moment,
}

/// The run is over, and nobody hears what is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the run is over; nobody hears what is said to it")]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to hold")]
pub struct NobodyHears;

impl Messages {
    /// A way to say something to a run while it works. What is said is written down before it is heard, so that it
    /// outlives a crash.
    ///
    /// ```
    /// use windlass_agent::{Messages, Moment, RunOptions};
    /// let (speaker, messages) = Messages::channel();
    /// let options = RunOptions::default().with_messages(messages);
    /// // … while an agent runs with `options`:
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// speaker.say("leave the tests alone", Moment::NextTurn).await?;
    /// speaker.say("then write the changelog", Moment::AfterTask).await?;
    /// # Ok::<(), windlass_agent::NobodyHears>(())
    /// # }).unwrap();
    /// ```
    pub fn channel() -> (Speaker, Self) {
        let (sender, receiver) = mpsc::channel(WAITING_MESSAGES);
        (Speaker { sender }, Self { receiver })
    }

    /// The next message; waits for ever when nobody can speak any more.
    pub(crate) async fn next(&mut self) -> Input {
        match self.receiver.recv().await {
            Some(Message { id, text, when }) => Input::Say { id, text, when },
            None => std::future::pending().await,
        }
    }
}

impl Speaker {
    /// Says something, and waits while the run has not heard what was said before.
    ///
    /// # Errors
    /// If the run is over.
    pub async fn say(&self, text: impl Into<String>, when: Moment) -> Result<(), NobodyHears> {
        self.send(Message { id: None, text: text.into(), when }).await
    }

    /// Like [`say`](Self::say), under an id. The run takes each id once, also after it was resumed, and answers a repeated
    /// one with `Event::MessageRepeated`. So a sender that keeps a message until `Event::MessageQueued` comes, and sends it
    /// again after a crash, does not have it said twice.
    ///
    /// # Errors
    /// If the run is over.
    pub async fn say_once(
        &self,
        id: impl Into<String>,
        text: impl Into<String>,
        when: Moment,
    ) -> Result<(), NobodyHears> {
        self.send(Message { id: Some(id.into()), text: text.into(), when }).await
    }

    async fn send(&self, message: Message) -> Result<(), NobodyHears> {
        self.sender.send(message).await.map_err(|_| NobodyHears)
    }
}
