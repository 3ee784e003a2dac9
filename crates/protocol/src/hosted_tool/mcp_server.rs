//! Remote MCP servers that the provider calls.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A remote MCP server that the provider calls. The calls do not pass the policy of an agent, so limit the tools and
/// name only servers that the model may use without a question.
///
/// ```
/// use windlass_protocol::McpServer;
/// let server = McpServer::new("issues", "https://mcp.example.org/mcp")
///     .with_allowed_tools(["search_issues"])
///     .with_authorization("token");
/// assert!(!format!("{server:?}").contains("token"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct McpServer {
    /// The name of the server in the answer's calls.
    pub label: String,
    /// The URL.
    pub url: String,
    /// The tools that the model may call; empty for all tools of the server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
    /// True if the provider asks for approval of each call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_approval: bool,
    /// The token for the server. It is not serialised, so that records and recordings do not contain it.
    #[serde(skip)]
    pub authorization: Option<Authorization>,
}

/// A bearer token for a server that the provider calls. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Authorization(String);

impl McpServer {
    /// Creates a server with all of its tools.
    pub fn new(label: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            url: url.into(),
            allowed_tools: Vec::new(),
            requires_approval: false,
            authorization: None,
        }
    }

    /// Sets the tools that the model may call.
    pub fn with_allowed_tools<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.allowed_tools = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the bearer token for the server.
    pub fn with_authorization(mut self, token: impl Into<String>) -> Self {
        self.authorization = Some(Authorization::new(token));
        self
    }

    /// Lets the provider ask for approval of each call. OpenAI Responses has this; other formats refuse the request.
    pub fn with_approval(mut self) -> Self {
        self.requires_approval = true;
        self
    }
}

impl Authorization {
    /// Creates a token.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// Returns the token, for the request to the provider.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authorization(..)")
    }
}
