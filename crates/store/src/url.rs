//! The address of a store, which can contain a password.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use secrecy::{ExposeSecret as _, SecretString};

use crate::StoreError;

/// The address of a store: the path of a folder, `sqlite:///path/of/a/file`, or
/// `postgres://user@host/database`. `Display` and `Debug` leave out users, passwords and options.
///
/// A password in the address is visible to other users in the list of processes if it is an argument of a
/// program. Prefer the variable `PGPASSWORD` or the file `~/.pgpass`, which the PostgreSQL driver reads.
///
/// ```
/// use windlass_store::StoreUrl;
/// let url = StoreUrl::new("postgres://ada:hunter22@db.example/runs?sslmode=require");
/// assert_eq!(url.to_string(), "postgres://db.example/runs");
/// ```
#[derive(Clone)]
pub struct StoreUrl(SecretString);

/// The kind of a store, with the location of local ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreKind {
    /// A folder of runs.
    Folder(PathBuf),
    /// The file of a SQLite database.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    Postgres,
}

impl StoreUrl {
    /// Creates an address from its text. [`StoreUrl::kind`] validates it.
    pub fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }

    /// Returns the kind of the store.
    ///
    /// # Errors
    /// Returns an error if the scheme is unknown or the path is missing.
    pub fn kind(&self) -> Result<StoreKind, StoreError> {
        let refuse = |reason: String| Err(StoreError::Address { reason });
        let text = self.0.expose_secret();
        match text.split_once(':') {
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => Ok(StoreKind::Postgres),
            Some(("sqlite", rest)) => match decode_percent(rest.strip_prefix("//").unwrap_or(rest)) {
                Some(path) if !path.is_empty() => Ok(StoreKind::Sqlite(PathBuf::from(path))),
                _ => refuse("names no file: sqlite:///path/of/a/file".to_owned()),
            },
            Some((scheme, rest)) if rest.starts_with("//") => refuse(format!(
                "has the unknown scheme {scheme:?}; use a folder, sqlite:///FILE or postgres://HOST/DATABASE"
            )),
            _ if text.is_empty() => refuse("is empty".to_owned()),
            _ => Ok(StoreKind::Folder(PathBuf::from(text))),
        }
    }

    /// Returns the password in the address, decoded and as it is written, so that a redactor can remove both.
    pub fn passwords(&self) -> Vec<SecretString> {
        let text = self.0.expose_secret();
        let Some((_, rest)) = text.split_once("://") else { return Vec::new() };
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let user = place.rsplit_once('@').and_then(|(user, _)| user.split_once(':')).map(|(_, word)| word);
        let option = query.split('&').find_map(|option| option.strip_prefix("password="));
        let mut found = Vec::new();
        for word in user.into_iter().chain(option).filter(|word| !word.is_empty()) {
            found.extend(decode_percent(word).filter(|decoded| decoded != word).map(SecretString::from));
            found.push(SecretString::from(word));
        }
        found
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl FromStr for StoreUrl {
    type Err = Infallible;

    /// Never fails, so that an argument parser does not print a refused address with its password.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::new(text))
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.expose_secret();
        let Some((scheme, rest)) = text.split_once("://") else { return f.write_str(text) };
        let place = rest.split('?').next().unwrap_or_default();
        let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
        write!(f, "{scheme}://{host}")
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreUrl({self})")
    }
}

/// Decodes `%20` and similar. Returns `None` if the result is not UTF-8.
fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let digits = others.get(..2).filter(|_| *first == b'%').and_then(|two| std::str::from_utf8(two).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = others.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use secrecy::ExposeSecret as _;

    use super::{StoreKind, StoreUrl};

    #[test]
    fn a_store_url_determines_the_store_kind() {
        let kind = |text: &str| StoreUrl::new(text).kind();
        assert_eq!(kind("/var/runs").unwrap(), StoreKind::Folder(PathBuf::from("/var/runs")));
        assert_eq!(kind("runs").unwrap(), StoreKind::Folder(PathBuf::from("runs")));
        assert_eq!(kind("sqlite:///a%20b.db").unwrap(), StoreKind::Sqlite(PathBuf::from("/a b.db")));
        assert_eq!(kind("sqlite:a.db").unwrap(), StoreKind::Sqlite(PathBuf::from("a.db")));
        assert_eq!(kind("postgresql://h/d").unwrap(), StoreKind::Postgres);
        for wrong in ["", "sqlite://", "mysql://h/d"] {
            assert!(kind(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        for text in [
            "postgres://ada:hunter%2322@db/runs",
            "postgres://db/runs?user=ada&password=hunter%2322",
            "postgres://ada:hunter%2322@db/runs?sslmode=require",
            "mysql://ada:hunter%2322@db/runs",
        ] {
            let url = StoreUrl::new(text);
            let shown = format!(
                "{url} {url:?} {:?} {}",
                url.kind(),
                url.kind().map_or_else(|e| e.to_string(), |_| String::new())
            );
            assert!(!shown.contains("hunter"), "{shown}");
            let words: Vec<String> =
                url.passwords().iter().map(|word| word.expose_secret().to_owned()).collect();
            assert_eq!(words, ["hunter#22", "hunter%2322"]);
        }
        assert!(StoreUrl::new("postgres://db/runs").passwords().is_empty());
    }
}
