#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod compare;
mod effort;
mod lines;
mod nearest;
mod places;

mod edit;
mod find;
mod lone;
mod replace;

mod apply;
mod commit;
mod joined;
mod named;
mod patch;
mod planned;
mod unwrap;

mod apply_diff;
mod blocks;

mod set;

pub use apply::ApplyPatch;
pub use apply_diff::ApplyDiff;
pub use edit::EditFile;
pub use set::tools;
