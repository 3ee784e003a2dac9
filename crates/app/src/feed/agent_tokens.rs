//! The tokens of the sub-agents of a run, from their events in the feed.

use std::collections::BTreeMap;

use super::card::{RunOutcome, Tokens};
use super::event::AgentPath;
use super::kind::FeedKind;

/// Count of the tokens and the cost of a run's sub-agents, which the records of the run do not contain.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentTokens {
    total: Tokens,
    /// The counted tokens of the agents that have not ended. Two agents at once can have the same path.
    counted: BTreeMap<AgentPath, Tokens>,
}

impl AgentTokens {
    /// Returns the tokens of all sub-agents.
    pub(super) fn total(&self) -> &Tokens {
        &self.total
    }

    /// Counts an event of a sub-agent. The end of an agent adds the tokens that no answer has: those of summaries and of
    /// discarded attempts.
    pub(super) fn count(&mut self, agent: &AgentPath, kind: &FeedKind) {
        match kind {
            FeedKind::TurnEnded { usage, .. } => {
                self.total.add(usage);
                self.counted.entry(agent.clone()).or_default().add(usage);
            }
            FeedKind::RunEnded { outcome, total } => {
                let mut counted = self.counted.remove(agent).unwrap_or_default();
                let rest = total.subtract(&counted);
                self.total.add(&rest);
                counted.add(&rest);
                // The total of an agent that is resumed begins with the tokens until now.
                if !matches!(outcome, RunOutcome::Suspended { .. }) {
                    counted = counted.subtract(total);
                }
                if counted != Tokens::default() {
                    self.counted.insert(agent.clone(), counted);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentPath, AgentTokens, FeedKind, RunOutcome, Tokens};

    fn tokens(input: u64) -> Tokens {
        Tokens { input, output: 1, cost: input * 2, ..Tokens::default() }
    }

    fn turn(input: u64) -> FeedKind {
        FeedKind::TurnEnded { turn: 1, stop: None, usage: tokens(input), total: Tokens::default() }
    }

    fn end(outcome: RunOutcome, input: u64, output: u64) -> FeedKind {
        let total = Tokens { input, output, cost: input * 2, ..Tokens::default() };
        FeedKind::RunEnded { outcome, total }
    }

    #[track_caller]
    fn check(events: &[FeedKind], input: u64, output: u64) {
        let agent = AgentPath::new("call", vec!["scribe".to_owned()]);
        let mut agents = AgentTokens::default();
        for event in events {
            agents.count(&agent, event);
        }
        let total = agents.total();
        assert_eq!((total.input, total.output, total.cost), (input, output, input * 2));
    }

    #[test]
    fn the_tokens_of_an_agent_are_counted_once() {
        let done = || RunOutcome::Completed { text: String::new() };
        let waits = || RunOutcome::Suspended { questions: Vec::new(), results: Vec::new() };
        check(&[turn(10), turn(20), end(done(), 30, 2)], 30, 2);
        // A summary has 5 tokens.
        check(&[turn(10), turn(20), end(done(), 35, 2)], 35, 2);
        check(&[turn(10), end(waits(), 10, 1), turn(20), end(done(), 30, 2)], 30, 2);
        // The second agent has the path of the first one.
        check(&[turn(10), end(done(), 10, 1), turn(20), end(done(), 20, 1)], 30, 2);
        check(&[turn(10), turn(7), end(done(), 10, 1), turn(8), end(done(), 15, 2)], 25, 3);
        // A process was killed, so the end of the agent is missing.
        check(&[turn(10)], 10, 1);
    }
}
