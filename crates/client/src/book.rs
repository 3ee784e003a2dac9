//! The JSON document that stores facts about models.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::{Fact, Listing, Storage};

/// Version of the document. A document of a newer version is neither read nor overwritten.
const VERSION: u32 = 1;

/// Lifetime of a learned refusal: servers are reconfigured and models gain abilities.
const BELIEVED: Duration = Duration::from_hours(7 * 24);

/// The stored document.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Book {
    version: u32,
    /// Keyed by provider, then by model.
    #[serde(default)]
    pub(crate) facts: BTreeMap<String, BTreeMap<String, Vec<Fact>>>,
    /// Keyed by provider.
    #[serde(default)]
    pub(crate) listings: BTreeMap<String, Listing>,
}

impl Book {
    /// Drops expired facts.
    pub(crate) fn clean(&mut self, now: u64) {
        self.version = VERSION;
        for models in self.facts.values_mut() {
            for facts in models.values_mut() {
                facts.retain(|fact| is_believed(fact, now));
            }
            models.retain(|_, facts| !facts.is_empty());
        }
        self.facts.retain(|_, models| !models.is_empty());
    }
}

/// Permission to overwrite the stored document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    Allowed,
    /// The document is of a newer version or cannot be read, and overwriting would lose it.
    Forbidden,
}

/// Returns the stored document, the permission to overwrite it and a description of the problem, if any. A
/// document that cannot be parsed is set aside under the lock, after a second read under that lock has
/// confirmed it.
pub(crate) fn read(storage: &dyn Storage) -> (Option<Book>, Writing, Option<String>) {
    match look(storage) {
        Look::Read(book, writing, trouble) => (book, writing, trouble),
        Look::Broken(broken) => match storage.lock() {
            Ok(_lock) => read_locked(storage),
            Err(error) => {
                let trouble =
                    format!("what was learned cannot be understood ({broken}), nor set aside: {error}");
                (None, Writing::Forbidden, Some(trouble))
            }
        },
    }
}

/// Like [`read`], for a caller that holds the lock.
pub(crate) fn read_locked(storage: &dyn Storage) -> (Option<Book>, Writing, Option<String>) {
    let broken = match look(storage) {
        Look::Read(book, writing, trouble) => return (book, writing, trouble),
        Look::Broken(broken) => broken,
    };
    match storage.set_aside() {
        Ok(()) => {
            let trouble = format!("what was learned cannot be understood ({broken}), and was set aside");
            (None, Writing::Allowed, Some(trouble))
        }
        Err(error) => {
            let trouble = format!("what was learned cannot be understood ({broken}), nor set aside: {error}");
            (None, Writing::Forbidden, Some(trouble))
        }
    }
}

/// Result of one read of the storage.
enum Look {
    Read(Option<Book>, Writing, Option<String>),
    /// A document that was read completely and cannot be parsed.
    Broken(serde_json::Error),
}

fn look(storage: &dyn Storage) -> Look {
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    let document = match storage.read() {
        Ok(Some(document)) => document,
        Ok(None) => return Look::Read(None, Writing::Allowed, None),
        Err(error) => {
            let trouble = format!("what was learned cannot be read: {error}");
            return Look::Read(None, Writing::Forbidden, Some(trouble));
        }
    };
    match serde_json::from_slice::<Head>(&document) {
        Ok(Head { version }) if version > VERSION => {
            let trouble = format!("what was learned is of the newer version {version}, and is left alone");
            Look::Read(None, Writing::Forbidden, Some(trouble))
        }
        Ok(_) => match serde_json::from_slice(&document) {
            Ok(book) => Look::Read(Some(book), Writing::Allowed, None),
            Err(error) => Look::Broken(error),
        },
        Err(error) => Look::Broken(error),
    }
}

/// Returns true while a fact is valid. A fact from the future was learned while the clock was wrong and is
/// invalid.
pub(crate) fn is_believed(fact: &Fact, now: u64) -> bool {
    fact.learned_at <= now && now < fact.learned_at.saturating_add(BELIEVED.as_secs())
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
