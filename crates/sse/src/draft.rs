//! The event under construction: lent while it lies in one piece, stored when it does not.

use std::borrow::Cow;

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
    event: Option<String>,
    data: Option<String>,
    /// Emptied buffers, kept so that the next stored event allocates nothing.
    spare: [String; 2],
}

impl Store {
    pub(crate) fn is_empty(&self) -> bool {
        self.event.is_none() && self.data.is_none()
    }

    /// Forgets what is stored and keeps the buffers.
    pub(crate) fn clear(&mut self) {
        let [event, data] = &mut self.spare;
        reclaim(&mut self.event, event);
        reclaim(&mut self.data, data);
    }

    fn put_event(&mut self, text: &str) {
        let [spare, _] = &mut self.spare;
        let buffer = self.event.get_or_insert_with(|| std::mem::take(spare));
        buffer.clear();
        buffer.push_str(text);
    }

    fn add_data(&mut self, text: &str) {
        let [_, spare] = &mut self.spare;
        self.data.get_or_insert_with(|| std::mem::take(spare)).push_str(text);
    }
}

fn reclaim(used: &mut Option<String>, spare: &mut String) {
    if let Some(mut buffer) = used.take() {
        buffer.clear();
        *spare = buffer;
    }
}

/// The event so far, as seen from inside one push.
#[derive(Debug, Default)]
pub(crate) struct Draft<'a> {
    event: Piece<'a>,
    data: Piece<'a>,
}

impl<'a> Draft<'a> {
    /// Goes on with what an earlier push stored.
    pub(crate) fn resume(store: &Store) -> Self {
        let piece = |stored: bool| if stored { Piece::Stored } else { Piece::Absent };
        Self { event: piece(store.event.is_some()), data: piece(store.data.is_some()) }
    }

    /// Takes the event's type; a later `event` field replaces an earlier one.
    pub(crate) fn set_event(&mut self, text: Cow<'a, str>, store: &mut Store) {
        self.event = match text {
            Cow::Borrowed(text) => Piece::Lent(text),
            Cow::Owned(text) => {
                store.put_event(&text);
                Piece::Stored
            }
        };
    }

    /// Takes one more data line.
    pub(crate) fn add_data(&mut self, text: Cow<'a, str>, store: &mut Store) {
        match (self.data, text) {
            (Piece::Absent, Cow::Borrowed(text)) => {
                self.data = Piece::Lent(text);
                return;
            }
            (Piece::Absent, Cow::Owned(text)) => store.add_data(&text),
            (Piece::Lent(first), text) => {
                store.add_data(first);
                store.add_data("\n");
                store.add_data(&text);
            }
            (Piece::Stored, text) => {
                store.add_data("\n");
                store.add_data(&text);
            }
        }
        self.data = Piece::Stored;
    }

    /// How many bytes of data the event has so far, and `None` before its first data line.
    pub(crate) fn data_len(&self, store: &Store) -> Option<usize> {
        self.data(store).map(str::len)
    }

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

    /// The type, which is `message` where none was given or an empty one was.
    pub(crate) fn event<'s>(&self, store: &'s Store) -> &'s str
    where
        'a: 's,
    {
        let given = match self.event {
            Piece::Absent => None,
            Piece::Lent(text) => Some(text),
            Piece::Stored => store.event.as_deref(),
        };
        given.filter(|text| !text.is_empty()).unwrap_or("message")
    }

    /// Puts what is lent into the store, before the bytes that it is lent from go away.
    pub(crate) fn keep(self, store: &mut Store) {
        if let Piece::Lent(text) = self.event {
            store.put_event(text);
        }
        if let Piece::Lent(text) = self.data {
            store.add_data(text);
        }
    }
}
