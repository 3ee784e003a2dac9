//! What an approval is bound to.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_protocol::{Grammar, Payload, ToolCall, ToolSpec};

use crate::Facts;

/// The SHA-256 of what a human was shown (RULES H4). If anything of it changes, the approval is void.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

/// What goes into the digest.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "every field is needed, a new one has to break callers")]
pub struct Binding<'a> {
    /// What was found out about the call: its tool, its effects, what they meet, how it would be confined.
    pub facts: &'a Facts,
    /// The call, for its canonical payload.
    pub call: &'a ToolCall,
    /// The tool as it was offered.
    pub spec: &'a ToolSpec,
    /// The workspace's root.
    pub root: &'a str,
    /// A digest of the rules by which it was judged.
    pub epoch: &'a str,
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
            "windlass approval 2",
            self.facts.tool.as_str(),
            payload,
            &self.call.fingerprint(),
            self.root,
            self.spec.description(),
            form,
            spec,
            &self.sight(),
            self.epoch,
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

    /// What the call would do, and to what, in one text: the same facts always give the same.
    fn sight(&self) -> String {
        let Facts { effects, targets, containment, links, .. } = self.facts;
        let sight = format!("{effects:?}\n{targets:?}\n{containment:?}");
        // Questions from before rules followed links keep their digests.
        if links.is_empty() { sight } else { format!("{sight}\n{links:?}") }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
