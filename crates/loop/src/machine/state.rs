//! The state of a run, for the driver: the conversation, the usage and the next deadline.

use std::collections::BTreeMap;

use windlass_protocol::{ToolProtocol, Usage};

use super::Machine;
use crate::{BudgetUsage, Transcript};

impl Machine {
    /// Returns the number of the present or last turn; 0 before the first.
    pub fn turn(&self) -> u32 {
        self.core.progress().turns
    }

    /// Returns the time at which the machine needs an [`Input::Tick`](crate::Input::Tick) if it receives no other input before.
    pub fn next_deadline(&self) -> Option<u64> {
        self.core.next_deadline()
    }

    /// Returns the conversation so far.
    pub fn transcript(&self) -> &Transcript {
        self.core.transcript()
    }

    /// Returns the estimated tokens of the next request. The estimate is scaled by the provider's count for
    /// the last answer.
    pub fn context_tokens(&self) -> u64 {
        self.core.context_tokens()
    }

    /// Returns the protocol in which calls reach the model (RULES P5).
    pub fn protocol(&self) -> ToolProtocol {
        self.core.protocol()
    }

    /// Returns the tokens of the run so far.
    pub fn usage(&self) -> Usage {
        self.core.ledger().usage()
    }

    /// Returns the total usage of this run.
    pub fn used(&self) -> BudgetUsage {
        self.core.ledger().used()
    }

    /// Returns how many times in this process a human let the run continue after its budget was used. Such an
    /// answer counts for all runs that share the budget.
    pub fn grants(&self) -> u32 {
        self.core.ledger().grants()
    }

    /// Returns the total usage of each other run that shares this run's budget, by run id.
    pub fn used_by_others(&self) -> &BTreeMap<String, BudgetUsage> {
        self.core.ledger().used_by_others()
    }

    /// Returns the run's id; empty if the configuration sets none.
    pub fn run_id(&self) -> &str {
        &self.core.config().run
    }
}
