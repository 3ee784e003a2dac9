//! Whether a server has to be there, and whether its tools ask.

/// Whether a server has to be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it has to be there or need not")]
pub enum Presence {
    /// Without it everything goes on (RULES M4).
    #[default]
    Optional,
    /// Without it nothing begins.
    Required,
}

/// Whether a tool of a server asks a human before it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// As policy says: a tool that nobody has accepted asks, and so on.
    #[default]
    Policy,
    /// Each call asks, whatever rules allow and whatever was learned.
    Always,
    /// No call asks, once its definition was accepted. A tool cannot allow itself: whoever makes the policy makes a rule of
    /// the user's out of this, with what [`McpServer::approval`](crate::McpServer::approval) says.
    Never,
}
