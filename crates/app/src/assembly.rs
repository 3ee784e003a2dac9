//! Assembly: the toolbox of a workspace, the confinement of its processes, the people, and the agent.

mod agent;
mod answer_form;
mod builtin_tools;
mod confinement;
mod manual_call;
mod modes;
mod people;
mod run_hooks;
mod toolbox;

pub use self::agent::Assembly;
pub use self::answer_form::AnswerForm;
pub use self::confinement::{
    build_shell, confinement_helper, run_confinement_helper, warn_about_confinement,
};
pub use self::manual_call::{Consent, ManualCalls};
pub use self::modes::{find_mode, load_modes};
pub use self::people::People;
pub use self::toolbox::{PreparedTools, ToolPlan, build_toolbox, prepare_tools};

#[cfg(feature = "mcp")]
pub(crate) use self::builtin_tools::{load_commands, load_skills};
pub(crate) use self::toolbox::OfferedServers;
