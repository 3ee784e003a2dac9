//! The keyring of the system, through its client program.
//!
//! The Secret Service has `secret-tool`, and macOS has `security`. A key is written to the standard input of the client,
//! because other users can read the arguments of a process.

use super::key_command::capture;
use crate::error::{Context as _, Result};
use crate::hex::hex;

/// Name under which the keys are stored.
const SERVICE: &str = "windlass";

/// Command of the client with the text of its standard input.
#[derive(Debug, PartialEq, Eq)]
struct Storing {
    argv: Vec<String>,
    input: String,
}

/// Client of a keyring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Client {
    /// `secret-tool` of the Secret Service.
    SecretTool,
    /// `security` of macOS.
    Security,
}

impl Client {
    fn detect() -> Self {
        if cfg!(target_os = "macos") { Self::Security } else { Self::SecretTool }
    }

    fn store(self, provider: &str, key: &str) -> Storing {
        match self {
            Self::SecretTool => {
                let label = format!("--label=windlass: key of {provider}");
                let argv = words(&["secret-tool", "store", &label, "service", SERVICE, "provider", provider]);
                Storing { argv, input: key.to_owned() }
            }
            Self::Security => {
                // Hexadecimal digits need no quotes.
                let key = hex(key.as_bytes());
                let input = format!("add-generic-password -U -s {SERVICE} -a {} -X {key}\n", quote(provider));
                Storing { argv: words(&["security", "-i"]), input }
            }
        }
    }

    fn lookup(self, provider: &str) -> Vec<String> {
        match self {
            Self::SecretTool => words(&["secret-tool", "lookup", "service", SERVICE, "provider", provider]),
            Self::Security => {
                words(&["security", "find-generic-password", "-s", SERVICE, "-a", provider, "-w"])
            }
        }
    }

    fn remove(self, provider: &str) -> Vec<String> {
        match self {
            Self::SecretTool => words(&["secret-tool", "clear", "service", SERVICE, "provider", provider]),
            Self::Security => words(&["security", "delete-generic-password", "-s", SERVICE, "-a", provider]),
        }
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Quotes a word for the command language of `security`.
fn quote(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns the command that prints the key of a provider.
pub(super) fn lookup(provider: &str) -> Vec<String> {
    Client::detect().lookup(provider)
}

/// Stores the key of a provider.
///
/// # Errors
///
/// Fails if the client is missing or fails, for example because no desktop unlocks the keyring.
pub(super) fn store(provider: &str, key: &str) -> Result<()> {
    let Storing { argv, input } = Client::detect().store(provider, key);
    capture(&argv, &input).map(drop).context("the key cannot be stored in the keyring")
}

/// Removes the key of a provider.
///
/// # Errors
///
/// Fails if the client is missing or fails.
pub(super) fn remove(provider: &str) -> Result<()> {
    let argv = Client::detect().remove(provider);
    capture(&argv, "").map(drop).context("the key cannot be removed from the keyring")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_argument_contains_the_key() {
        for client in [Client::SecretTool, Client::Security] {
            let Storing { argv, input } = client.store("open\"ai", "sk-1");
            assert!(!argv.iter().any(|word| word.contains("sk-1") || word.contains("736b2d31")), "{argv:?}");
            assert!(input == "sk-1" || input.contains("-a \"open\\\"ai\" -X 736b2d31\n"), "{input}");
        }
    }

    #[test]
    fn a_key_is_stored_found_and_removed_under_one_name() {
        let of = |argv: Vec<String>| argv.join(" ");
        let name = "service windlass provider openai";
        assert!(of(Client::SecretTool.store("openai", "k").argv).ends_with(name));
        assert!(of(Client::SecretTool.lookup("openai")).ends_with(name));
        assert!(of(Client::SecretTool.remove("openai")).ends_with(name));
        assert!(of(Client::Security.lookup("openai")).contains("-s windlass -a openai -w"));
        assert!(of(Client::Security.remove("openai")).contains("-s windlass -a openai"));
    }
}
