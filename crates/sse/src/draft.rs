//! The event under construction: borrowed while it is contiguous, stored otherwise.

use alloc::string::String;

/// A text that is absent, borrowed from the current bytes, or kept in the [`Store`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Piece<'a> {
    #[default]
    Absent,
    Lent(&'a str),
    Stored,
}

/// The state between pushes: the parts of an event that does not end in the chunk in which it began.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// WHATWG's event type buffer. It is kept after its event, because the next event often has the same
    /// type.
    event: String,
    /// True if the current event has set its type.
    is_named: bool,
    data: Option<String>,
    /// An empty buffer that the next stored event reuses, to avoid an allocation.
    spare: String,
}

impl Store {
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_named && self.data.is_none()
    }

    /// Discards the stored event but keeps the buffers.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.is_named = false;
        if let Some(mut buffer) = self.data.take() {
            buffer.clear();
            self.spare = buffer;
        }
    }

    /// Sets the event's type; a later `event` field replaces an earlier one.
    #[inline]
    pub(crate) fn set_event(&mut self, name: &[u8]) {
        if self.event.as_bytes() != name {
            self.event.clear();
            self.event.push_str(&String::from_utf8_lossy(name));
        }
        self.is_named = true;
    }

    /// Returns the type, which is `message` if the event has not set one or has set an empty one.
    #[inline]
    pub(crate) fn event(&self) -> &str {
        if self.is_named && !self.event.is_empty() { &self.event } else { "message" }
    }

    fn add_data(&mut self, text: &str) {
        let spare = &mut self.spare;
        self.data.get_or_insert_with(|| core::mem::take(spare)).push_str(text);
    }
}

/// The data buffer of the current event during one push.
#[derive(Debug, Default)]
pub(crate) struct Draft<'a> {
    data: Piece<'a>,
}

impl<'a> Draft<'a> {
    /// Continues the event that an earlier push stored.
    pub(crate) fn resume(store: &Store) -> Self {
        Self { data: if store.data.is_some() { Piece::Stored } else { Piece::Absent } }
    }

    /// Returns whether the event has no data line yet.
    #[inline]
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self.data, Piece::Absent)
    }

    /// Sets the first data line.
    #[inline]
    pub(crate) fn lend(&mut self, text: &'a str) {
        self.data = Piece::Lent(text);
    }

    /// Appends a further data line and moves the data into the store.
    pub(crate) fn add_data(&mut self, text: &str, store: &mut Store) {
        if let Piece::Lent(first) = self.data {
            store.add_data(first);
        }
        if !self.is_absent() {
            store.add_data("\n");
        }
        store.add_data(text);
        self.data = Piece::Stored;
    }

    #[inline]
    pub(crate) fn data<'s>(&self, store: &'s Store) -> Option<&'s str>
    where
        'a: 's,
    {
        match self.data {
            Piece::Absent => None,
            Piece::Lent(text) => Some(text),
            Piece::Stored => store.data.as_deref(),
        }
    }

    /// Copies borrowed data into the store, before the bytes are released.
    pub(crate) fn keep(self, store: &mut Store) {
        if let Piece::Lent(text) = self.data {
            store.add_data(text);
        }
    }
}
