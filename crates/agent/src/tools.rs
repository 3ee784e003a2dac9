//! The tools of one run in its current mode, including dynamic tools.

use std::sync::{Mutex, MutexGuard, PoisonError};

use windlass_loop::{Config, KnownTool, Offer, OfferedTool};
use windlass_protocol::{Control, Hints, ToolResult};
use windlass_toolbox::{CheckedCall, Toolbox, UnknownMode, WorkMode};

/// The tools of one run. All lookups of calls use this type, so that the offer, the decision and the
/// execution see the same tools.
pub(crate) struct Tools {
    system: Option<String>,
    completion: Completion,
    state: Mutex<Option<State>>,
}

/// The meaning of a completion call in this run.
#[derive(Clone, Copy)]
enum Completion {
    EndsTheRun,
    /// An ordinary call, because the run has no model that could complete a task.
    IsACall,
}

struct State {
    /// The toolbox for lookups: the offer of the current turn, in the mode that calls have changed to since.
    current: Toolbox,
    /// The latest offer that the machine received, for the next turn.
    told: Toolbox,
    number: u64,
}

/// The argument of a mode switch that contains the slug of the mode.
const MODE: &str = "mode_slug";

impl Tools {
    /// Returns the tools of a new run, in the given mode if there is one.
    pub(crate) fn new(
        toolbox: Option<&Toolbox>,
        system: Option<String>,
        mode: Option<&str>,
    ) -> Result<Self, UnknownMode> {
        let state = match toolbox {
            None => None,
            Some(toolbox) => {
                let current =
                    mode.map_or_else(|| Ok(toolbox.clone()), |mode| toolbox.in_mode(mode))?.refresh();
                Some(State { told: current.clone(), current, number: 0 })
            }
        };
        Ok(Self { system, completion: Completion::EndsTheRun, state: Mutex::new(state) })
    }

    /// Makes completion an ordinary call, for a run without a model.
    pub(crate) fn ignore_completion(mut self) -> Self {
        self.completion = Completion::IsACall;
        self
    }

    /// Returns the configuration with the tools, the mode and the system prompt of this run.
    pub(crate) fn config(&self, config: &Config) -> Config {
        let mut config = config.clone();
        if let Some(state) = self.state().as_ref() {
            config.tools = self.tools(&state.current);
            config.known_tools = self.list_known_tools(&state.current);
            config.mode = slug(&state.current);
        }
        config.system = self.system();
        config
    }

    /// Returns the current toolbox.
    pub(crate) fn current(&self) -> Option<Toolbox> {
        self.state().as_ref().map(|state| state.current.clone())
    }

    /// Returns a new offer for the next turn if the tools or the mode changed since the last offer.
    pub(crate) fn news(&self) -> Option<Offer> {
        let offer = {
            let mut state = self.state();
            let state = state.as_mut()?;
            if !state.told.is_stale() && slug(&state.told) == slug(&state.current) {
                return None;
            }
            state.told = state.current.refresh();
            state.number = state.number.saturating_add(1);
            let offer = Offer::new(state.number, self.tools(&state.told));
            offer.with_known_tools(self.list_known_tools(&state.told)).with_mode(slug(&state.told))
        };
        Some(offer.with_system(self.system()))
    }

    /// Makes an offer current when the turn to which it was sent begins.
    pub(crate) fn begin(&self, number: u64) {
        if let Some(state) = self.state().as_mut()
            && state.number == number
        {
            state.current = state.told.clone();
        }
    }

    /// Changes the mode after a successful mode switch. Later calls of the same answer are decided in the new
    /// mode (RULES L11).
    pub(crate) fn follow(&self, checked: &CheckedCall, result: &ToolResult) {
        if checked.facts.hints.control != Control::ModeSwitch || !result.status.is_ok() {
            return;
        }
        let mode =
            checked.call.arguments().and_then(|arguments| arguments.get(MODE)).and_then(|mode| mode.as_str());
        if let (Some(state), Some(mode)) = (self.state().as_mut(), mode)
            && let Ok(changed) = state.current.in_mode(mode)
        {
            state.current = changed;
        }
    }

    fn tools(&self, toolbox: &Toolbox) -> Vec<OfferedTool> {
        let offered = toolbox.tool_specs().into_iter();
        offered.map(|(spec, hints)| OfferedTool::new(spec, self.hints(hints))).collect()
    }

    /// Returns all tools with the names under which the toolbox finds them.
    fn list_known_tools(&self, toolbox: &Toolbox) -> Vec<KnownTool> {
        let known = toolbox.callable_tools().into_iter();
        known
            .map(|tool| KnownTool::new(tool.name, self.hints(tool.hints)).with_names(tool.exact, tool.loose))
            .collect()
    }

    /// Returns the hints of a tool in this run.
    fn hints(&self, mut hints: Hints) -> Hints {
        if matches!(self.completion, Completion::IsACall) && hints.control.is_completion() {
            hints.control = Control::default();
        }
        hints
    }

    /// Returns the system prompt followed by the role of the mode.
    fn system(&self) -> Option<String> {
        let role = self.state().as_ref().and_then(|state| state.current.mode().map(WorkMode::prompt));
        match (&self.system, role) {
            (Some(system), Some(role)) => Some(format!("{system}\n\n{role}")),
            (system, role) => system.clone().or(role),
        }
    }

    fn state(&self) -> MutexGuard<'_, Option<State>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn slug(toolbox: &Toolbox) -> Option<String> {
    toolbox.mode().map(|mode| mode.slug.clone())
}
