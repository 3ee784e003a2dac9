//! Settings of a server: required or optional, and when its tools ask a human.

/// Requirement that a server is ready before the application continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it has to be there or need not")]
pub enum Presence {
    /// The application continues without the server (RULES M4).
    #[default]
    Optional,
    /// Starting the connections fails if the server does not start.
    Required,
}

/// Rule for the approval of a server's tool by a human.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// The policy decides. By default a tool asks if no human has accepted its definition.
    #[default]
    Policy,
    /// Each call asks, even if a rule allows it or an approval was learned.
    Always,
    /// No call asks once the definition has been accepted. The crate does not enforce this value, so that a
    /// tool cannot allow itself: the application that builds the policy reads it with
    /// [`McpServer::approval`](crate::McpServer::approval) and adds a rule of the user.
    Never,
}
