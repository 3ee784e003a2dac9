//! Digest that binds an approval to a call.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_protocol::{Grammar, Payload, ToolCall, ToolSpec};

use crate::Facts;

/// SHA-256 of the content that a human approves (RULES H4), in hexadecimal. An approval is void if the digest
/// of the call differs when it runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

/// Inputs of a [`Digest`].
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "every field is needed, a new one has to break callers")]
pub struct Binding<'a> {
    /// The facts about the call. The digest covers the tool, the effects, the targets, the confinement and
    /// the rule links.
    pub facts: &'a Facts,
    /// The call. The digest covers its canonical payload.
    pub call: &'a ToolCall,
    /// The tool's specification as it was offered to the model.
    pub spec: &'a ToolSpec,
    /// The root folder of the workspace.
    pub root: &'a str,
    /// The digest of the rules that decided the call ([`Policy::epoch`](crate::Policy::epoch)).
    pub epoch: &'a str,
}

impl Binding<'_> {
    /// Computes the digest.
    pub fn digest(&self) -> Digest {
        let mut hash = Sha256::new();
        let (form, spec) = match self.spec {
            ToolSpec::Function { parameters, .. } => ("function", parameters.as_str()),
            ToolSpec::Freeform { grammar: Some(Grammar::Regex(grammar)), .. } => ("regex", grammar.as_str()),
            ToolSpec::Freeform { grammar: Some(grammar), .. } => ("grammar", grammar.text()),
            ToolSpec::Freeform { grammar: None, .. } => ("freeform", ""),
            _ => ("", ""),
        };
        // A payload with equal text has another meaning in another form of call.
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
            // Hash the length before each part, so that two lists of parts cannot give the same bytes.
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

    /// Serializes the effects, the targets, the confinement and the rule links. Equal facts give equal text.
    fn sight(&self) -> String {
        let Facts { effects, targets, containment, links, .. } = self.facts;
        let sight = format!("{effects:?}\n{targets:?}\n{containment:?}");
        // Without links the text is unchanged, so questions that were stored before rules followed links keep
        // their digests.
        if links.is_empty() { sight } else { format!("{sight}\n{links:?}") }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
