//! The assembly of a command runner from an agent and the properties of a run.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use windlass_loop::Input;
use windlass_text_calls::SpokenHistory;
use windlass_tool::CancellationToken;

use super::CommandRunner;
use super::early::EarlyChecks;
use crate::RunningCalls;
use crate::agent_inner::AgentInner;
use crate::asking::StreamingAnswer;
use crate::call_guard::CallGuard;
use crate::checkpointer::Gate;
use crate::options::ResumeInputs;
use crate::own_run::OwnRun;
use crate::shared_grants::SharedGrants;
use crate::tools::Tools;

impl CommandRunner {
    pub(crate) fn new(
        parts: Arc<AgentInner>,
        tools: Arc<Tools>,
        inputs: mpsc::Sender<Box<Input>>,
        run: OwnRun,
        (resume_inputs, grants): (ResumeInputs, SharedGrants),
        gate: Arc<Gate>,
    ) -> Self {
        let calls = CancellationToken::new();
        Self {
            ahead: calls.child_token(),
            calls,
            guard: Arc::new(CallGuard::new(parts.clone(), tools.clone(), grants)),
            parts,
            tools,
            inputs,
            events: None,
            run,
            tasks: JoinSet::new(),
            answer: StreamingAnswer::default(),
            early: EarlyChecks::default(),
            questions: HashMap::new(),
            newest_question: None,
            results: resume_inputs.results.into_iter().map(|result| (result.call.clone(), result)).collect(),
            guidance: resume_inputs.guidance,
            consulting: None,
            gate,
            spoken: Arc::new(Mutex::new(SpokenHistory::default())),
            is_summary: false,
            vetoes: Arc::new(AtomicU32::new(0)),
        }
    }

    /// Returns the calls that run at present.
    pub(crate) fn running_calls(&self) -> RunningCalls {
        self.run.running_calls.clone()
    }

    /// Starts a task whose input the machine waits for. If the task panics, the machine receives `otherwise`,
    /// so that it never waits in vain.
    pub(super) fn start(
        &mut self,
        otherwise: Input,
        work: impl Future<Output = Input> + Send + 'static,
    ) -> AbortHandle {
        let inputs = self.inputs.clone();
        self.tasks.spawn(async move {
            let input = AssertUnwindSafe(work).catch_unwind().await.unwrap_or(otherwise);
            // Sending fails only after the end of the run.
            drop(inputs.send(Box::new(input)).await);
        })
    }

    /// Sends an input that is available immediately. A task sends it, because the machine is not receiving at
    /// this moment and the channel may be full.
    pub(super) fn send_back(&mut self, input: Input) {
        let inputs = self.inputs.clone();
        self.tasks.spawn(async move { drop(inputs.send(Box::new(input)).await) });
    }
}
