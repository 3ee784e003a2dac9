//! What an approval is bound to.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_protocol::{Grammar, Payload, ToolCall, ToolName, ToolSpec};

/// The SHA-256 of what a human was shown (RULES H4). If anything of it changes, the approval is void.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

/// What goes into the digest.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "every field is needed, a new one has to break callers")]
pub struct Binding<'a> {
    /// The tool's name in the registry, not an alias.
    pub tool: &'a ToolName,
    /// The call, for its canonical payload.
    pub call: &'a ToolCall,
    /// The tool as it was offered.
    pub spec: &'a ToolSpec,
    /// The workspace's root.
    pub root: &'a str,
}

impl Binding<'_> {
    /// The digest of these.
    pub fn digest(&self) -> Digest {
        let mut hash = Sha256::new();
        let (form, spec) = match self.spec {
            ToolSpec::Function { parameters, .. } => ("function", parameters.as_str()),
            ToolSpec::Freeform { grammar: Some(Grammar::Regex(grammar)), .. } => ("regex", grammar.as_str()),
            ToolSpec::Freeform { grammar: Some(grammar), .. } => ("grammar", grammar.text()),
            ToolSpec::Freeform { grammar: None, .. } => ("freeform", ""),
            _ => ("", ""),
        };
        // The same text means another thing to another form of call.
        let payload = match self.call.payload {
            Payload::Function { .. } => "function",
            Payload::Custom { .. } => "custom",
            Payload::Mcp { .. } => "mcp",
            Payload::LocalShell { .. } => "local_shell",
            _ => "",
        };
        let parts = [
            "windlass approval 1",
            self.tool.as_str(),
            payload,
            &self.call.fingerprint(),
            self.root,
            self.spec.description(),
            form,
            spec,
        ];
        for part in parts {
            // Lengths first, so that no two lists of parts give the same bytes.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let mut text = String::with_capacity(64);
        for byte in hash.finalize() {
            for nibble in [byte >> 4, byte & 15] {
                text.extend(char::from_digit(u32::from(nibble), 16));
            }
        }
        Digest(text)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
