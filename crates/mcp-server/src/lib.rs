#![doc = include_str!("../README.md")]

mod caller;
mod calls;
mod form;

mod answer;
mod served_tool;

mod parked;
mod running;

mod handler;

mod door;
mod http;

mod tool_server;

pub use self::caller::{Caller, Confirmation};
pub use self::calls::{CallFuture, Calls};
pub use self::http::{HttpOptions, HttpToken, OpenDoor};
pub use self::tool_server::{ServeError, ToolServer};
