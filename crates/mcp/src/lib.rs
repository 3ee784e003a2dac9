#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "it starts servers, reads named variables and keeps tokens in files"
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod hex;
mod limits;

mod lifecycle;
mod protocol_fault;

mod address;
mod approval;
mod program;
mod server;

mod definition;

mod accepted;

mod pieces;
mod transport;

mod failure;
mod oauth;

mod client;
mod connections;

mod outcome;

mod open_url;

pub use accepted::{AcceptedDefinitions, AcceptedError, AcceptedTools};
pub use address::AddressError;
pub use approval::{Approval, Presence};
pub use client::log::LogLine;
pub use client::resources::{
    Prompt, PromptArgument, PromptMessage, RequestError, Resource, ResourceBody, ResourceContents,
    ResourceTemplate,
};
pub use client::sampling::{Sample, SampleFuture, Sampler, SamplingRefusal, SamplingRequest};
pub use client::trace::TraceSource;
pub use client::{ClientOptions, McpClient, ToolWrapper};
pub use connections::{
    ConnectionOptions, ConnectionsError, Listener, McpConnections, ServerEvent, ServerStatus,
    WeakMcpConnections,
};
pub use definition::{Definition, RefusedTool};
pub use failure::StartError;
pub use lifecycle::Lifecycle;
pub use limits::McpLimits;
pub use oauth::file_tokens::FileTokens;
pub use oauth::login::{LoginError, LoginOptions};
pub use oauth::{ClientKeyError, Enterprise, Grant, SignIn, TokenStore};
pub use open_url::{OpenUrl, UrlRefusal};
pub use server::{McpServer, ServerIdError};
pub use transport::connector::{ConnectFuture, Connector, Pipes};
pub use transport::skipped_messages::SkippedMessages;
