//! Paths of values in a call's arguments, and the paths that may be changed.

use std::collections::BTreeMap;

use super::MAX_PATH_BYTES;

/// The paths at, around and inside which values may be changed, as a tree of their escaped names.
#[derive(Debug, Default)]
pub(super) struct WrongPaths {
    /// True if this path itself is wrong, so that everything inside it may be changed.
    is_end: bool,
    inner: BTreeMap<String, Self>,
}

impl WrongPaths {
    /// Permits changes of every value.
    pub(super) fn everywhere() -> Self {
        Self { is_end: true, inner: BTreeMap::new() }
    }

    /// Returns true if no value may be changed.
    pub(super) fn is_nowhere(&self) -> bool {
        !self.is_end && self.inner.is_empty()
    }

    /// Permits changes at, around and inside these JSON Pointers. Longer ones than a coerced value can have are left out.
    pub(super) fn from_paths(paths: &[String]) -> Self {
        let mut root = Self::default();
        for path in paths.iter().filter(|path| path.len() <= MAX_PATH_BYTES) {
            let mut at = &mut root;
            for name in path.split('/').skip(1) {
                at = at.inner.entry(name.to_owned()).or_default();
            }
            at.is_end = true;
        }
        root
    }
}

/// A value's path, and the wrong paths around and inside it.
#[derive(Debug)]
pub(super) struct Place<'w> {
    path: String,
    wrong: &'w WrongPaths,
}

impl<'w> Place<'w> {
    pub(super) fn root(wrong: &'w WrongPaths) -> Self {
        Self { path: String::new(), wrong }
    }

    /// Returns the path as a JSON Pointer.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the place of a member or an item, or `None` if nothing there may be changed.
    pub(super) fn member(&self, name: &str) -> Option<Self> {
        if self.path.len().saturating_add(name.len()) >= MAX_PATH_BYTES {
            return None;
        }
        let name = name.replace('~', "~0").replace('/', "~1");
        let wrong = if self.wrong.is_end { self.wrong } else { self.wrong.inner.get(&name)? };
        Some(Self { path: format!("{}/{name}", self.path), wrong })
    }
}
