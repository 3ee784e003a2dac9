//! Events that an assembler emits while an answer arrives.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_partial_json::Repair;
use windlass_protocol::{CallId, ToolCall, ToolName};

use crate::{CallIndex, MalformedCall};

/// An event of a call. Each call that starts ends exactly once, finished or malformed (RULES S8).
///
/// `key` is the place of the call in its answer, not the provider's number of the call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallEvent {
    /// A call began and its name is complete.
    Started {
        /// The place of the call in its answer.
        key: CallIndex,
        /// The call's id, if the provider has already sent it; the finished call always has an id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<CallId>,
        /// The tool's name.
        name: ToolName,
    },
    /// The arguments grew. `Assembler::partial` returns their current state.
    Arguments {
        /// The place of the call in its answer.
        key: CallIndex,
        /// The text that was added.
        delta: String,
    },
    /// One argument, a member of the top-level object, is complete. It serves display and early decisions,
    /// never execution (RULES J1).
    ArgumentComplete {
        /// The place of the call in its answer.
        key: CallIndex,
        /// The argument, as a JSON Pointer.
        path: String,
        /// The value of the argument.
        value: Value,
    },
    /// A call is complete and may be decided on.
    Finished {
        /// The place of the call in its answer.
        key: CallIndex,
        /// The call.
        call: ToolCall,
        /// Notes about the call's arguments: the form in which they arrived, and their repairs.
        notes: Notes,
    },
    /// A call cannot run. It still receives a result (RULES R1).
    Malformed(MalformedCall),
}

/// Notes about a call's arguments: the form in which they arrived, and their repairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Notes {
    /// The form in which the arguments arrived.
    pub form: ArgumentForm,
    /// The repairs that were applied before the call could run (RULES S6, J8).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
    /// The number of repeated keys in objects; the last value of a key is used (RULES J7).
    pub duplicate_keys: usize,
}

/// The form in which a call's arguments arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ArgumentForm {
    /// The text of an object, or a payload without JSON.
    #[default]
    Plain,
    /// No arguments, `null` or an empty string; they become an empty object (RULES S1, S10).
    Absent,
    /// Almost the text of an object; the repaired text is executed.
    Repaired,
}
