//! Requests of clients, as values.

use std::fmt;

use bytes::Bytes;

/// A request of a client: path, headers and body.
///
/// ```
/// use windlass_gateway::ClientRequest;
/// let request = ClientRequest::new("/v1/messages?beta=true", "{}").with_header("Anthropic-Beta", "a");
/// assert_eq!(request.header("anthropic-beta"), Some("a"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientRequest {
    /// The path with its query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// The owner of the state that the gateway stores for the client. The server of a
    /// [`Front`](crate::Front) sets it to the hash of the client's key; all clients without a key are one owner.
    pub owner: String,
}

impl ClientRequest {
    /// Creates a request without headers.
    pub fn new(path: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self { path: path.into(), headers: Vec::new(), body: body.into(), owner: String::new() }
    }

    /// Adds a header.
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// Sets the owner of the client's state.
    pub fn with_owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = owner.into();
        self
    }

    /// Returns the path without its query.
    pub(crate) fn route(&self) -> &str {
        let end = memchr::memchr(b'?', self.path.as_bytes());
        end.and_then(|end| self.path.get(..end)).unwrap_or(&self.path)
    }

    /// Returns true for a path below which stored values can be.
    pub(crate) fn can_be_about_state(&self) -> bool {
        self.route().split('/').any(|part| matches!(part, "responses" | "conversations"))
    }

    /// Returns the value of the first header with this name, given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for ClientRequest {
    // Headers contain keys, and the body contains the conversation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("ClientRequest")
            .field("path", &self.route())
            .field("headers", &names)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish_non_exhaustive()
    }
}
