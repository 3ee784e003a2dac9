//! Task that reads and writes for a process, detects its end, and ends what remains of it.

use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use windlass_sandbox::NotConfined;

use super::child::{Service, ServiceEnds, hear};
use super::connection::{MOST_NOISE, Shared};
use super::lines::{LINE_BYTES, Lines};

const CHUNK_BYTES: usize = 64 * 1024;
/// Time for reading the last output after the process has ended, and for the process to exit after it has
/// closed its input or output.
const DRAIN: Duration = Duration::from_millis(500);

/// A line for the process, with the id of its request.
pub(super) struct Outgoing {
    pub(super) question: Option<u64>,
    pub(super) line: Vec<u8>,
}

/// Reason for the end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndReason {
    Dropped,
    Exited,
    Closed,
    Deaf,
    Noisy,
    Hung,
}

/// Reads and writes until the connection ends, then ends the process. Returns the reason.
pub(super) async fn watch(
    mut service: Service,
    ends: ServiceEnds,
    inbox: mpsc::Receiver<Outgoing>,
    shared: &Shared,
) -> String {
    let ServiceEnds { input, output, errors, .. } = ends;
    let last_words = Mutex::new(Vec::new());
    let (mut hearing, mut is_heard) = (std::pin::pin!(hear(errors, &last_words)), false);
    let why = {
        let mut reading = std::pin::pin!(read(output, shared));
        let mut writing = std::pin::pin!(write(input, inbox, shared));
        let why = loop {
            tokio::select! {
                biased;
                () = shared.over.cancelled() => break EndReason::Dropped,
                () = shared.hung.cancelled() => break EndReason::Hung,
                why = &mut reading => break why,
                () = &mut writing => break EndReason::Deaf,
                _ = service.wait() => break EndReason::Exited,
                () = &mut hearing, if !is_heard => is_heard = true,
            }
        };
        // The last answer may still be in the pipe.
        match why {
            EndReason::Exited | EndReason::Deaf => match tokio::time::timeout(DRAIN, &mut reading).await {
                Ok(EndReason::Noisy) => EndReason::Noisy,
                _ => why,
            },
            _ => why,
        }
    };
    let patience = if matches!(why, EndReason::Closed | EndReason::Deaf) { DRAIN } else { Duration::ZERO };
    let status = {
        let mut ending = std::pin::pin!(service.end(patience));
        loop {
            tokio::select! {
                status = &mut ending => break status,
                () = &mut hearing, if !is_heard => is_heard = true,
            }
        }
    };
    if !is_heard {
        let _ = tokio::time::timeout(DRAIN, &mut hearing).await;
    }
    let heard = last_words.lock().unwrap_or_else(PoisonError::into_inner).clone();
    words(why, status, service.check_confined().err().as_ref(), &heard)
}

/// Describes the reason for the model.
fn words(why: EndReason, status: Option<ExitStatus>, refused: Option<&NotConfined>, heard: &[u8]) -> String {
    if let Some(refused) = refused {
        return refused.to_string();
    }
    let how = match why {
        EndReason::Dropped => "this program ended it".to_owned(),
        EndReason::Exited => "it ended by itself".to_owned(),
        EndReason::Closed => "it closed its output".to_owned(),
        EndReason::Deaf => "it closed its input".to_owned(),
        EndReason::Hung => "it was ended, because calls timed out and it sent nothing".to_owned(),
        EndReason::Noisy => format!("it was ended, because it wrote {MOST_NOISE} unrequested lines"),
    };
    let status = status.map_or_else(String::new, |status| format!(", {status}"));
    let heard = String::from_utf8_lossy(heard);
    match heard.trim() {
        "" => format!("{how}{status}"),
        heard => format!("{how}{status}; its last output on stderr:\n{heard}\n"),
    }
}

async fn read(mut stdout: impl AsyncRead + Unpin, shared: &Shared) -> EndReason {
    let mut lines = Lines::new(LINE_BYTES);
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(len @ 1..) = stdout.read(&mut chunk).await {
        lines.push(chunk.get(..len).unwrap_or_default(), |line| shared.take(line));
        if shared.is_noisy() {
            return EndReason::Noisy;
        }
    }
    EndReason::Closed
}

/// Writes lines until the process stops reading.
async fn write(mut stdin: impl AsyncWrite + Unpin, mut inbox: mpsc::Receiver<Outgoing>, shared: &Shared) {
    while let Some(Outgoing { question, line }) = inbox.recv().await {
        // Do not send a request that was already cancelled.
        if question.is_some_and(|id| shared.begin(id).is_none()) {
            continue;
        }
        if stdin.write_all(&line).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}
