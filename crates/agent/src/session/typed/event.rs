//! The events of a typed answer.

use windlass_loop::Event;

use super::TypedReport;

/// An event of a [`TypedStream`](crate::TypedStream).
///
/// The events of an answer are any number of `Partial`, `Discarded` and `Correction`, and then exactly one `Answer` or
/// an error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TypedEvent<T> {
    /// An event of the run. A correction is a run of its own, so [`Event::Finished`] can occur more than once.
    Run(Event),
    /// The answer has grown. [`TypedStream::partial`](crate::TypedStream::partial) and
    /// [`TypedStream::node`](crate::TypedStream::node) return it.
    Partial,
    /// The partial answer is void: an attempt was discarded, the model called a tool, another answer follows, or the
    /// text was not JSON. Remove it from the display.
    Discarded,
    /// The answer does not fit and was returned to the model.
    Correction {
        /// The number of the correction, from 1.
        number: u32,
        /// The place and the reason, as the model reads them.
        problem: String,
        /// The text that does not fit.
        text: String,
    },
    /// The answer. It is the last event.
    Answer(Box<TypedReport<T>>),
}
