#![doc = include_str!("../README.md")]

mod limits;
mod server;

mod definition;

mod accepted;

mod frames;
mod message;
mod scan;

mod child;
mod connector;

mod ask;
mod connection;
mod failure;
mod noise;

mod catalogue;
mod greeting;
mod pieces;

mod client;

mod outcome;
mod tool;

mod open_url;

mod serve;

pub use accepted::{Accepted, AcceptedError, AcceptedTools};
pub use client::{ClientOptions, McpClient};
pub use connector::{ConnectFuture, Connector, Pipes};
pub use definition::{Definition, RefusedTool};
pub use failure::StartError;
pub use limits::Limits;
pub use noise::Noise;
pub use open_url::{OpenUrl, UrlRefusal};
pub use serve::{
    CallFuture, Caller, Calls, Confirmation, HttpOptions, HttpToken, OpenDoor, ServeError, ToolServer,
};
pub use server::{McpServer, ServerIdError};
