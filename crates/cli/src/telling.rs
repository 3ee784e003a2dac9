//! The output format of events.

/// Output format of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// Text for a human.
    Words,
    /// One line of JSON for each event, for a program.
    Json,
    /// No events: the caller prints the answer.
    Answer,
}

impl Telling {
    pub(crate) fn from_flag(json: bool) -> Self {
        if json { Self::Json } else { Self::Words }
    }

    /// Returns the format for the options `--json` and `--print`, which exclude each other.
    pub(crate) fn from_flags(json: bool, print: bool) -> Self {
        if print { Self::Answer } else { Self::from_flag(json) }
    }
}
