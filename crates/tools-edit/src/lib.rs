#![doc = include_str!("../README.md")]

mod edit;
mod find;
mod lines;
mod nearest;
mod replace;

mod apply;
mod commit;
mod named;
mod patch;
mod places;
mod planned;
mod unwrap;

mod diff;
mod set;

pub use apply::ApplyPatch;
pub use edit::EditFile;
pub use set::tools;
