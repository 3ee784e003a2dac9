//! The agent of a connection.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use windlass_app::sessions::{Answer, SessionHost};
use windlass_app::{App, RunSettings};

use crate::connection::{AcpOptions, Connection, Shared};
use crate::dispatch;
use crate::lines::{Line, MAX_LINE, next_line};
use crate::peer::Peer;
use crate::permission::WINDOW;
use crate::rpc::{Incoming, RpcError, parse};
use crate::sessions::OpenSessions;

/// Largest number of requests that are worked on at once.
const MAX_REQUESTS: usize = 64;

/// Time for the last responses after the client closed its end, or after the stop.
const LAST_RESPONSES: Duration = Duration::from_secs(2);

/// Agent of the Agent Client Protocol: an editor starts, continues and answers the sessions of a [`SessionHost`]
/// through it. Other windows on the same host can answer the same questions, and the first answer counts.
///
/// ```
/// use windlass_acp::{AcpAgent, AcpOptions};
/// use windlass_app::sessions::SessionHost;
/// use windlass_app::{App, RunSettings};
///
/// async fn serve(app: App, template: RunSettings) -> Result<(), Box<dyn std::error::Error>> {
///     let host = SessionHost::new(&app)?;
///     let agent = AcpAgent::new(app, host.clone(), template, AcpOptions::default());
///     agent.serve_until(tokio::io::empty(), tokio::io::sink(), std::future::pending()).await?;
///     host.stop_all().await;
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct AcpAgent {
    shared: Arc<Shared>,
}

impl AcpAgent {
    /// Creates an agent. `template` has the settings of the runs; a client chooses the folder and the autonomy.
    pub fn new(app: App, host: SessionHost, template: RunSettings, options: AcpOptions) -> Self {
        Self { shared: Arc::new(Shared { app, host, template, options }) }
    }

    /// Serves one client until the client closes its end, the transport fails, or `stop` ends.
    ///
    /// Runs whose question is open are suspended at the end, so the question can be answered later. Other runs work on
    /// in the host: use [`SessionHost::stop_all`] before the process ends.
    ///
    /// # Errors
    ///
    /// Fails if the transport fails.
    pub async fn serve_until(
        &self,
        reader: impl AsyncRead + Unpin,
        writer: impl AsyncWrite + Unpin,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let (peer, lines) = Peer::new();
        let (close, closing) = watch::channel(false);
        let sessions = OpenSessions::default();
        let (shared, client) = (Arc::clone(&self.shared), Arc::default());
        let connection = Connection { shared, peer, sessions, closing, client };
        let mut writing = std::pin::pin!(write_lines(writer, lines));
        let mut requests = JoinSet::new();
        let mut is_broken = false;
        let end = tokio::select! {
            end = read_requests(reader, &connection, &mut requests) => end,
            end = &mut writing => {
                is_broken = true;
                end
            }
            () = stop => Ok(()),
        };
        close.send_replace(true);
        let opened = connection.sessions.ids();
        drop(connection);
        let finish = async { while requests.join_next().await.is_some() {} };
        let last = async {
            if is_broken {
                return Ok(());
            }
            tokio::join!(finish, writing).1
        };
        // A client that does not read must not delay the end.
        let written = tokio::time::timeout(LAST_RESPONSES, last).await;
        requests.shutdown().await;
        for session in &opened {
            // The client does not answer any more. Another connection may have set its own editor, and loses it only
            // until it opens the session again.
            self.shared.host.set_editor(session, None);
        }
        self.suspend(&opened).await;
        end.and(written.unwrap_or(Ok(())))
    }

    /// Leaves the open questions of these sessions unanswered, and waits for the suspension of their runs.
    async fn suspend(&self, sessions: &[String]) {
        for run in sessions.iter().filter_map(|session| self.shared.host.handle(session)) {
            let questions = run.questions();
            for question in &questions {
                // Another window may have answered.
                drop(run.answer(&question.id, Answer::Later, WINDOW));
            }
            if !questions.is_empty() {
                drop(tokio::time::timeout(LAST_RESPONSES, run.wait()).await);
            }
        }
    }
}

pub(crate) async fn write_lines(
    mut writer: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<String>,
) -> io::Result<()> {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        writer.write_all(line.as_bytes()).await?;
        if lines.is_empty() {
            writer.flush().await?;
        }
    }
    writer.flush().await
}

async fn read_requests(
    reader: impl AsyncRead + Unpin,
    connection: &Connection,
    requests: &mut JoinSet<()>,
) -> io::Result<()> {
    let mut reader = BufReader::new(reader);
    while let Some(line) = next_line(&mut reader, MAX_LINE).await? {
        while requests.try_join_next().is_some() {}
        let Line::Whole(line) = line else {
            let error = RpcError::invalid_request(format!("a message has at most {MAX_LINE} bytes"));
            connection.peer.respond(&Value::Null, Err(error)).await;
            continue;
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match parse(&line) {
            Err((id, error)) => connection.peer.respond(&id, Err(error)).await,
            Ok(Incoming::Response { id, result }) => connection.peer.receive(id, result),
            Ok(Incoming::Notification { method, params }) => {
                dispatch::notification(connection, &method, &params);
            }
            Ok(Incoming::Request { id, .. }) if requests.len() >= MAX_REQUESTS => {
                let error = RpcError::internal(format!("more than {MAX_REQUESTS} requests at once"));
                connection.peer.respond(&id, Err(error)).await;
            }
            Ok(Incoming::Request { id, method, params }) => {
                let connection = connection.clone();
                // A later notification can cancel the prompt, so the prompt is known before its task starts.
                let slot = dispatch::admit(&connection, &id, &method, &params);
                requests.spawn(async move {
                    let result = match slot {
                        Ok(slot) => dispatch::request(&connection, slot, &method, params).await,
                        Err(error) => Err(error),
                    };
                    connection.peer.respond(&id, result).await;
                });
            }
        }
    }
    Ok(())
}

impl fmt::Debug for AcpAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcpAgent").field("root", &self.shared.template.root).finish_non_exhaustive()
    }
}
