//! The roles of the members of a call, by key.

/// The role of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A call.
    Call,
    /// A list of calls, or one call.
    Calls,
    Name,
    Arguments,
    /// A name, or an object that holds the name and the arguments.
    Function,
    /// Content of the answer outside the calls.
    Content,
    /// The flag for more work to do.
    More,
    /// A value that is not needed, such as an id or a type.
    Skip,
}

/// Returns the role for this key, or `None` for an unknown key.
pub(super) fn role_of(key: &str, is_inner: bool) -> Option<Role> {
    Some(match key {
        "name" | "tool_name" | "tool" => Role::Name,
        "arguments" | "parameters" | "args" | "input" | "tool_input" => Role::Arguments,
        "function" | "tool_call" if !is_inner => Role::Function,
        "toolCalls" | "tool_calls" if !is_inner => Role::Calls,
        "content" if !is_inner => Role::Content,
        "needsMoreWork" if !is_inner => Role::More,
        "type" | "id" | "call_id" | "tool_call_id" | "index" => Role::Skip,
        _ => return None,
    })
}
