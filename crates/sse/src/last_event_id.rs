//! The id of the last event of a stream.

use alloc::string::String;

/// WHATWG's last event ID buffer and last event ID string, which a blank line updates from the buffer.
#[derive(Debug, Default)]
pub(crate) struct LastEventId {
    buffer: String,
    id: String,
    has_changed: bool,
}

impl LastEventId {
    pub(crate) fn as_str(&self) -> &str {
        &self.id
    }

    /// Stores the value of an `id` field. A value with a null character is ignored.
    pub(crate) fn set_buffer(&mut self, value: &[u8]) {
        if memchr::memchr(0, value).is_none() {
            self.buffer.clear();
            self.buffer.push_str(&String::from_utf8_lossy(value));
            self.has_changed = true;
        }
    }

    #[inline]
    pub(crate) fn update(&mut self) {
        if self.has_changed {
            self.id.clone_from(&self.buffer);
            self.has_changed = false;
        }
    }
}
