//! The conversation and its compaction.

pub(crate) mod compaction;
mod images;
