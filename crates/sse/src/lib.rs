#![doc = include_str!("../README.md")]
#![no_std]
#![warn(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod limits;

mod error;

mod event;

mod parser;

mod draft;
mod last_event_id;

mod line;
mod text;

pub use error::{Error, ErrorKind};
pub use event::{Ending, Event, Signal};
pub use limits::SseLimits;
pub use parser::Parser;
