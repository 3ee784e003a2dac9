//! The event under construction: lent while it lies in one piece, stored when it does not.

/// A text that is absent, lent from the bytes at hand, or kept in the [`Store`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Piece<'a> {
    #[default]
    Absent,
    Lent(&'a str),
    Stored,
}

/// What outlives a push: the parts of an event that does not end in the bytes it began in.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// The type that was given last. The next event often has the same, so it outlives its event.
    event: String,
    /// Whether it was given for the event under construction.
    is_named: bool,
    data: Option<String>,
    /// An emptied buffer, kept so that the next stored event allocates nothing.
    spare: String,
}

impl Store {
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_named && self.data.is_none()
    }

    /// Forgets what is stored and keeps the buffers.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.is_named = false;
        if let Some(mut buffer) = self.data.take() {
            buffer.clear();
            self.spare = buffer;
        }
    }

    /// Takes the event's type; a later `event` field replaces an earlier one.
    #[inline]
    pub(crate) fn set_event(&mut self, name: &[u8]) {
        if self.event.as_bytes() != name {
            self.event.clear();
            self.event.push_str(&String::from_utf8_lossy(name));
        }
        self.is_named = true;
    }

    /// The type, which is `message` where none was given or an empty one was.
    #[inline]
    pub(crate) fn event(&self) -> &str {
        if self.is_named && !self.event.is_empty() { &self.event } else { "message" }
    }

    fn add_data(&mut self, text: &str) {
        let spare = &mut self.spare;
        self.data.get_or_insert_with(|| std::mem::take(spare)).push_str(text);
    }
}

/// The data so far, as seen from inside one push.
#[derive(Debug, Default)]
pub(crate) struct Draft<'a> {
    data: Piece<'a>,
}

impl<'a> Draft<'a> {
    /// Goes on with what an earlier push stored.
    pub(crate) fn resume(store: &Store) -> Self {
        Self { data: if store.data.is_some() { Piece::Stored } else { Piece::Absent } }
    }

    /// Whether there was no data line yet.
    #[inline]
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self.data, Piece::Absent)
    }

    /// Takes the first data line.
    #[inline]
    pub(crate) fn lend(&mut self, text: &'a str) {
        self.data = Piece::Lent(text);
    }

    /// Takes one more data line and stores the event so far.
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

    /// Puts what is lent into the store, before the bytes that it is lent from go away.
    pub(crate) fn keep(self, store: &mut Store) {
        if let Piece::Lent(text) = self.data {
            store.add_data(text);
        }
    }
}
