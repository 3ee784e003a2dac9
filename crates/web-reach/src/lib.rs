#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod accept;
mod checked;
#[cfg(feature = "client")]
mod client;
mod dialer;
mod endpoint;
mod reach;
mod redirect_listener;
mod refusal;
mod resolver;
mod web_url;

#[cfg(unix)]
pub use accept::accept_unix;
pub use accept::{accept, listen};
pub use checked::{CheckedAddress, check_addresses};
#[cfg(feature = "client")]
pub use client::{CheckedClient, CheckedResponse, OutgoingRequest, RootError, SendError, TimeLimits};
pub use dialer::{DialFuture, Dialer, TcpDialer};
pub use endpoint::HostPort;
pub use reach::{Reach, Scope};
pub use redirect_listener::RedirectListener;
pub use refusal::ReachError;
pub use resolver::{ResolveFuture, Resolver, SystemResolver};
pub use web_url::{UrlRefusal, WebUrl};
