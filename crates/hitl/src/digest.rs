//! Digest that binds an approval to a call.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use windlass_protocol::{Containment, Effect, Grammar, Payload, Target, ToolCall, ToolSpec};

use crate::canonical::canonical;
use crate::{PolicyInput, RuleLink};

/// SHA-256 of the content that a human approves (RULES H4), in hexadecimal. An approval is void if the digest
/// of the call differs when it runs.
///
/// The digest also covers the version of its own form. An earlier version of this crate computed another
/// digest for the same call, so an approval that was stored with that digest does not apply, and the human is
/// asked again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

/// Version of the covered bytes. A change of [`Sight`], of a type in it or of the list of parts needs the next
/// number. Version 2 covered the `Debug` text of the facts.
const VERSION: &str = "windlass approval 3";

/// The facts that a human sees with a question, in the form that the digest covers. Each field has a name of its
/// own, and the types in it are serialized as in records, so that neither a renamed field of this crate nor
/// another `Debug` text changes a digest.
#[derive(Serialize)]
struct Sight<'a> {
    effects: &'a [Effect],
    targets: &'a [Target],
    containment: Option<&'a Containment>,
    links: &'a [RuleLink],
}

/// Inputs of a [`Digest`].
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "every field is needed, a new one has to break callers")]
pub struct Binding<'a> {
    /// The facts about the call. The digest covers the tool, the effects, the targets, the confinement and
    /// the rule links.
    pub facts: &'a PolicyInput,
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
            VERSION,
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
        let PolicyInput { effects, targets, containment, links, .. } = self.facts;
        canonical(&Sight { effects, targets, containment: containment.as_ref(), links })
    }
}

impl Digest {
    /// Creates the digest of a card that a human saw from its text. An approval with a text that is not the digest of
    /// the call is void.
    pub fn from_shown(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
