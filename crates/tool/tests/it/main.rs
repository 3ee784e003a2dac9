//! The context of a call, and the token that cancels it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[cfg(feature = "blocking")]
mod blocking;
mod cancellation;
#[cfg(feature = "redact")]
mod context;
