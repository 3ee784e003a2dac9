//! A server's process, confined as the commands of tools are.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::sync::CancellationToken;
use windlass_mcp::{ConnectFuture, Connector, Pipes};
use windlass_tools_shell::{ServiceCommand, Shell};

/// How much of the last words of a server is kept.
const HEARD_BYTES: usize = 4 * 1024;

/// How long a server may take to leave when its input is closed.
const GRACE: Duration = Duration::from_millis(500);

/// Starts a server's process inside what it may write, without a network (SECURITY "MCP").
pub(crate) struct Confined {
    shell: Shell,
    command: ServiceCommand,
    heard: Arc<Mutex<Vec<u8>>>,
}

impl Confined {
    pub(crate) fn new(shell: Shell, command: ServiceCommand) -> Self {
        Self { shell, command, heard: Arc::default() }
    }
}

impl Connector for Confined {
    fn connect(&self) -> ConnectFuture<'_> {
        Box::pin(async {
            let (mut service, ends) = self.shell.serve(&self.command).await?;
            tokio::spawn(hear(ends.errors, self.heard.clone()));
            let (over, heard) = (CancellationToken::new(), self.heard.clone());
            let watched = over.clone();
            tokio::spawn(async move {
                tokio::select! {
                    // The leader is the server: whoever it started ends with it.
                    _ = service.wait() => {
                        if let Err(why) = service.confined() {
                            note(&heard, why.to_string().as_bytes());
                        }
                    }
                    () = watched.cancelled() => drop(service.end(GRACE).await),
                }
            });
            Ok(Pipes::new(ends.output, ends.input).with_held(over.drop_guard()))
        })
    }

    fn heard(&self) -> String {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&heard).trim().to_owned()
    }
}

/// Reads what the server says beside the protocol, so that it never waits for a reader, and keeps the end of it.
async fn hear(mut errors: impl AsyncRead + Unpin, heard: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = [0; 1024];
    while let Ok(len @ 1..) = errors.read(&mut chunk).await {
        note(&heard, chunk.get(..len).unwrap_or_default());
    }
}

fn note(heard: &Mutex<Vec<u8>>, words: &[u8]) {
    let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    heard.extend_from_slice(words);
    let surplus = heard.len().saturating_sub(HEARD_BYTES);
    heard.drain(..surplus);
}
