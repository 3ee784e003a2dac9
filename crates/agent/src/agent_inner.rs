//! The configuration of an agent, shared by its runs.

use std::sync::Arc;

use windlass_hitl::{Autonomy, Policy};
use windlass_loop::Config;
use windlass_protocol::Capabilities;
use windlass_redact::Redactor;
use windlass_stream::Model;
use windlass_tool::Human;
use windlass_toolbox::Toolbox;

use crate::hook_set::HookSet;
use crate::lessons::SharedHistory;
use crate::speech_options::SpeechOptions;
use crate::tools::Tools;
use crate::{AgentError, Approver, Summarizer};

/// The configuration of an agent, shared by its runs.
pub(crate) struct AgentInner {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) toolbox: Option<Toolbox>,
    pub(crate) policy: Policy,
    pub(crate) autonomy: Autonomy,
    pub(crate) work_mode: Option<String>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) human: Option<Arc<dyn Human>>,
    pub(crate) root: String,
    pub(crate) config: Config,
    pub(crate) speech: SpeechOptions,
    pub(crate) lessons: Option<Arc<SharedHistory>>,
    pub(crate) redactor: Redactor,
    /// The number of corrections of an answer that does not fit its type.
    pub(crate) corrections: u32,
    /// The capabilities of the model; `None` if nothing is known about it.
    pub(crate) capabilities: Option<Capabilities>,
    pub(crate) hooks: HookSet,
    pub(crate) summarizer: Option<Arc<dyn Summarizer>>,
    /// The names of the agents from the root's child down to this one; empty for the root.
    pub(crate) agents: Vec<String>,
}

impl AgentInner {
    /// Returns whether the model may enforce a schema of its answer.
    #[cfg(feature = "typed")]
    pub(crate) fn may_take_schema(&self) -> bool {
        self.capabilities
            .is_none_or(|capabilities| capabilities.structured_output != windlass_protocol::Support::No)
    }

    /// Returns the tools of a new run.
    pub(crate) fn begin(&self) -> Arc<Tools> {
        self.tools(self.work_mode.as_deref()).expect("the builder has found the mode")
    }

    /// Returns the tools of a run with a toolbox in place of the agent's, in the given mode or that of the toolbox.
    pub(crate) fn tools_of(&self, toolbox: &Toolbox, mode: Option<&str>) -> Result<Arc<Tools>, AgentError> {
        Ok(Arc::new(Tools::new(Some(toolbox), self.config.system.clone(), mode)?))
    }

    /// Returns the tools of a run that begins in the given mode.
    pub(crate) fn tools(&self, mode: Option<&str>) -> Result<Arc<Tools>, AgentError> {
        Ok(Arc::new(Tools::new(self.toolbox.as_ref(), self.config.system.clone(), mode)?))
    }
}
