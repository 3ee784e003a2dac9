//! Tests of the public interface.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes texts with hashes")]

mod call;
mod card;
mod code;

mod diff;
mod growth;
mod markdown;
mod safe;
mod status;
mod terminal;
mod theme;
mod width;
