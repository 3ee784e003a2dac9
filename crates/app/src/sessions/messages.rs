//! Messages that the user typed, for the history of a line editor.

use windlass_sandbox::contains_key;

use crate::app::App;
use crate::error::Result;
use crate::secrets::environment_redactor;
use crate::storage::{Format, StateFile};

/// Name of the file in the state folder.
const FILE: &str = "message_history.json";
/// Maximum number of messages.
const MAX_MESSAGES: usize = 500;
/// Maximum size of one message in bytes. A longer one is not stored.
const MAX_MESSAGE_BYTES: usize = 16 * 1024;
/// Maximum size of all messages in bytes.
const MAX_BYTES: usize = 512 * 1024;

/// Messages that the user typed in any process, the oldest first.
///
/// They are in one file of the state folder, with access for the user only. The file is replaced as a whole under
/// a lock, so several processes can add messages. It has at most 500 messages of at most 16 KiB each, and 512 KiB
/// in total. A message is not stored if it contains a private key, a token in the form of a known issuer, a URL
/// with a password, or a secret of the environment.
///
/// ```no_run
/// use windlass_app::App;
/// use windlass_app::sessions::MessageHistory;
///
/// # fn main() -> Result<(), windlass_app::AppError> {
/// let history = MessageHistory::new(&App::from_environment())?;
/// history.push("fix the test")?;
/// assert_eq!(history.load()?.last().map(String::as_str), Some("fix the test"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct MessageHistory {
    file: StateFile,
}

impl MessageHistory {
    /// Returns the history of the user.
    ///
    /// # Errors
    ///
    /// Fails if the state folder is unknown.
    pub fn new(app: &App) -> Result<Self> {
        let file = StateFile::new(app.state_file(FILE)?, app.notices(), "the history begins again");
        Ok(Self { file })
    }

    /// Returns the stored messages.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read. A file with invalid content is renamed, with a notice.
    pub fn load(&self) -> Result<Vec<String>> {
        self.file.load(&FORMAT)
    }

    /// Appends a message, unless it is empty, too long, equal to the newest one, or contains a secret. Returns true
    /// if the message was stored.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or written.
    pub fn push(&self, message: &str) -> Result<bool> {
        if message.trim().is_empty() || message.len() > MAX_MESSAGE_BYTES || has_secret(message) {
            return Ok(false);
        }
        let add = |messages: &mut Vec<String>| {
            if messages.last().is_some_and(|last| last == message) {
                return false;
            }
            messages.push(message.to_owned());
            shorten(messages);
            true
        };
        Ok(self.file.update(&FORMAT, add)?.1)
    }
}

const FORMAT: Format<'static, Vec<String>> = Format {
    empty: &Vec::new,
    parse: &|text| {
        let mut messages = serde_json::from_str(text)?;
        shorten(&mut messages);
        Ok(messages)
    },
    text: &|messages| Ok(serde_json::to_string(messages)?),
};

/// Removes the oldest messages until the limits are met.
fn shorten(messages: &mut Vec<String>) {
    let mut bytes = 0_usize;
    let fits = messages.iter().rev().take(MAX_MESSAGES).take_while(|message| {
        bytes = bytes.saturating_add(message.len());
        bytes <= MAX_BYTES
    });
    let removed = messages.len().saturating_sub(fits.count());
    messages.drain(..removed);
}

fn has_secret(message: &str) -> bool {
    contains_key(message) || environment_redactor().redact(message) != message
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, MAX_MESSAGES, has_secret, shorten};

    #[test]
    fn the_newest_messages_stay() {
        let mut messages: Vec<String> = (0..MAX_MESSAGES + 5).map(|number| number.to_string()).collect();
        shorten(&mut messages);
        assert_eq!((messages.len(), messages[0].as_str()), (MAX_MESSAGES, "5"));
        let mut messages = vec!["a".repeat(MAX_BYTES / 2 + 1); 3];
        shorten(&mut messages);
        assert_eq!(messages.len(), 1);
    }

    #[test]
    fn keys_are_recognized() {
        let token = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        assert!(has_secret(&format!("!curl -H 'Authorization: Bearer {token}' https://api.example")));
        assert!(has_secret("!git clone https://me:hunter2@git.example/a"));
        assert!(!has_secret("!cargo test"));
    }
}
