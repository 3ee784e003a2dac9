//! The pieces in which a call arrives.

use serde::{Deserialize, Serialize};
use windlass_protocol::{Opaque, Payload};

/// Which call of a response a piece belongs to, where the provider itself keeps them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "a number with a name")]
pub struct CallKey(pub u64);

/// One piece of a call.
///
/// Providers with marked beginnings and ends give `Start`, `Delta`, `End`. Providers that merge fragments by
/// index give `Partial`, unjudged: which call a fragment belongs to is decided in one place, by
/// `windlass-assemble` (RULES S2 to S5). Providers that never split a call give `Whole`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "piece", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallChunk {
    /// A fragment as the provider gave it; every field may be missing.
    Partial {
        /// The provider's index of the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// The place of the fragment in its delta's array, which stands in for a missing index.
        position: u64,
        /// The call's id, where the fragment has one that is not empty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The tool's name or a piece of it, where the fragment has one that is not empty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// More of the arguments' text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
        /// Fields of the provider that travel with the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// A call begins.
    Start {
        /// Which call.
        key: CallKey,
        /// Its id, where the provider has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// Fields of the provider that travel with the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// More of a call's arguments.
    Delta {
        /// Which call.
        key: CallKey,
        /// The text that was added.
        arguments: String,
    },
    /// A call is whole.
    End {
        /// Which call.
        key: CallKey,
        /// The whole text of the arguments, where the provider says it again. It counts only if no delta
        /// came (RULES S6).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
    },
    /// A call that came in one piece.
    Whole {
        /// Its id, where the provider has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// The text of the arguments, or the payload of another form.
        body: WholeCall,
        /// Fields of the provider that travel with the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
}

/// What a call that came in one piece holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "text still to be read, or a payload already made")]
pub enum WholeCall {
    /// The text of a function's arguments, not yet checked.
    Arguments(String),
    /// A payload of another form.
    Payload(Payload),
}
