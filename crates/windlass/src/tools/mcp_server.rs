//! The server of the Model Context Protocol, and [`AgentHost`], which serves the tools of an agent.

mod agent_host;

pub use agent_host::AgentHost;
pub use windlass_mcp_server::*;
