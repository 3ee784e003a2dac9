//! An MCP server's process, confined like the commands of tools.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use windlass_mcp::{ConnectFuture, Connector, Pipes};
use windlass_tool::CancellationToken;
use windlass_tools_shell::{ServiceCommand, Shell};

/// Size in bytes of the retained end of a server's standard error.
const HEARD_BYTES: usize = 4 * 1024;

/// Time that a server may take to exit after its input was closed.
const GRACE: Duration = Duration::from_millis(500);

/// Starts a server's process in a sandbox without a network and with limited write access (SECURITY "MCP").
pub(crate) struct ConfinedConnector {
    shell: Shell,
    command: ServiceCommand,
    heard: Arc<Mutex<Vec<u8>>>,
}

impl ConfinedConnector {
    pub(crate) fn new(shell: Shell, command: ServiceCommand) -> Self {
        Self { shell, command, heard: Arc::default() }
    }
}

impl Connector for ConfinedConnector {
    fn connect(&self) -> ConnectFuture<'_> {
        Box::pin(async {
            let (mut service, ends) = self.shell.serve(&self.command).await?;
            tokio::spawn(hear(ends.errors, self.heard.clone()));
            let (over, heard) = (CancellationToken::new(), self.heard.clone());
            let watched = over.clone();
            tokio::spawn(async move {
                tokio::select! {
                    // After the server's exit, dropping `service` ends the processes that it started.
                    _ = service.wait() => {
                        if let Err(why) = service.check_confined() {
                            note(&heard, why.to_string().as_bytes());
                        }
                    }
                    () = watched.cancelled() => drop(service.end(GRACE).await),
                }
            });
            Ok(Pipes::new(ends.output, ends.input).with_held(over.drop_guard()))
        })
    }

    fn stderr_tail(&self) -> String {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&heard).trim().to_owned()
    }
}

/// Reads the server's standard error, so that its pipe never fills up, and retains the end.
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
