//! The tools of one run: in which mode they are, and which of them that come and go are there.

use std::sync::{Mutex, MutexGuard, PoisonError};

use windlass_loop::{Config, KnownTool, Offer, OfferedTool};
use windlass_protocol::{Control, Hints, ToolResult};
use windlass_toolbox::{Checked, Toolbox, UnknownMode, WorkMode};

/// The tools of one run. Everything that looks a call up, at whatever time, does it here, so that offering, judging and
/// running see the same.
pub(crate) struct Tools {
    system: Option<String>,
    completion: Completion,
    state: Mutex<Option<State>>,
}

/// What the call by which a model says that it is done means here.
#[derive(Clone, Copy)]
enum Completion {
    EndsTheRun,
    /// Nobody is there who could be done.
    IsACall,
}

struct State {
    /// What calls are looked up in: as the model was told, but in the mode that it changed into since.
    current: Toolbox,
    /// What the machine was told last, for the next turn.
    told: Toolbox,
    number: u64,
}

/// The argument by which a call says into which mode it changes.
const MODE: &str = "mode_slug";

impl Tools {
    /// The tools of a run that begins, in a mode if one is named.
    pub(crate) fn new(
        toolbox: Option<&Toolbox>,
        system: Option<String>,
        mode: Option<&str>,
    ) -> Result<Self, UnknownMode> {
        let state = match toolbox {
            None => None,
            Some(toolbox) => {
                let current =
                    mode.map_or_else(|| Ok(toolbox.clone()), |mode| toolbox.in_mode(mode))?.refreshed();
                Some(State { told: current.clone(), current, number: 0 })
            }
        };
        Ok(Self { system, completion: Completion::EndsTheRun, state: Mutex::new(state) })
    }

    /// The same tools for a run without a model, which no call ends.
    pub(crate) fn without_completion(mut self) -> Self {
        self.completion = Completion::IsACall;
        self
    }

    /// What a run is set up with.
    pub(crate) fn config(&self, config: &Config) -> Config {
        let mut config = config.clone();
        if let Some(state) = self.state().as_ref() {
            config.tools = self.tools(&state.current);
            config.known_tools = self.known(&state.current);
            config.mode = slug(&state.current);
        }
        config.system = self.system();
        config
    }

    /// The tools as they are now.
    pub(crate) fn current(&self) -> Option<Toolbox> {
        self.state().as_ref().map(|state| state.current.clone())
    }

    /// What the next turn is offered, if that is not what the machine was told last.
    pub(crate) fn news(&self) -> Option<Offer> {
        let offer = {
            let mut state = self.state();
            let state = state.as_mut()?;
            if !state.told.is_stale() && slug(&state.told) == slug(&state.current) {
                return None;
            }
            state.told = state.current.refreshed();
            state.number = state.number.saturating_add(1);
            let offer = Offer::new(state.number, self.tools(&state.told));
            offer.with_known_tools(self.known(&state.told)).with_mode(slug(&state.told))
        };
        Some(offer.with_system(self.system()))
    }

    /// A turn begins with what the machine was told.
    pub(crate) fn begin(&self, number: u64) {
        if let Some(state) = self.state().as_mut()
            && state.number == number
        {
            state.current = state.told.clone();
        }
    }

    /// Changes the mode, if that is what a call did. Calls behind it are judged in it at once (RULES L11).
    pub(crate) fn follow(&self, checked: &Checked, result: &ToolResult) {
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
        let offered = toolbox.offered().into_iter();
        offered.map(|(spec, hints)| OfferedTool::new(spec, self.hints(hints))).collect()
    }

    /// The names that lead to tools, as the toolbox looks calls up.
    fn known(&self, toolbox: &Toolbox) -> Vec<KnownTool> {
        let known = toolbox.known().into_iter();
        known
            .map(|tool| KnownTool::new(tool.name, self.hints(tool.hints)).with_names(tool.exact, tool.loose))
            .collect()
    }

    /// What a tool means to this run.
    fn hints(&self, mut hints: Hints) -> Hints {
        if matches!(self.completion, Completion::IsACall) && hints.control == Control::Completion {
            hints.control = Control::default();
        }
        hints
    }

    /// The system prompt, and what the mode says.
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
