//! The phase in which an answer arrives.

pub(crate) mod answer;
pub(crate) mod early;

use windlass_assemble::{Answer, Assembler, CallEvent, Ending, Options};
use windlass_protocol::{Message, Part, StopReason, ToolProtocol};
use windlass_stream::{Chunk, StreamError, StreamErrorKind, names_image};

use crate::machine::{Machine, Phase};
use crate::phase::streaming::answer::{Ended, name_the_nameless};
use crate::phase::streaming::early::Early;
use crate::progress::Progress;
use crate::speculative_calls::AheadCalls;
use crate::{Config, Effect, Entry, Event, FailureSubject, StreamFailure};

/// The state of an answer that arrives.
#[derive(Debug)]
pub(crate) struct Streaming {
    assembler: Assembler,
    /// A buffer that is reused for every chunk.
    events: Vec<CallEvent>,
    pub(crate) early: Early,
    pub(crate) ahead: AheadCalls,
}

/// The first delay before an answer is requested again, and the longest delay, in milliseconds.
pub(crate) const BACKOFF_MS: u64 = 200;
const LONGEST_BACKOFF_MS: u64 = 30_000;

impl Streaming {
    /// Creates the state for the answer with this number.
    pub(crate) fn new(config: &Config, progress: &Progress, answer: u64) -> Self {
        let names = config.tools.iter().map(|tool| tool.spec.name().clone());
        let turn = u64::from(progress.turns);
        let options = Options::default().with_turn(turn).with_tools(names).with_repairs(config.repairs);
        Self {
            assembler: Assembler::new(options),
            events: Vec::new(),
            early: Early::of(answer),
            ahead: AheadCalls::of(answer),
        }
    }
}

impl Machine {
    pub(crate) fn chunk(&mut self, chunk: Chunk) {
        let Phase::Streaming(streaming) = &mut self.phase else { return self.condensing_chunk(chunk) };
        let shown = match &chunk {
            Chunk::Text { text } => Some(Event::Text { text: text.clone() }),
            Chunk::Reasoning { text } => Some(Event::Reasoning { text: text.clone() }),
            _ => None,
        };
        let mut events = std::mem::take(&mut streaming.events);
        streaming.assembler.push(chunk, &mut events);
        let checks: Vec<_> = events.iter().filter_map(|event| streaming.early.follow(event)).collect();
        if let Some(event) = shown {
            self.show(event);
        }
        for event in events.drain(..) {
            self.show_call(event);
        }
        for check in checks {
            self.want(check);
        }
        if let Phase::Streaming(streaming) = &mut self.phase {
            streaming.events = events;
        }
    }

    fn show_call(&mut self, event: CallEvent) {
        match event {
            CallEvent::Started { key, name, .. } => self.show(Event::CallStarted { key, name }),
            CallEvent::Arguments { key, delta } => self.show(Event::CallArguments { key, delta }),
            CallEvent::Finished { key, call, notes } => {
                if !notes.repairs.is_empty() {
                    self.show(Event::CallRepaired { key, repairs: notes.repairs });
                }
                self.show(Event::CallFinished { key, call: call.clone() });
                self.begin_ahead(key, &call);
            }
            CallEvent::Malformed(call) => {
                self.show(Event::CallMalformed { key: call.key, problem: call.reason.to_string() });
            }
            _ => {}
        }
    }

    pub(crate) fn stream_end(&mut self, end: Result<(), StreamFailure>) {
        let phase = std::mem::replace(&mut self.phase, Phase::Idle);
        if let Phase::Condensing(condensing) = phase {
            return self.condensed(*condensing, end);
        }
        self.phase = phase;
        let Some(ended) = self.end_answer() else { return };
        // An answer whose stream broke off runs no tool (RULES S10): it is void and requested again.
        match end.err().or_else(|| failure_of(&ended.answer)) {
            Some(failure) => {
                // The provider also charges for an answer that broke off (RULES H10).
                self.count_usage(&ended.answer.usage);
                self.abandon(&ended.ahead);
                self.broke_off(&failure);
            }
            None if ended.answer.stop == Some(StopReason::ContextWindow) => self.filled_window(ended),
            None => self.answered(ended),
        }
    }

    /// Handles an answer that was cut because the window is full: shortens the conversation and requests the
    /// answer again. If the conversation cannot be shortened, accepts the answer as one that was cut.
    fn filled_window(&mut self, ended: Ended) {
        if !self.shrink() {
            return self.answered(ended);
        }
        self.count_usage(&ended.answer.usage);
        self.abandon(&ended.ahead);
        let reason = "the answer filled the model's window".to_owned();
        self.show(Event::AttemptDiscarded { reason, delay_ms: 0 });
        self.send(0);
    }

