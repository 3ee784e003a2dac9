//! `List`: markers of list items.

/// An open list.
#[derive(Debug)]
pub(crate) struct List {
    /// Number of the next item; `None` for an unordered list.
    pub(crate) number: Option<u32>,
}

impl List {
    /// Returns the next item's marker and an indent of the same width.
    pub(crate) fn next(&mut self) -> (String, &'static str) {
        let Some(number) = &mut self.number else { return ("- ".to_owned(), "  ") };
        let marker = format!("{number}. ");
        *number = number.saturating_add(1);
        let width = if marker.len() > 3 { "    " } else { "   " };
        (marker, width)
    }
}
