//! The sources of a conversation's inputs.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::Poll;

use tokio::sync::mpsc;

use super::keys::Keys;
use crate::ProgramNotice;
use crate::input::{Input, Reply};
use crate::terminal::{Hangup, Modes};

/// The keys, the feed, the replies to requests, the notices of the program, and the state of the terminal.
pub(super) struct Sources {
    keys: Keys,
    hangup: Hangup,
    received: mpsc::UnboundedReceiver<Reply>,
    events: mpsc::Receiver<Input>,
    notices: Option<mpsc::UnboundedReceiver<ProgramNotice>>,
    /// The texts of notices that were shown. Each is shown once: a run has the notices of the settings that it shares
    /// with the run before.
    shown: BTreeSet<String>,
}

/// An input, or the reason why the terminal has to be entered again.
pub(super) enum Arrival {
    /// An input for the state.
    Input(Input),
    /// A panic left the modes of the terminal.
    ModesLeft,
}

impl Sources {
    pub(super) fn new(
        keys: Keys,
        received: mpsc::UnboundedReceiver<Reply>,
        events: mpsc::Receiver<Input>,
        notices: Option<mpsc::UnboundedReceiver<ProgramNotice>>,
    ) -> Self {
        Self { keys, hangup: Hangup::watch(), received, events, notices, shown: BTreeSet::new() }
    }

    /// Waits for the next input. Cancel-safe.
    ///
    /// # Errors
    ///
    /// Fails if the terminal cannot be read, or is gone.
    pub(super) async fn next(&mut self) -> io::Result<Arrival> {
        loop {
            let input = tokio::select! {
                biased;
                () = self.hangup.wait() => {
                    return Err(io::Error::new(io::ErrorKind::NotConnected, "the terminal is gone"));
                }
                input = self.keys.next_input() => Some(input?),
                Some(reply) = self.received.recv() => Some(Input::Reply(reply)),
                Some(input) = self.events.recv() => Some(input),
                () = Modes::wait_for_panic() => return Ok(Arrival::ModesLeft),
                Some(notice) = next_notice(&mut self.notices) => self.word_notice(notice).map(Input::Reply),
            };
            if let Some(input) = input {
                return Ok(Arrival::Input(input));
            }
        }
    }

    /// Returns the next input if it has arrived. The stream of keys keeps the first waker that it gets, so it
    /// must be polled with the waker of this task.
    pub(super) async fn poll_next(&mut self) -> Poll<io::Result<Arrival>> {
        let mut next = pin!(self.next());
        poll_fn(|context| Poll::Ready(next.as_mut().poll(context))).await
    }

    /// Waits for a key. Waits forever if the terminal is gone, or cannot be read.
    pub(super) async fn wait_for_key(&mut self) {
        let keys = &mut self.keys;
        let key = async { while !matches!(keys.next_input().await, Ok(Input::Key(_)) | Err(_)) {} };
        tokio::select! {
            biased;
            () = self.hangup.wait() => std::future::pending().await,
            () = key => {}
        }
    }

    /// Stops reading keys, so that another program can read the terminal.
    pub(super) fn stop_keys(&mut self) {
        self.keys.stop();
    }

    fn word_notice(&mut self, notice: ProgramNotice) -> Option<Reply> {
        let text = Some(notice.text).filter(|text| self.shown.insert(text.clone()));
        match (notice.wait, text) {
            (Some((reason, wait)), text) => Some(Reply::Wait { text, reason, wait }),
            (None, Some(text)) => Some(Reply::Notice(text)),
            (None, None) => None,
        }
    }
}

async fn next_notice(notices: &mut Option<mpsc::UnboundedReceiver<ProgramNotice>>) -> Option<ProgramNotice> {
    match notices {
        Some(notices) => notices.recv().await,
        None => std::future::pending().await,
    }
}
