#![doc = include_str!("../README.md")]

mod edit;
mod find;
mod lines;
mod nearest;
mod replace;
mod set;

pub use edit::EditFile;
pub use set::tools;
