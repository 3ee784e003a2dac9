#![doc = include_str!("../README.md")]
#![expect(clippy::disallowed_methods, reason = "a browser's profile folder is outside of any workspace")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(unix))]
compile_error!("windlass-tools-browser needs Unix: leave the feature `browser` out on other systems");

#[cfg(unix)]
mod action;
#[cfg(unix)]
mod browser;
#[cfg(unix)]
mod browser_action;
#[cfg(unix)]
mod devtools;
#[cfg(unix)]
mod gate;
#[cfg(unix)]
mod keys;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod profile;
#[cfg(unix)]
mod program;
#[cfg(unix)]
mod proxy;
#[cfg(unix)]
mod report;
#[cfg(unix)]
mod session;
#[cfg(unix)]
mod set;
#[cfg(unix)]
mod sight;
#[cfg(unix)]
mod steps;
#[cfg(unix)]
mod switches;
#[cfg(unix)]
mod view;

#[cfg(unix)]
pub use browser::Browser;
#[cfg(unix)]
pub use browser_action::BrowserAction;
#[cfg(unix)]
pub use limits::BrowserLimits;
#[cfg(unix)]
pub use profile::remove_stale_profiles;
#[cfg(unix)]
pub use set::{tools, tools_with};
#[cfg(unix)]
pub use windlass_web_reach::{
    CheckedAddress, DialFuture, Dialer, ReachError, ResolveFuture, Resolver, SystemResolver, TcpDialer,
    UrlRefusal,
};
