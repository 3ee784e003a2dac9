//! Notices: problems and events that do not end the work, for the person in front of the program.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A message for a person, about something that does not end the work.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// Something was left out or is weaker than configured.
    Warning(String),
    /// Something that a person should know, such as a wait for the provider.
    Info(String),
    /// A request waits before it is sent again.
    Wait {
        /// The message, with the time.
        text: String,
        /// The reason without the time.
        reason: String,
        /// The time until the request is sent.
        wait: Duration,
    },
    /// Calls of a shape begin or cease to run without a question, because of a person's earlier answers.
    Learned {
        /// The message.
        text: String,
        /// The id of the remembered approval, with which it can be revoked.
        id: String,
    },
    /// A file of a project is not used, because the user does not trust its folder.
    Untrusted {
        /// The message.
        text: String,
        /// The folder that the user would have to trust.
        folder: PathBuf,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Warning(text) | Self::Untrusted { text, .. } => write!(f, "warning: {text}"),
            Self::Info(text) | Self::Wait { text, .. } | Self::Learned { text, .. } => f.write_str(text),
        }
    }
}

/// Receiver of notices. The text can contain secrets of the environment and control characters of a file:
/// a receiver that prints it removes both ([`crate::secrets::environment_redactor`]).
pub trait NoticeSink: Send + Sync {
    /// Receives one notice. Called from any thread, and must not block for long.
    fn receive(&self, notice: &Notice);
}

impl<F: Fn(&Notice) + Send + Sync> NoticeSink for F {
    fn receive(&self, notice: &Notice) {
        self(notice);
    }
}

/// Handle to the front end's receiver of notices. Clones share the receiver.
#[derive(Clone)]
pub(crate) struct Notices(Arc<dyn NoticeSink>);

impl Notices {
    pub(crate) fn new(sink: impl NoticeSink + 'static) -> Self {
        Self(Arc::new(sink))
    }

    pub(crate) fn warn(&self, text: impl Into<String>) {
        self.0.receive(&Notice::Warning(text.into()));
    }

    pub(crate) fn inform(&self, text: impl Into<String>) {
        self.0.receive(&Notice::Info(text.into()));
    }

    pub(crate) fn report_wait(&self, reason: String, text: String, wait: Duration) {
        self.0.receive(&Notice::Wait { text, reason, wait });
    }

    pub(crate) fn report_untrusted(&self, text: String, folder: &Path) {
        self.0.receive(&Notice::Untrusted { text, folder: folder.to_owned() });
    }

    pub(crate) fn report_learned(&self, text: String, id: &str) {
        self.0.receive(&Notice::Learned { text, id: id.to_owned() });
    }
}

impl Default for Notices {
    /// Drops every notice.
    fn default() -> Self {
        Self::new(|_: &Notice| {})
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notices").finish_non_exhaustive()
    }
}
