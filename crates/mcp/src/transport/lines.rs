//! The engine's transport over two pipes. Lines have a maximum length, and neither direction can block the
//! other.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::discovery;
use super::frames::{Frame, Frames};
use super::intake::{Intake, PassedMessage};
use super::ledger::Ledger;
use super::message;

/// Capacity of the queue of messages to the server, and of the queue to the engine.
const OUTBOX: usize = 64;
const INBOX: usize = 64;
const CHUNK_BYTES: usize = 64 * 1024;

/// A transport over two pipes. Its tasks end when the ledger closes.
pub(crate) struct Lines {
    ledger: Arc<Ledger>,
    outbox: mpsc::Sender<Vec<u8>>,
    inbox: mpsc::Receiver<ServerJsonRpcMessage>,
    /// Weak, so that the inbox ends with the reading task.
    to_engine: mpsc::WeakSender<ServerJsonRpcMessage>,
    probe: Option<Duration>,
}

/// Error of sending a message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    #[error("the connection has ended")]
    Over,
    #[error("the message is not JSON")]
    Json(#[from] serde_json::Error),
}

impl Lines {
    /// Creates the transport. A `server/discover` that is unanswered after `probe` is declined.
    pub(crate) fn new(
        reader: Box<dyn AsyncRead + Send + Unpin>,
        writer: Box<dyn AsyncWrite + Send + Unpin>,
        ledger: Arc<Ledger>,
        (frame_bytes, probe): (usize, Option<Duration>),
    ) -> Self {
        let (outbox, to_write) = mpsc::channel(OUTBOX);
        let (to_engine, inbox) = mpsc::channel(INBOX);
        let intake = Intake(ledger.clone());
        let answers = outbox.clone();
        let weak_engine = to_engine.downgrade();
        tokio::spawn(async move {
            let ledger = intake.0.clone();
            tokio::select! {
                () = read(reader, frame_bytes, &intake, &to_engine, &answers) => {}
                () = ledger.end_token().cancelled() => {}
            }
            ledger.close();
        });
        let writing = ledger.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = write(writer, to_write) => {}
                () = writing.end_token().cancelled() => {}
            }
            writing.close();
        });
        Self { ledger, outbox, inbox, to_engine: weak_engine, probe }
    }
}

impl Transport<RoleClient> for Lines {
    type Error = LineError;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), LineError>> + Send + 'static {
        let line = message::line(&message).map(|mut line| {
            line.push(b'\n');
            line
        });
        self.ledger.note(&message);
        if let (Some(after), Some(id)) = (self.probe, discovery::discovery_id(&message)) {
            discovery::decline_after(after, self.ledger.clone(), id.clone(), self.to_engine.clone());
        }
        let outbox = self.outbox.clone();
        let tried = line.map_err(LineError::Json).map(|line| outbox.try_send(line));
        let ledger = self.ledger.clone();
        async move {
            match tried? {
                Ok(()) => Ok(()),
                Err(TrySendError::Closed(_)) => Err(LineError::Over),
                Err(TrySendError::Full(line)) if matches!(message, ClientJsonRpcMessage::Request(_)) => {
                    outbox.send(line).await.map_err(|_| LineError::Over)
                }
                // The server sends requests without reading the answers, so drop the answer.
                Err(TrySendError::Full(_)) => {
                    ledger.lock_skip_counts().refused += 1;
                    Ok(())
                }
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.inbox.recv().await
    }

    async fn close(&mut self) -> Result<(), LineError> {
        self.ledger.close();
        Ok(())
    }
}

async fn read(
    mut reader: Box<dyn AsyncRead + Send + Unpin>,
    frame_bytes: usize,
    intake: &Intake,
    to_engine: &mpsc::Sender<ServerJsonRpcMessage>,
    answers: &mpsc::Sender<Vec<u8>>,
) {
    let mut frames = Frames::new(frame_bytes);
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut passed = Vec::new();
    while let Ok(len @ 1..) = reader.read(&mut chunk).await {
        frames.push(chunk.get(..len).unwrap_or_default(), &mut |frame| {
            passed.extend(match frame {
                Frame::Line(line) => intake.check(line),
                Frame::TooLong { id, bytes, head } => intake.take_long(id, bytes, head),
            });
        });
        for one in passed.drain(..) {
            match one {
                PassedMessage::Engine(message) => {
                    if to_engine.send(*message).await.is_err() {
                        return;
                    }
                }
                PassedMessage::Refuse(mut line) => {
                    line.push(b'\n');
                    if answers.try_send(line).is_err() {
                        intake.0.lock_skip_counts().refused += 1;
                    }
                }
            }
        }
    }
    if frames.has_half() {
        intake.0.lock_skip_counts().lines += 1;
    }
}

async fn write(mut writer: Box<dyn AsyncWrite + Send + Unpin>, mut to_write: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = to_write.recv().await {
        if writer.write_all(&line).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}
