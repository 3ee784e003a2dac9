#![doc = include_str!("../README.md")]
#![no_std]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod limits;

mod error;

mod document;

mod snapshot;

mod node;

mod value;

mod serialize;

mod deserialize;

mod event;

mod steps;

mod parser;

mod push;

mod structure;

mod string;

mod escape;

mod scan;

mod number;

mod cursor;

mod keys;

mod utf8;

mod repair;

pub use deserialize::DeserializeError;
pub use error::{Error, ErrorKind};
pub use event::Event;
pub use limits::JsonLimits;
pub use node::{Completeness, Elements, Kind, Members, Node};
pub use parser::Parser;
pub use repair::{Repair, RepairKind, RepairedText, repair};
pub use snapshot::{PendingKey, Snapshot, Status};
pub use steps::{Bookmark, JsonChange, NestedChange, Steps};
