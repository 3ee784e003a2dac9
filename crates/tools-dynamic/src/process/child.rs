//! Start of the process, confined by the shell. It does not outlive its connection (RULES Q1, Q2).

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};
use windlass_protocol::Containment;
use windlass_sandbox::{GrantedConfinement, Level};
use windlass_tools_shell::ServiceCommand;

use super::ProcessFile;

/// Maximum number of bytes of its last error output that are kept.
const HEARD_BYTES: usize = 4 * 1024;

pub(crate) use windlass_tools_shell::{Service, ServiceEnds};

impl ProcessFile {
    /// Starts the process.
    pub(crate) async fn start(&self) -> io::Result<(Service, ServiceEnds)> {
        self.shell.serve(&self.command()).await
    }

    /// Returns the confinement of the running process, or the one that it would get.
    pub(crate) fn containment(&self, running: Option<&GrantedConfinement>) -> Containment {
        self.shell.service_containment(&self.command(), running)
    }

    /// Returns true if the process is not confined.
    pub(crate) fn is_free(&self) -> bool {
        self.shell.level() == Level::None
    }

    fn command(&self) -> ServiceCommand {
        ServiceCommand::new(&self.argv, &self.folder, &self.workspace)
            .with_value("WINDLASS_WORKSPACE", &self.workspace)
    }
}

/// Reads a process's error output, so that the process never blocks on a full pipe, and keeps the end of it.
pub(crate) async fn hear(mut errors: impl AsyncRead + Unpin, heard: &std::sync::Mutex<Vec<u8>>) {
    let mut chunk = [0; 1024];
    while let Ok(len @ 1..) = errors.read(&mut chunk).await {
        let mut heard = heard.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        heard.extend_from_slice(chunk.get(..len).unwrap_or_default());
        let surplus = heard.len().saturating_sub(HEARD_BYTES);
        heard.drain(..surplus);
    }
}
