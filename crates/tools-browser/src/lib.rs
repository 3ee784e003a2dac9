#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "a browser's profile folder is made, and removed, outside of any workspace"
)]

mod action;
mod address;
mod browser;
mod browser_action;
mod devtools;
mod gate;
mod keys;
mod limits;
mod outward;
mod process;
mod program;
mod proxy;
mod reach;
mod refusal;
mod report;
mod session;
mod set;
mod sight;
mod steps;
mod switches;
mod view;

pub use address::UrlRefusal;
pub use browser::Browser;
pub use browser_action::BrowserAction;
pub use limits::Limits;
pub use outward::{Checked, DialFuture, Dialer, ResolveFuture, Resolver, SystemResolver, TcpDialer};
pub use refusal::Refusal;
pub use set::{tools, tools_with};
