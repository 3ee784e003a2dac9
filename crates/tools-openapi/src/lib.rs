#![doc = include_str!("../README.md")]

mod answer;
mod argument_schema;
mod body;
mod builder;
mod client;
mod credentials;
mod document;
mod encode;
mod error;
mod json;
mod limits;
mod method;
mod naming;
mod node;
mod operation;
mod parameter;
mod path_glob;
mod path_template;
mod plan;
mod report;
mod schema_writer;
mod security;
mod selection;
mod servers;
mod text;
mod tool;
mod tools;
mod yaml;

pub use builder::OperationToolsBuilder;
pub use credentials::CredentialSource;
pub use document::{OpenApi, OperationSummary};
pub use error::OpenApiError;
pub use limits::OpenApiLimits;
pub use method::Method;
pub use tools::{OperationTools, RefusedOperation};
pub use windlass_web_reach::{
    CheckedAddress, DialFuture, Dialer, ReachError, ResolveFuture, Resolver, RootError, SystemResolver,
    TcpDialer, UrlRefusal, WebUrl,
};
