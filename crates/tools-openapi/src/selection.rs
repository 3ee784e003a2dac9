//! The operations that become tools.

use std::collections::BTreeSet;

use crate::document::Entry;
use crate::path_glob;
use crate::text::one_line;
use crate::{Method, OpenApi, OpenApiError};

/// Maximum number of operations by default.
const MAX_OPERATIONS: usize = 64;

/// The criteria of the program. An operation must fit each criterion that has values.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub(crate) ids: BTreeSet<String>,
    pub(crate) tags: BTreeSet<String>,
    pub(crate) paths: Vec<String>,
    pub(crate) methods: BTreeSet<Method>,
    pub(crate) max: usize,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            ids: BTreeSet::new(),
            tags: BTreeSet::new(),
            paths: Vec::new(),
            methods: [Method::Get, Method::Head].into(),
            max: MAX_OPERATIONS,
        }
    }
}

impl Selection {
    /// Returns the selected operations in the order of the document.
    ///
    /// # Errors
    /// If an id is unknown, no operation is selected, or too many are.
    pub(crate) fn select<'a>(&self, api: &'a OpenApi) -> Result<Vec<Entry<'a>>, OpenApiError> {
        let entries = api.entries()?;
        let total = entries.len();
        let known: BTreeSet<&str> = entries.iter().filter_map(Entry::id).collect();
        if let Some(id) = self.ids.iter().find(|id| !known.contains(id.as_str())) {
            return Err(OpenApiError::UnknownOperation { id: one_line(id, 100) });
        }
        let mut selected = Vec::new();
        for entry in entries.into_iter().filter(|entry| self.fits(entry)) {
            if self.methods.contains(&entry.method) {
                selected.push(entry);
            } else if let Some(id) = entry.id().filter(|id| self.ids.contains(*id)) {
                return Err(OpenApiError::UnselectedMethod { id: one_line(id, 100), method: entry.method });
            }
        }
        match selected.len() {
            0 => Err(OpenApiError::NoOperation { total }),
            count if count > self.max => {
                Err(OpenApiError::TooManyOperations { selected: count, limit: self.max })
            }
            _ => Ok(selected),
        }
    }

    fn fits(&self, entry: &Entry<'_>) -> bool {
        let has_id = self.ids.is_empty() || entry.id().is_some_and(|id| self.ids.contains(id));
        let has_tag = self.tags.is_empty() || entry.tags().any(|tag| self.tags.contains(tag));
        let has_path =
            self.paths.is_empty() || self.paths.iter().any(|glob| path_glob::matches(glob, entry.path));
        has_id && has_tag && has_path
    }
}
