//! Readers of a call after its beginning, one for each kind of body.

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

/// What a reader reads from.
#[derive(Clone, Copy)]
pub(crate) struct Input<'t, 'o> {
    pub(crate) text: &'t str,
    pub(crate) ended: bool,
    pub(crate) tools: &'o Tools,
}

/// How far a reader came.
#[derive(Debug)]
pub(crate) enum Progress {
    /// It took so many bytes and wants more text.
    More(usize),
    /// It took so many bytes, and the call is over.
    Done(usize),
    /// It took so many bytes, and there was no call: this is what it held.
    Release(usize, String),
}

/// A reader of one of the kinds.
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

    /// What is held of something that may still have become a call, at the end of the text.
    pub(crate) fn into_held(self) -> String {
        match self {
            Self::Envelope(reader) => reader.into_held(),
            _ => String::new(),
        }
    }
}
