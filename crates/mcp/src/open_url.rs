//! A URL that a server asks to open in a human's browser.

use std::fmt;

use url::Url;

/// Maximum length of a URL in bytes.
const BYTES: usize = 8 * 1024;

/// A URL that a server asks to open in a browser, after checks.
///
/// Pass it to the browser's program as one argument, without a shell. It contains only characters that RFC
/// 3986 allows in a URL, so no space, quote or control character, and it never starts with a dash.
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

/// Error of a URL that must not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlRefusal {
    /// The URL is longer than 8 KiB.
    #[error("an address of {0} bytes is not opened")]
    TooLong(usize),
    /// A character is not allowed in URLs, or has a meaning in shells.
    #[error("an address with {0:?} in it is not opened")]
    Character(char),
    /// The text is not a URL.
    #[error("this is not a valid URL: {0}")]
    Malformed(#[from] url::ParseError),
    /// The scheme is not http or https.
    #[error("an address of the scheme {0} is not opened, only http and https are")]
    Scheme(String),
    /// The URL contains a user name or a password.
    #[error("an address with a user in it is not opened")]
    User,
}

impl OpenUrl {
    /// Checks a URL.
    ///
    /// # Errors
    /// If the URL is not http or https, is longer than 8 KiB, contains a user, or has a character that is not
    /// allowed.
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

    /// Returns the URL as one argument for the program that opens it.
    pub fn as_argument(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the host. Display it before the rest of the URL.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

/// Returns whether a character is allowed. The set is that of RFC 3986 without the characters that start an
/// expansion, a quotation or a subshell in a shell; servers can escape those as `%24` and so on. `&` stays,
/// because queries need it, and is the reason why no shell may read the URL.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~:/?#[]@!*+,=%&".contains(character)
}

impl fmt::Display for OpenUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_argument())
    }
}
