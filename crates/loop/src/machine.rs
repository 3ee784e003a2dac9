//! The turn machine: it holds the core and the phase of a run, and passes each input to the phase.

mod resume;
mod state;
mod steps;

use crate::core::Core;
use crate::phase::Phase;
use crate::transition::Transition;
use crate::{Command, Config, Input, Transcript};

/// The state machine of one run of an agent. It performs no IO: it takes inputs and returns the commands
/// that the driver has to execute.
///
/// The methods are of four kinds:
///
/// * [`new`](Self::new), [`with_history`](Self::with_history) and [`resume`](Self::resume) create a machine.
/// * [`step`](Self::step) and [`step_into`](Self::step_into) handle an input and return commands. Nothing
///   else changes the state of the run.
/// * [`next_deadline`](Self::next_deadline) and [`timer`](Self::timer) return the time at which the machine needs an
///   [`Input::Tick`] if no other input arrives before.
/// * All others read the state: the conversation, the usage, and the durable step of a command
///   ([`step_of`](Self::step_of)).
///
/// A driver repeats two things: it waits for the next input (a chunk of the answer, a decision, an answer of
/// the human, a result, a deadline), and executes the returned commands in their order. The order is a part
/// of the contract: an entry that [is critical](crate::Entry::is_critical) is durable before the driver
/// executes the command after it, so that no call runs before its intent is recorded. Commands that take time
/// ([`Command::Send`], [`Command::Run`], [`Command::Decide`], [`Command::Ask`]) are only started in that
/// order; their results come back as inputs, in any order. After [`Command::Done`] the run is over, and
/// inputs change nothing.
///
/// The machine reads no clock. Each step gets the time in milliseconds of any monotonic clock; a time before
/// that of the previous step counts as the previous time. So the machine is deterministic: the same inputs at
/// the same times give the same commands, in every process.
///
/// `windlass-agent` is a driver with a real model and real tools. This driver has neither:
///
/// ```
/// use windlass_loop::{Config, Command, Entry, Input, Machine, Outcome};
/// use windlass_protocol::StopReason;
/// use windlass_stream::Chunk;
///
/// let mut machine = Machine::new(Config::new("some-model", Vec::new()));
/// let mut inputs = vec![Input::Start { task: "say hello".into() }];
/// let (mut record, mut outcome): (Vec<Entry>, Option<Outcome>) = (Vec::new(), None);
/// let mut now_ms = 0;
/// while let Some(input) = inputs.pop() {
///     now_ms += 1;
///     for command in machine.step(input, now_ms) {
///         match command {
///             Command::Record(entry) => record.push(entry),
///             // The answer of a model, the last input first.
///             Command::Send { .. } => inputs = vec![
///                 Input::StreamEnd(Ok(())),
///                 Input::Chunk(Chunk::Finish { reason: StopReason::End, raw: "stop".into() }),
///                 Input::Chunk(Chunk::text("hello")),
///             ],
///             Command::Done(end) => outcome = Some(end),
///             _ => {}
///         }
///     }
/// }
/// assert_eq!(outcome, Some(Outcome::Completed { text: "hello".into() }));
/// assert!(matches!(record.first(), Some(Entry::Started { .. })));
/// ```
#[derive(Debug)]
pub struct Machine {
    core: Core,
    phase: Phase,
}

impl Machine {
    /// Creates a machine that waits for its task.
    pub fn new(config: Config) -> Self {
        Self { core: Core::new(config), phase: Phase::Idle }
    }

    /// Sets a conversation that took place before this run; the task is appended to it.
    pub fn with_history(mut self, history: Transcript) -> Self {
        self.core.import(history);
        self
    }

    /// Handles an input and returns the commands to execute, in their order. `now_ms` is the time in
    /// milliseconds of any monotonic clock; a time before that of the previous step counts as the previous
    /// time.
    ///
    /// An input that does not fit the present phase, such as a chunk after the end of an answer, is ignored.
    /// An answer to a question that is not open is reported as
    /// [`Event::AnswerRefused`](crate::Event::AnswerRefused).
    pub fn step(&mut self, input: Input, now_ms: u64) -> Vec<Command> {
        let mut commands = Vec::new();
        self.step_into(input, now_ms, &mut commands);
        commands
    }

    /// Like [`step`](Self::step), but appends to `commands`, so that a driver can reuse one buffer instead of
    /// allocating for every chunk.
    pub fn step_into(&mut self, input: Input, now_ms: u64, commands: &mut Vec<Command>) {
        self.core.begin_step(now_ms, commands);
        let next = self.phase.step(&mut self.core, input);
        self.enter(next);
        let next = self.phase.send_approvals(&mut self.core);
        self.enter(next);
        for outcome in self.core.overdue_approvals() {
            let next = self.phase.step(&mut self.core, Input::Approval(outcome));
            self.enter(next);
        }
        self.core.end_step(commands);
    }

    fn enter(&mut self, transition: Option<Transition>) {
        if let Some(transition) = transition {
            self.phase.enter(&mut self.core, transition);
        }
    }
}
