//! URLs, by what they mean.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod web_url;
