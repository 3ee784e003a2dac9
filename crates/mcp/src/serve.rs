//! The MCP server: offers tools of this program to MCP clients.

mod answer;
mod caller;
mod calls;
mod door;
mod form;
mod handler;
mod http;
mod parked;
mod running;
mod served_tool;
mod tool_server;

pub use caller::{Caller, Confirmation};
pub use calls::{CallFuture, Calls};
pub use http::{HttpOptions, HttpToken, OpenDoor};
pub use tool_server::{ServeError, ToolServer};
