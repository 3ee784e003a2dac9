//! The arguments of a call as JSON while they stream.

#[cfg(feature = "typed")]
use std::any::Any;

use windlass_partial_json::{Error, Event, Parser, Snapshot};
use windlass_tool::GrowingArguments;

#[cfg(feature = "typed")]
use crate::{Mismatch, ToolArgs, TypedPartial};

/// Reads the arguments that [`Tool::on_partial`](windlass_tool::Tool::on_partial) receives: as a JSON snapshot, as
/// events, or as the tool's own type. Text that is not valid JSON ends the reading, and everything before it
/// stays readable.
///
/// ```
/// use windlass_partial_json::Event;
/// use windlass_tool::{GrowingArguments, Progress, ProgressSink};
/// use windlass_tool_args::ReadPartial;
///
/// fn on_partial(show: &mut ProgressSink<'_>, arguments: &mut GrowingArguments) {
///     arguments.drain_events(|event| match event {
///         Event::Grew { path: "/content", text } => show.tell(Progress::Output(text.into())),
///         _ => {}
///     });
/// }
///
/// let mut arguments = GrowingArguments::default();
/// arguments.push(r#"{"content": "a"#);
/// let mut shown = Vec::new();
/// on_partial(&mut ProgressSink::new(&mut |progress| shown.push(progress)), &mut arguments);
/// assert_eq!(shown, [Progress::Output("a".into())]);
/// ```
pub trait ReadPartial {
    /// Returns the parsed JSON in its current state. The cost is linear in the text since the last call.
    fn snapshot(&mut self) -> Snapshot<'_>;

    /// Passes the changes since the last call of this method to `on_event`.
    fn drain_events(&mut self, on_event: impl FnMut(Event<'_>));

    /// Returns the arguments as the tool's own partial struct. The cost is linear in the changes since the
    /// last call.
    #[cfg(feature = "typed")]
    fn typed<T: ToolArgs>(&mut self) -> &T::Growing;

    /// Returns the first values that did not fit the tool's own type, at most 16.
    #[cfg(feature = "typed")]
    fn mismatches<T: ToolArgs>(&mut self) -> &[Mismatch];
}

impl ReadPartial for GrowingArguments {
    fn snapshot(&mut self) -> Snapshot<'_> {
        reader(self).parser.snapshot()
    }

    fn drain_events(&mut self, on_event: impl FnMut(Event<'_>)) {
        reader(self).parser.drain_events(on_event);
    }

    #[cfg(feature = "typed")]
    fn typed<T: ToolArgs>(&mut self) -> &T::Growing {
        reader(self).update::<T>().partial()
    }

    #[cfg(feature = "typed")]
    fn mismatches<T: ToolArgs>(&mut self) -> &[Mismatch] {
        reader(self).update::<T>().mismatches()
    }
}

/// Returns the reader of these arguments, which has parsed all of their text.
fn reader(arguments: &mut GrowingArguments) -> &mut Reader {
    arguments.read_with(|reader: &mut Reader, text| {
        // The parser keeps its error, and everything that it parsed before.
        let _: Result<(), Error> = reader.parser.push(text);
        reader
    })
}

/// The parser of a call's arguments, and the tool's own struct that follows it.
#[derive(Debug, Default)]
struct Reader {
    parser: Parser,
    #[cfg(feature = "typed")]
    typed: Option<Box<dyn Any + Send>>,
}

#[cfg(feature = "typed")]
impl Reader {
    fn update<T: ToolArgs>(&mut self) -> &TypedPartial<T> {
        if !self.typed.as_ref().is_some_and(|typed| typed.is::<TypedPartial<T>>()) {
            self.typed = Some(Box::new(TypedPartial::<T>::default()));
        }
        let typed = self.typed.as_mut().and_then(|typed| typed.downcast_mut::<TypedPartial<T>>());
        let typed = typed.expect("it was made one line above if it was of another type");
        typed.update(self.parser.snapshot());
        typed
    }
}
