//! What an assembler tells while an answer arrives.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_partial_json::Repair;
use windlass_protocol::{CallId, ToolCall, ToolName};
use windlass_stream::CallKey;

use crate::MalformedCall;

/// One thing that happened to a call. Each call that starts ends exactly once, finished or malformed
/// (RULES S8).
///
/// A key is the call's place in its answer, from 0, whatever the provider numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallEvent {
    /// A call began and its name is known.
    Started {
        /// Which call.
        key: CallKey,
        /// Its id, unless the provider has not said it yet; the finished call has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<CallId>,
        /// The tool's name.
        name: ToolName,
    },
    /// The arguments grew. `Assembler::partial` shows what is known of them now.
    Arguments {
        /// Which call.
        key: CallKey,
        /// The text that was added.
        delta: String,
    },
    /// One argument, a member of the top-level object, is complete. It is for showing and for early
    /// decisions, never for running (RULES J1).
    ArgumentComplete {
        /// Which call.
        key: CallKey,
        /// The argument, as a JSON Pointer.
        path: String,
        /// Its value.
        value: Value,
    },
    /// A call is whole and may be decided on.
    Finished {
        /// Which call.
        key: CallKey,
        /// The call.
        call: ToolCall,
        /// What was unusual about its arguments.
        notes: Notes,
    },
    /// A call cannot be run. It still gets a result (RULES R1).
    Malformed(MalformedCall),
}

/// What was unusual about a call's arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Notes {
    /// How the arguments were written.
    pub form: ArgumentForm,
    /// What was repaired before the call could be run (RULES S6, J8).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
    /// How often a key came again in its object; the last value won (RULES J7).
    pub duplicate_keys: usize,
}

/// How a call's arguments were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ArgumentForm {
    /// As the text of an object, or as a payload without JSON.
    #[default]
    Plain,
    /// Not at all, or as `null` or an empty string: an empty object (RULES S1, S10).
    Absent,
    /// As something that is nearly the text of an object; what runs is the repaired text.
    Repaired,
}
