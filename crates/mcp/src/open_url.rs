//! An address that a server wants opened for a human.

use std::fmt;

use url::Url;

/// The longest address.
const BYTES: usize = 8 * 1024;

/// An address that a server wants opened in a browser, checked.
///
/// It is one argument of a program, never a word for a shell: the program is started with it, and nothing reads it
/// before. Only what RFC 3986 allows in an address is taken, so no space, quote or control character is in it, and
/// it never begins with a dash.
///
/// ```
/// use windlass_mcp::OpenUrl;
/// assert_eq!(OpenUrl::parse("https://example.com/sign?in=1")?.as_argument(), "https://example.com/sign?in=1");
/// assert!(OpenUrl::parse("file:///etc/passwd").is_err());
/// assert!(OpenUrl::parse("http://x/$(touch /tmp/pwned)").is_err());
/// # Ok::<(), windlass_mcp::UrlRefusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenUrl(Url);

/// Why an address is not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlRefusal {
    /// It is too long.
    #[error("an address of {0} bytes is not opened")]
    TooLong(usize),
    /// It has a character that no address has, or that only a shell has a use for.
    #[error("an address with {0:?} in it is not opened")]
    Character(char),
    /// It is no address.
    #[error("this is no address: {0}")]
    Malformed(#[from] url::ParseError),
    /// Its scheme is not http or https.
    #[error("an address of the scheme {0} is not opened, only http and https are")]
    Scheme(String),
    /// It carries a name or a password.
    #[error("an address with a user in it is not opened")]
    User,
}

impl OpenUrl {
    /// Checks an address.
    ///
    /// # Errors
    /// If it is not http or https, carries a user, or has characters that an address does not need.
    pub fn parse(text: &str) -> Result<Self, UrlRefusal> {
        if text.len() > BYTES {
            return Err(UrlRefusal::TooLong(text.len()));
        }
        if let Some(odd) = text.chars().find(|character| !is_plain(*character)) {
            return Err(UrlRefusal::Character(odd));
        }
        let url = Url::parse(text)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlRefusal::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlRefusal::User);
        }
        Ok(Self(url))
    }

    /// The one argument to give to the program that opens it.
    pub fn as_argument(&self) -> &str {
        self.0.as_str()
    }

    /// The host, which a human should be shown first.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

/// RFC 3986 without those sub-delimiters and marks that begin something in a shell. They can be written as `%24` and so
/// on; `&` remains, as queries need it, and is the reason why no shell may see it.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~:/?#[]@!*+,=%&".contains(character)
}

impl fmt::Display for OpenUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_argument())
    }
}
