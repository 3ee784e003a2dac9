#![doc = include_str!("../README.md")]

mod background;
mod background_agent;
mod background_tool;
mod builtin;
mod call;
mod child;
mod close_agent;
mod definition;
mod limits;
mod model_source;
mod owner;
mod registry;
mod rights;
mod send_input;
mod spawn_agent;
mod spec;
mod sub_agents;
mod task_modes;
mod wait;

pub use builtin::builtin_agents;
pub use definition::{AgentDefinition, DefinitionError};
pub use limits::AgentLimits;
pub use model_source::{ModelSource, SourcedModel};
pub use sub_agents::SubAgents;
