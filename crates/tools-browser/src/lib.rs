#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "a browser's profile folder is made, and removed, outside of any workspace"
)]

mod action;
mod browser;
mod browser_action;
mod devtools;
mod gate;
mod keys;
mod limits;
mod process;
mod profile;
mod program;
mod proxy;
mod report;
mod session;
mod set;
mod sight;
mod steps;
mod switches;
mod view;

pub use browser::Browser;
pub use browser_action::BrowserAction;
pub use limits::Limits;
pub use profile::remove_stale_profiles;
pub use set::{tools, tools_with};
pub use windlass_web_reach::{
    Checked, DialFuture, Dialer, ReachError, ResolveFuture, Resolver, SystemResolver, TcpDialer, UrlRefusal,
};
