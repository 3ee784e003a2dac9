//! Pages of the list of sessions.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::record::SessionRecord;
use crate::error::{AppError, ErrorKind};

/// Number of sessions of a page without another limit.
const DEFAULT_LIMIT: usize = 100;
/// Largest number of sessions of a page.
const MAX_LIMIT: usize = 1_000;

/// Request for a page of sessions.
///
/// ```
/// use windlass_app::sessions::PageRequest;
///
/// let request = PageRequest::new(50).in_folder("/home/me/project").starting_after("1790000000000.1790000000-3f9a12bc".parse()?);
/// # Ok::<(), windlass_app::AppError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    limit: usize,
    after: Option<SessionPlace>,
    folder: Option<PathBuf>,
}

/// Page of the list of sessions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SessionPage {
    /// The sessions, the one that changed last first.
    pub records: Vec<SessionRecord>,
    /// The place after which the next page begins; `None` after the last page.
    pub next: Option<SessionPlace>,
}

/// Place in the list of sessions: the time of a session's last change, and its id. Its text is a cursor for clients.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct SessionPlace {
    /// Time of the last change, in milliseconds since 1970.
    pub changed_ms: u64,
    /// Id of the session.
    pub id: String,
}

impl PageRequest {
    /// Creates a request for the first sessions, between one and 1,000.
    pub fn new(limit: usize) -> Self {
        Self { limit: limit.clamp(1, MAX_LIMIT), after: None, folder: None }
    }

    /// Requests the sessions after a place: the next page.
    pub fn starting_after(self, place: SessionPlace) -> Self {
        Self { after: Some(place), ..self }
    }

    /// Requests only the sessions that work in a folder. The store reads the other ones, too.
    pub fn in_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), ..self }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn place(&self) -> Option<&SessionPlace> {
        self.after.as_ref()
    }

    pub(super) fn accepts(&self, record: &SessionRecord) -> bool {
        self.folder.as_ref().is_none_or(|folder| record.root == *folder)
    }
}

impl Default for PageRequest {
    fn default() -> Self {
        Self::new(DEFAULT_LIMIT)
    }
}

impl From<&SessionRecord> for SessionPlace {
    fn from(record: &SessionRecord) -> Self {
        Self { changed_ms: record.updated_ms, id: record.id.clone() }
    }
}

impl fmt::Display for SessionPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.changed_ms, self.id)
    }
}

impl FromStr for SessionPlace {
    type Err = AppError;

    fn from_str(text: &str) -> Result<Self, AppError> {
        let parts = text.split_once('.').and_then(|(time, id)| Some((time.parse().ok()?, id)));
        match parts {
            Some((changed_ms, id)) if !id.is_empty() => Ok(Self { changed_ms, id: id.to_owned() }),
            _ => Err(AppError::new(
                ErrorKind::Invalid,
                format!("{text:?} is not a place in the list of sessions"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PageRequest, SessionPlace};

    #[test]
    fn a_place_is_read_from_its_text() {
        let place = SessionPlace { changed_ms: 5, id: "1-a".to_owned() };
        assert_eq!(place.to_string().parse::<SessionPlace>().unwrap(), place);
        for wrong in ["", "5", "5.", ".1-a", "x.1-a", "-5.1-a"] {
            assert!(wrong.parse::<SessionPlace>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_page_is_bounded() {
        assert_eq!((PageRequest::new(0).limit(), PageRequest::new(usize::MAX).limit()), (1, 1_000));
    }
}
