//! The version of the code that a run began with, and the digest of its tools.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_loop::{Config, Entry, KnownTool, OfferedTool};

/// The version of the turn machine. A workflow that began with another version is not replayed, because its
/// commands could differ.
pub const LOOP_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The first record of a run: the configuration and the version of the code with which it began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Definition {
    /// The version of the turn machine.
    pub(crate) loop_version: String,
    /// The version of the record format.
    pub(crate) record_version: u32,
    /// The digest of the tools.
    pub(crate) tools: String,
    /// The configuration of the machine.
    pub(crate) config: Config,
}

impl Definition {
    /// Creates the definition of a run that begins with this configuration.
    pub(crate) fn new(config: Config) -> Self {
        Self {
            loop_version: LOOP_VERSION.to_owned(),
            record_version: Entry::VERSION,
            tools: tools_digest(&config.tools, &config.known_tools),
            config,
        }
    }

    /// Returns the reason why this program cannot replay the run, if there is one.
    pub(crate) fn find_conflict(&self) -> Option<String> {
        if self.loop_version == LOOP_VERSION && self.record_version == Entry::VERSION {
            return None;
        }
        Some(format!(
            "the run began with version {} of the turn machine and record format {}, and this worker has {} and {}; \
             start a worker of the first version on this queue",
            self.loop_version,
            self.record_version,
            LOOP_VERSION,
            Entry::VERSION
        ))
    }
}

/// Returns the digest of tools: their descriptions, hints and names.
pub(crate) fn tools_digest(offered: &[OfferedTool], known: &[KnownTool]) -> String {
    let mut digest = Sha256::new();
    // Serialisation of these types cannot fail; an empty text would only merge digests.
    for tool in offered {
        digest.update(serde_json::to_vec(tool).unwrap_or_default());
        digest.update([0]);
    }
    for tool in known {
        digest.update(serde_json::to_vec(tool).unwrap_or_default());
        digest.update([1]);
    }
    encode_hex(&digest.finalize())
}

/// Returns bytes as lower-case hexadecimal digits.
pub(crate) fn encode_hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}
