//! The assembly of a driver from an agent and the options of a run.

use std::sync::Arc;

use tokio::sync::mpsc;
use windlass_loop::Machine;
use windlass_protocol::Message;
use windlass_tool::CancellationToken;

use super::Driver;
use crate::agent_inner::AgentInner;
use crate::checkpointer::Gate;
use crate::command_runner::CommandRunner;
use crate::options::RunOptions;
use crate::own_run::OwnRun;
use crate::previews::Previews;
use crate::redacting::Redacting;
use crate::shared_budget::BudgetShare;
use crate::tools::Tools;
use crate::{RunningCalls, SharedBudget};

/// Inputs that may be queued for the machine.
const WAITING_INPUTS: usize = 256;

impl Driver {
    /// Returns the token that stops the run in order.
    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.cancellation.clone()
    }

    /// Returns the calls of the run that work.
    pub(crate) fn running_calls(&self) -> RunningCalls {
        self.runner.running_calls()
    }

    pub(crate) fn new(
        parts: &Arc<AgentInner>,
        tools: Arc<Tools>,
        machine: Machine,
        options: RunOptions,
    ) -> Self {
        let mut journal = options.journal;
        journal.forget_records();
        let (sender, inputs) = mpsc::channel(WAITING_INPUTS);
        let gate = Arc::new(Gate::new(options.checkpoints, machine.turn()));
        // A run of performed calls sends no requests to a model, so it has no usage to count. Runs that
        // these calls start count.
        let counted =
            if options.model.is_none() { options.shared_budget.clone() } else { SharedBudget::default() };
        let mut share = BudgetShare::new(counted, machine.run_id(), machine.used_by_others());
        share.set(machine.used());
        let ended = CancellationToken::new();
        let run = OwnRun {
            id: machine.run_id().to_owned(),
            outputs: options.outputs,
            shared_budget: options.shared_budget,
            running_calls: options.running_calls,
            ended: ended.clone(),
            stop: options.cancellation.clone(),
            hand_off: options.hand_off,
            model: options.model,
        };
        let runner = CommandRunner::new(
            Arc::clone(parts),
            Arc::clone(&tools),
            sender,
            run,
            (options.resume_inputs, options.grants),
            Arc::clone(&gate),
        );
        let said = machine.transcript().messages().iter().flat_map(Message::calls);
        runner.remind(said.chain(&options.earlier));
        Self {
            machine,
            journal,
            redactor: parts.redactor.clone(),
            redacting: Redacting::new(parts.redactor.clone()),
            cancellation: options.cancellation,
            runner,
            gate,
            inputs,
            previews: Previews::default(),
            tools,
            messages: options.messages,
            share,
            parts: Arc::clone(parts),
            task: None,
            _ended: ended.drop_guard(),
        }
    }
}
