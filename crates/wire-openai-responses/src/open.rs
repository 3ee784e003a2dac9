//! The open items of a response, found by the id or the index in an event.

use std::collections::{BTreeMap, HashMap};

use crate::item::OpenItem;

/// The reference of an event to its item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The item's id, or an empty string. Copilot sends a new id for the same item in each event.
    pub(crate) id: &'a str,
    /// The item's index in the output.
    pub(crate) index: Option<u64>,
}

/// The open items, in the order in which they started.
#[derive(Debug, Default)]
pub(crate) struct OpenItems {
    items: BTreeMap<u64, Entry>,
    by_id: HashMap<String, u64>,
    by_index: BTreeMap<u64, u64>,
}

#[derive(Debug)]
struct Entry {
    id: String,
    index: Option<u64>,
    item: OpenItem,
}

impl OpenItems {
    /// Adds an open item in a slot of its own.
    pub(crate) fn insert(&mut self, slot: u64, place: Place<'_>, item: OpenItem) {
        if !place.id.is_empty() {
            self.by_id.insert(place.id.to_owned(), slot);
        }
        if let Some(index) = place.index {
            self.by_index.insert(index, slot);
        }
        self.items.insert(slot, Entry { id: place.id.to_owned(), index: place.index, item });
    }

    /// Returns the slot of the item that an event refers to. A known id takes precedence over the index; an
    /// event with neither refers to the last open item (RULES S2).
    pub(crate) fn find(&self, place: Place<'_>) -> Option<u64> {
        self.by_id.get(place.id).copied().or_else(|| match place.index {
            Some(index) => self.at(index),
            None => self.items.keys().next_back().copied(),
        })
    }

    /// Returns the slot of the open item at this index of the output.
    pub(crate) fn at(&self, index: u64) -> Option<u64> {
        self.by_index.get(&index).copied()
    }

    pub(crate) fn get_mut(&mut self, slot: u64) -> Option<&mut OpenItem> {
        self.items.get_mut(&slot).map(|entry| &mut entry.item)
    }

    /// Removes an item and its references.
    pub(crate) fn remove(&mut self, slot: u64) -> Option<OpenItem> {
        let Entry { id, index, item } = self.items.remove(&slot)?;
        if self.by_id.get(&id) == Some(&slot) {
            self.by_id.remove(&id);
        }
        if let Some(index) = index.filter(|index| self.by_index.get(index) == Some(&slot)) {
            self.by_index.remove(&index);
        }
        Some(item)
    }

    /// Removes all items, in the order of their slots.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = OpenItem> + use<> {
        let Self { items, .. } = std::mem::take(self);
        items.into_values().map(|entry| entry.item)
    }
}
