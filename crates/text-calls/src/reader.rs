//! Readers of the body of a call, one for each kind of body.

mod arguments;
mod code;
mod envelope;
mod tags;
mod tree;
mod value;

pub(crate) use self::arguments::ArgumentsReader;
pub(crate) use self::code::{CodeReader, LiteralReader};
pub(crate) use self::envelope::EnvelopeReader;
pub(crate) use self::tags::TagsReader;

use crate::emit::Sink;
use crate::tools::Tools;

/// The input of a reader.
#[derive(Clone, Copy)]
pub(crate) struct Input<'t, 'o> {
    pub(crate) text: &'t str,
    pub(crate) ended: bool,
    pub(crate) tools: &'o Tools,
}

/// The progress of a reader.
#[derive(Debug)]
pub(crate) enum Progress {
    /// Consumed this many bytes and needs more text.
    More(usize),
    /// Consumed this many bytes, and the call has ended.
    Done(usize),
    /// Consumed this many bytes and found that they are not a call; the string is the held text.
    Release(usize, String),
}

/// A reader of one kind of body.
#[derive(Debug)]
pub(crate) enum Reader {
    Arguments(ArgumentsReader),
    Tags(Box<TagsReader>),
    Code(CodeReader),
    Literal(LiteralReader),
    Envelope(Box<EnvelopeReader>),
}

impl Reader {
    pub(crate) fn read(&mut self, input: Input<'_, '_>, sink: &mut Sink<'_>) -> Progress {
        match self {
            Self::Arguments(reader) => reader.read(input, sink),
            Self::Tags(reader) => reader.read(input, sink),
            Self::Code(reader) => reader.read(input, sink),
            Self::Literal(reader) => reader.read(input, sink),
            Self::Envelope(reader) => reader.read(input, sink),
        }
    }

    /// Returns the text that was held back for a possible call, at the end of the text.
    pub(crate) fn into_held(self) -> String {
        match self {
            Self::Envelope(reader) => reader.into_held(),
            _ => String::new(),
        }
    }
}
