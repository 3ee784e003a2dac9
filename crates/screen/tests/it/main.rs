//! Tests of the public interface.

mod call;
mod card;
mod code;
mod common;
mod diff;
mod growth;
mod markdown;
mod safe;
mod status;
mod theme;
mod width;