    /// Handles an answer that broke off. If the provider refused the protocol, tries the next one; if it
    /// refused the length or a picture, shortens the conversation or removes pictures; otherwise repeats the
    /// same request.
    fn broke_off(&mut self, failure: &StreamFailure) {
        self.discard_attempt();
        let is_mended = match failure.subject {
            FailureSubject::Protocol => match self.protocols.refused() {
                Some(protocol) => return self.take_protocol(protocol, failure),
                None => false,
            },
            FailureSubject::ContextLength => self.shrink(),
            FailureSubject::Image => self.remove_refused_images(failure),
            FailureSubject::Other => false,
        };
        if !is_mended {
            return self.try_again(failure);
        }
        self.show(Event::AttemptDiscarded { reason: failure.message.clone(), delay_ms: 0 });
        self.send(0);
    }

    fn take_protocol(&mut self, protocol: ToolProtocol, failure: &StreamFailure) {
        self.want(Effect::Record(Entry::Protocol { protocol }));
        self.show(Event::ProtocolChanged { protocol, reason: failure.message.clone() });
        self.send(0);
    }

    /// Accepts an answer that the machine itself stopped. Its missing end is not a failure.
    pub(crate) fn stopped_early(&mut self) {
        if let Some(ended) = self.end_answer() {
            self.answered(ended);
        }
    }

    fn end_answer(&mut self) -> Option<Ended> {
        let phase = std::mem::replace(&mut self.phase, Phase::Idle);
        let Phase::Streaming(streaming) = phase else {
            self.phase = phase;
            return None;
        };
        let Streaming { assembler, mut early, ahead, .. } = *streaming;
        let mut events = Vec::new();
        let mut answer = assembler.finish(&mut events);
        for event in events {
            // The answer has ended, so a check of the event would come too late.
            let _ = early.follow(&event);
            let is_told = matches!(&event, CallEvent::Malformed(call) if early.refusal(call.key).is_some());
            if !is_told {
                self.show_call(event);
            }
        }
        name_the_nameless(&mut answer);
        Some(Ended { answer, early, ahead })
    }

    /// Requests the same answer again if the failure is retryable, a limited number of times with an
    /// increasing delay (RULES L9).
    pub(crate) fn try_again(&mut self, failure: &StreamFailure) {
        if !failure.retryable || self.progress.attempts >= self.config.limits.stream_retries {
            return self.fail(failure);
        }
        let doubled =
            BACKOFF_MS.saturating_mul(1_u64.checked_shl(self.progress.attempts).unwrap_or(u64::MAX));
        let delay_ms = doubled.min(LONGEST_BACKOFF_MS).max(failure.retry_after_ms.unwrap_or(0));
        self.progress.attempts = self.progress.attempts.saturating_add(1);
        self.show(Event::AttemptDiscarded { reason: failure.message.clone(), delay_ms });
        self.send(delay_ms);
    }

    /// Keeps the text of an answer that was cancelled, and drops its calls.
    pub(crate) fn keep_words(&mut self, streaming: Streaming) {
        let answer = streaming.assembler.finish(&mut Vec::new());
        self.count_usage(&answer.usage);
        let parts: Vec<_> = answer.parts.into_iter().filter(|part| matches!(part, Part::Text(_))).collect();
        if parts.is_empty() {
            return;
        }
        let message = Message::assistant(parts);
        self.want(Effect::Record(Entry::Answered {
            message: message.clone(),
            refused: Vec::new(),
            malformed: None,
            repaired: Vec::new(),
            stop: None,
            usage: answer.usage,
        }));
        self.transcript.answer(message).expect("words alone open nothing");
    }
}

/// Returns the failure of an answer whose stream ended without an error, if the answer is void. Text of an
/// answer that the provider marks as failed is not a result (RULES S12).
fn failure_of(answer: &Answer) -> Option<StreamFailure> {
    if let Some(error) = &answer.error {
        return Some(reported(error));
    }
    let raw = || answer.raw_stop.as_deref().unwrap_or_default();
    let message = match (answer.ending, &answer.stop) {
        (_, Some(StopReason::Error)) => format!("the provider ended the answer with an error: {}", raw()),
        (Ending::Dropped, Some(StopReason::Unknown(_))) => {
            format!("the provider ended the answer for a reason that is not known here: {}", raw())
        }
        (Ending::Dropped, _) => "the connection ended before the answer did".to_owned(),
        _ => return None,
    };
    Some(StreamFailure::new(message, true))
}

/// Converts an error that the provider reported inside the stream, and sets the subject from its kind.
fn reported(error: &StreamError) -> StreamFailure {
    let failure =
        StreamFailure::new(error.to_string(), error.is_retryable()).with_retry_after_ms(error.retry_after_ms);
    match error.kind {
        StreamErrorKind::ContextLength => failure.of_length(),
        StreamErrorKind::Unsupported => failure.of_protocol(),
        StreamErrorKind::Request
            if names_image(error.code.as_deref(), error.parameter.as_deref(), &error.message) =>
        {
            failure.of_image()
        }
        _ => failure,
    }
}
