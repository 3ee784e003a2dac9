#![doc = include_str!("../README.md")]

mod collect;
mod grep;
mod search;
mod set;

pub use grep::GrepFile;
pub use set::tools;
