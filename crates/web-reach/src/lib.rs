#![doc = include_str!("../README.md")]

mod accept;
mod checked;
mod dialer;
mod endpoint;
mod reach;
mod refusal;
mod resolver;
mod web_url;

pub use accept::accept;
#[cfg(unix)]
pub use accept::accept_unix;
pub use checked::{Checked, checked};
pub use dialer::{DialFuture, Dialer, TcpDialer};
pub use endpoint::HostPort;
pub use reach::{Reach, Scope};
pub use refusal::ReachError;
pub use resolver::{ResolveFuture, Resolver, SystemResolver};
pub use web_url::{UrlRefusal, WebUrl};
