#![doc = include_str!("../README.md")]

mod body;
mod checked;
mod dialer;
mod error;
mod exchange;
mod fetch;
mod limits;
mod markdown;
mod media;
mod page;
mod reach;
mod report;
mod resolver;
mod set;
mod tls;
mod web_fetch;
mod web_url;

pub use checked::Checked;
pub use dialer::{DialFuture, Dialer, TcpDialer};
pub use error::FetchError;
pub use fetch::Fetch;
pub use limits::Limits;
pub use markdown::{Rendered, Style, render};
pub use media::Media;
pub use page::{Ending, Fetched, Page, Redirect};
pub use resolver::{ResolveFuture, Resolver, SystemResolver};
pub use set::tools;
pub use web_fetch::WebFetch;
pub use web_url::{UrlRefusal, WebUrl};
