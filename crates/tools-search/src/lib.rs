#![doc = include_str!("../README.md")]

mod collect;
mod grep;
mod pattern;
mod search;
mod set;
mod show;

pub use grep::GrepFile;
pub use set::tools;
