//! Checks the structure of the guide: its table of contents, its links and the sections of its pages.

mod cassette;
mod structure;
