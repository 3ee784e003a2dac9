#![doc = include_str!("../README.md")]

mod caller;
mod form;
mod tool_host;

mod answer;
mod served_tool;

mod parked;
mod running;

mod handler;

mod http;
mod request_guard;

mod tool_server;

pub use self::caller::{Caller, Confirmation};
pub use self::http::{HttpError, HttpServerOptions, HttpToken};
pub use self::tool_host::{CallFuture, ToolHost};
pub use self::tool_server::{ServeError, ToolServer};
