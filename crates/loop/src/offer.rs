//! Changes of the tools, the system prompt and the mode between turns.

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::meter::tools_size;
use crate::{Effect, Entry, Event, KnownTool, OfferedTool};

/// The tools, system prompt and mode of the next turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Offer {
    /// A number that the sender assigns. [`Effect::Offered`] repeats it when the offer takes effect.
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

impl Machine {
    /// Stores an offer for the next turn. Its mode is recorded at once, because the later calls of the same
    /// answer are already judged in that mode (RULES L11).
    pub(crate) fn offer(&mut self, offer: Offer) {
        if self.is_over() {
            return;
        }
        if let Some(mode) = offer.mode.clone().filter(|mode| Some(mode) != self.config.mode.as_ref()) {
            self.config.mode = Some(mode.clone());
            self.want(Effect::Record(Entry::Mode { mode: mode.clone() }));
            self.show(Event::ModeChanged { mode });
        }
        self.offered = Some(offer);
    }

    /// Applies the stored offer before a request.
    pub(crate) fn take_up_offer(&mut self) {
        let Some(Offer { number, tools, known_tools, system, .. }) = self.offered.take() else { return };
        self.config.tools = tools;
        self.config.known_tools = known_tools;
        self.config.system = system;
        self.meter.before =
            tools_size(self.config.tokenizer, self.config.system.as_deref(), &self.config.tools);
        self.want(Effect::Offered { number });
    }
}
