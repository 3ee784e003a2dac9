//! `List`: the markers of items.

/// A list that is open.
#[derive(Debug)]
pub(crate) struct List {
    /// The next item's number, if they have any.
    pub(crate) number: Option<u32>,
}

impl List {
    /// The next item's marker, and spaces of its width.
    pub(crate) fn next(&mut self) -> (String, &'static str) {
        let Some(number) = &mut self.number else { return ("- ".to_owned(), "  ") };
        let marker = format!("{number}. ");
        *number = number.saturating_add(1);
        let width = if marker.len() > 3 { "    " } else { "   " };
        (marker, width)
    }
}
