//! Changes of the tools, the system prompt and the mode between turns.

use serde::{Deserialize, Serialize};

use crate::{KnownTool, OfferedTool};

/// The tools, system prompt and mode of the next turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Offer {
    /// A number that the sender assigns. [`Command::Offered`](crate::Command::Offered) repeats it when the
    /// offer takes effect.
    pub number: u64,
    /// The tools that the model may call.
    pub tools: Vec<OfferedTool>,
    /// All tools, offered or hidden, with the names that select them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_tools: Vec<KnownTool>,
    /// The system prompt.
    pub system: Option<String>,
    /// The slug of the mode. The machine only records it.
    pub mode: Option<String>,
}

impl Offer {
    /// Creates an offer of these tools.
    pub fn new(number: u64, tools: Vec<OfferedTool>) -> Self {
        Self { number, tools, known_tools: Vec::new(), system: None, mode: None }
    }

    /// Sets the tools that names select.
    pub fn with_known_tools(mut self, known: Vec<KnownTool>) -> Self {
        self.known_tools = known;
        self
    }

    /// Sets the system prompt.
    pub fn with_system(mut self, system: Option<String>) -> Self {
        self.system = system;
        self
    }

    /// Sets the mode.
    pub fn with_mode(mut self, mode: Option<String>) -> Self {
        self.mode = mode;
        self
    }
}
