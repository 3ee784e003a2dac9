//! The context of a call, the token that cancels it, and the conversions of results.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod arc_tool;
#[cfg(feature = "blocking")]
mod blocking;
mod cancellation;
#[cfg(feature = "redact")]
mod context;
mod conversions;
mod kit;
