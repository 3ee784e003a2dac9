//! What a run is offered may change, at a turn's beginning.

use serde::{Deserialize, Serialize};

use crate::context::tools_size;
use crate::machine::Machine;
use crate::{Effect, Entry, Event, KnownTool, OfferedTool};

/// What the next turn is offered: tools, system prompt and mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Offer {
    /// By which whoever makes it knows it again.
    pub number: u64,
    /// The tools.
    pub tools: Vec<OfferedTool>,
    /// All tools, offered or hidden, with the names that lead to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_tools: Vec<KnownTool>,
    /// The system prompt.
    pub system: Option<String>,
    /// The mode, by its slug. To the machine it is a word that is written down.
    pub mode: Option<String>,
}

impl Offer {
    /// Tools on offer.
    pub fn new(number: u64, tools: Vec<OfferedTool>) -> Self {
        Self { number, tools, known_tools: Vec::new(), system: None, mode: None }
    }

    /// The same offer, in which these names lead to tools.
    pub fn with_known_tools(mut self, known: Vec<KnownTool>) -> Self {
        self.known_tools = known;
        self
    }

    /// The same offer with a system prompt.
    pub fn with_system(mut self, system: Option<String>) -> Self {
        self.system = system;
        self
    }

    /// The same offer in a mode.
    pub fn with_mode(mut self, mode: Option<String>) -> Self {
        self.mode = mode;
        self
    }
}

impl Machine {
    /// Keeps an offer for the next turn. The mode is written down at once: calls behind it in the same answer are judged
    /// in it already (RULES L11).
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

    /// Takes up what the turn is offered, before the model is asked.
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
