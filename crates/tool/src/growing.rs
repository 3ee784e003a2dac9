//! Arguments of one call while they stream.

use std::any::Any;

/// The arguments of one call while they stream, for [`Tool::on_partial`](crate::Tool::on_partial).
///
/// The value holds the text that the tool has not read yet, and the tool's own reader. `windlass-tool-args`
/// reads it as a JSON snapshot, as events, or as the tool's own type (its trait `ReadPartial`).
///
/// ```
/// use windlass_tool::GrowingArguments;
///
/// /// Counts the bytes of the arguments.
/// #[derive(Default)]
/// struct Count(usize);
///
/// let mut arguments = GrowingArguments::default();
/// for delta in [r#"{"path": "#, r#""a.rs"}"#] {
///     arguments.push(delta);
///     arguments.read_with(|count: &mut Count, text| count.0 += text.len());
/// }
/// assert_eq!(arguments.read_with(|count: &mut Count, _| count.0), 16);
/// ```
#[derive(Debug, Default)]
pub struct GrowingArguments {
    /// Text that no reader has seen.
    unread: String,
    reader: Option<Box<dyn Any + Send>>,
    ignored: bool,
}

impl GrowingArguments {
    /// Appends the next chunk. Does nothing if the tool ignores the arguments.
    pub fn push(&mut self, delta: &str) {
        if !self.ignored {
            self.unread.push_str(delta);
        }
    }

    /// Discards the arguments and ignores all later chunks of this call.
    pub fn ignore(&mut self) {
        *self = Self { ignored: true, ..Self::default() };
    }

    /// Returns whether the tool ignores the arguments of this call.
    pub fn is_ignored(&self) -> bool {
        self.ignored
    }

    /// Passes the text since the last call of this method to `read`, together with a reader that is created at
    /// the first call and kept until the last. All calls should use the same type of reader: another type
    /// replaces the reader, and does not see the text that the replaced one has read.
    ///
    /// # Panics
    /// Does not panic: a reader of another type is replaced before it is used.
    pub fn read_with<'a, R: Any + Send + Default, T>(
        &'a mut self,
        read: impl FnOnce(&'a mut R, &str) -> T,
    ) -> T {
        if !self.reader.as_ref().is_some_and(|reader| reader.is::<R>()) {
            self.reader = Some(Box::new(R::default()));
        }
        let reader = self.reader.as_mut().and_then(|reader| reader.downcast_mut::<R>());
        let reader = reader.expect("it was made above if it was of another type");
        let output = read(reader, &self.unread);
        self.unread.clear();
        output
    }
}
