#![doc = include_str!("../README.md")]

mod form;

mod caller;
mod host_error;

mod answer;

mod prompt_host;
mod resource_changes;
mod resource_host;
mod tool_host;

mod served_tool;

mod failure;
mod parked;
mod rounds;
mod running;

mod handler;

mod http;
mod request_guard;

mod tool_server;

pub use self::caller::{Caller, Confirmation, FormReply};
pub use self::host_error::HostError;
pub use self::http::{HttpError, HttpServerOptions, HttpToken};
pub use self::prompt_host::{Prompt, PromptArgument, PromptFuture, PromptHost, PromptMessage, PromptRole};
pub use self::resource_changes::ResourceChanges;
pub use self::resource_host::{
    ReadFuture, Resource, ResourceBody, ResourceContents, ResourceHost, ResourceTemplate,
};
pub use self::tool_host::{CallFuture, ToolHost};
pub use self::tool_server::{ServeError, ToolServer};

// The type of the token that stops a server.
pub use tokio_util::sync::CancellationToken;
