//! MCP servers: their configuration, the trust in a project's servers, and connections.

#[cfg(feature = "mcp")]
mod accepted;
mod bound;
#[cfg(feature = "mcp")]
mod changes;
mod config;
#[cfg(feature = "mcp")]
mod confined;
#[cfg(feature = "mcp")]
mod connect;
mod description;
mod entry;
mod foreign;
mod import;
#[cfg(not(feature = "mcp"))]
mod missing;
mod recorded;
#[cfg(feature = "mcp")]
mod replayed;
mod run_servers;
mod runners;
mod secrets;
#[cfg(feature = "mcp")]
mod server;
mod target;
mod trust;

pub use self::config::{ConfiguredServer, ServerOwner, load_servers};
#[cfg(feature = "mcp")]
pub use self::connect::{ConnectOptions, ConnectedServers, add_approval_rules, connect_servers};
pub use self::description::describe_command;
pub use self::entry::{ApprovalRule, LifecycleRule, ServerEntry, ToolEntry};
pub use self::foreign::{ImportedServers, parse_foreign_config};
pub use self::import::{add_to_user_config, format_config, remove_from_user_config};
#[cfg(feature = "mcp")]
pub use self::server::build_server;
pub use self::target::ServerTargets;
pub use self::trust::{TrustCard, change_trust, list_trust};

pub use self::config::is_learning_enabled;
#[cfg(not(feature = "mcp"))]
pub(crate) use self::missing::ConnectedServers;
pub(crate) use self::run_servers::RunServers;
