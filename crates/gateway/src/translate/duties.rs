//! The changes of an answer that the upstream's format cannot demand.

use std::collections::VecDeque;

use windlass_assemble::{AssembleOptions, Normalizer};
use windlass_protocol::ToolSpec;
use windlass_stream::{ChunkStream, FreeText};
use windlass_wire::{CallRestorer, Encoder};

use crate::answer::{UsageEstimate, Writing};
use crate::call_filter::CallFilter;
use crate::call_order::CallOrder;
use crate::stop::StopSignal;
use crate::stop_words::StopWords;
use crate::text_filter::TextFilter;

/// The changes of an answer that the gateway makes because the upstream's format cannot demand it.
pub(super) struct AnswerDuties {
    /// The free-text tools of the client. A model can call a function in place of each.
    pub(super) free_tools: Vec<ToolSpec>,
    pub(super) restorer: Option<Box<dyn CallRestorer>>,
    pub(super) calls: CallFilter,
    pub(super) filter: TextFilter,
}

impl AnswerDuties {
    /// Begins an answer without observers and without keep-alives, whose stop reasons stay as they are.
    pub(super) fn begin(
        self,
        chunks: ChunkStream,
        encoder: Box<dyn Encoder>,
        stop: StopSignal,
        turn: u64,
    ) -> Writing {
        Writing {
            chunks,
            normalizer: Some(Normalizer::new(AssembleOptions::default().with_turn(turn))),
            free_text: FreeText::for_tools(&self.free_tools),
            restorer: self.restorer,
            calls: self.calls,
            filter: self.filter,
            call_order: CallOrder::default(),
            usage: UsageEstimate::new(0),
            stop_words: StopWords::default(),
            encoder,
            observers: Vec::new(),
            stop,
            keep_alive: None,
            error: None,
            has_end: false,
            is_over: false,
            waiting: VecDeque::new(),
        }
    }
}
