//! The lines of a stream off the fast path: rare fields, and data that cannot be borrowed.

use super::{BYTE_ORDER_MARK, Parser};
use crate::draft::Draft;
use crate::line::{Line, milliseconds};
use crate::text::decode;
use crate::{Error, ErrorKind, Signal};

impl Parser {
    /// Handles a line with any field.
    #[inline(never)]
    pub(super) fn take_field<'a>(
        &mut self,
        line: &'a [u8],
        draft: &mut Draft<'a>,
        on_signal: &mut dyn FnMut(Signal<'_>),
    ) -> Result<(), Error> {
        let line = if self.after_first_line {
            line
        } else {
            self.after_first_line = true;
            line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
        };
        match Line::read(line) {
            Line::Data(value) => self.take_data(decode(value), draft)?,
            Line::Blank => self.dispatch(draft, on_signal),
            Line::Event(value) => self.store.set_event(value),
            Line::Comment(value) => on_signal(Signal::Comment(&decode(value))),
            Line::Id(value) => self.id.set_buffer(value),
            Line::Retry(value) => {
                if let Some(wait) = milliseconds(value) {
                    self.retry = Some(wait);
                    on_signal(Signal::Retry(wait));
                }
            }
            Line::Unknown => {}
        }
        Ok(())
    }

    /// Stores a data line that cannot be borrowed: the event has several data lines, or the line is not valid
    /// UTF-8.
    #[inline(never)]
    pub(super) fn add_data(&mut self, text: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
        let length = match draft.data(&self.store) {
            None => text.len(),
            Some(before) => before.len().saturating_add(1).saturating_add(text.len()),
        };
        if length > self.limits.event_bytes {
            return Err(Error::new(ErrorKind::EventTooLong, self.line_start));
        }
        draft.add_data(text, &mut self.store);
        Ok(())
    }
}
