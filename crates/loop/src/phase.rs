//! The phases of a run. A phase owns the data that ends with it, changes the core, and returns the transition
//! that follows it; it does not know the other phases.

mod condensing;
mod consulting;
mod continuation;
mod executing;
mod no_call;
mod queries;
mod streaming;
mod turn;

use self::condensing::Condensing;
use self::consulting::Consulting;
use self::executing::Executing;
use self::streaming::Streaming;
use crate::core::Core;
use crate::transition::Transition;
use crate::{Input, StopCause};

/// The phase of a run, named by the input that the machine waits for.
#[derive(Debug)]
pub(crate) enum Phase {
    /// Waits for the task.
    Idle,
    /// Waits for the rest of an answer.
    Streaming(Box<Streaming>),
    /// Waits for the rest of a summary.
    Condensing(Box<Condensing>),
    /// Waits for calls to end.
    Executing(Box<Executing>),
    /// Waits for the human's answer to a question about how the run continues.
    Consulting(Consulting),
    /// The run is over.
    Over,
}

impl Phase {
    /// Handles an input, and returns the transition if the phase ends. Each phase has a table of the inputs
    /// that it expects; others go to [`Core::refuse_input`].
    pub(crate) fn step(&mut self, core: &mut Core, input: Input) -> Option<Transition> {
        match (self, input) {
            (phase, Input::Say { id, text, parts, when }) => {
                core.queue_message(id, (text, parts), when, phase.is_over());
                None
            }
            (phase, Input::Compact) => phase.compact(core),
            (phase, Input::Shared { used, grants }) => {
                let is_granted = core.update_others(used, grants) && !phase.is_over();
                if is_granted { phase.apply_shared_grant(core) } else { None }
            }
            (Self::Over, Input::Offer(_) | Input::InterruptReply { .. })
            | (Self::Idle | Self::Over, Input::Hook(_)) => None,
            (phase, Input::Hook(report)) => {
                if let Self::Executing(executing) = phase {
                    executing.note_rewrite(&report);
                }
                core.report_hook(report);
                None
            }
            (_, Input::Offer(offer)) => {
                core.keep_offer(*offer);
                None
            }
            (Self::Idle, Input::Start { task }) => {
                core.start(task);
                Some(Transition::NextTurn)
            }
            (Self::Idle, Input::Cancel) => Some(Transition::stop(StopCause::Cancelled)),
            (Self::Idle | Self::Over, input) => {
                core.refuse_input(input);
                None
            }
            (Self::Streaming(streaming), input) => streaming.step(core, input),
            (Self::Condensing(condensing), input) => condensing.step(core, input),
            (Self::Executing(executing), input) => executing.step(core, input),
            (Self::Consulting(consulting), input) => consulting.step(core, input),
        }
    }

    /// Enters the phase that a transition leads to. A phase can end as soon as it begins, for example if all
    /// calls of an answer are refused.
    pub(crate) fn enter(&mut self, core: &mut Core, transition: Transition) {
        let mut next = Some(transition);
        while let Some(transition) = next {
            next = match transition {
                Transition::NextTurn => Some(turn::begin(core)),
                Transition::Request { delay_ms } => {
                    *self = Self::Streaming(Box::new(Streaming::request(core, delay_ms)));
                    None
                }
                Transition::Summarize(plan) => {
                    *self = Self::Condensing(Box::new(Condensing::request(core, plan)));
                    None
                }
                Transition::Execute { calls, refused, speculative } => {
                    let mut executing = Box::new(Executing::new(core, calls, &speculative));
                    let next = executing.begin(core, refused, speculative);
                    *self = Self::Executing(executing);
                    next
                }
                Transition::Interrupt { reason, question } => {
                    *self = Self::Consulting(Consulting::ask(core, reason, question));
                    None
                }
                Transition::End(outcome) => {
                    core.end(outcome);
                    *self = Self::Over;
                    None
                }
            };
        }
    }

    /// Sends the approval requests whose turn has come.
    pub(crate) fn send_approvals(&mut self, core: &mut Core) -> Option<Transition> {
        if let Self::Executing(executing) = self { executing.send_approvals(core) } else { None }
    }

    /// Applies the approval of a shared budget in another run.
    fn apply_shared_grant(&mut self, core: &mut Core) -> Option<Transition> {
        core.record_shared_grant();
        if let Self::Consulting(consulting) = self { consulting.withdraw_budget_question(core) } else { None }
    }
}
