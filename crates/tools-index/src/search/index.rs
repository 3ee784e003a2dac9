//! The index on disk: immutable segments with posting lists, and a manifest that names the current ones.
//!
//! A commit writes new segments, then replaces the manifest by a rename, so a crash leaves the last commit.
//! One process writes at a time, under the lock of the folder; readers need no lock.

mod builder;
mod encoding;
mod field;
mod manifest;
mod merge;
mod part;
mod postings;
mod rows;
mod segment;
mod segment_writer;

pub(super) use self::builder::{Builder, Piece};
pub(super) use self::field::Field;
pub(super) use self::manifest::{Manifest, SegmentRecord};
pub(super) use self::merge::compact;
pub(super) use self::part::{Part, mark_removed};
pub(super) use self::postings::Postings;
pub(super) use self::rows::Stamp;
pub(super) use self::segment::Segment;
