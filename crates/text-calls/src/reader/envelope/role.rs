//! What the members of a call are called.

/// What a value is to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A call itself.
    Call,
    /// A list of calls, or one.
    Calls,
    Name,
    Arguments,
    /// A name, or an object that holds name and arguments.
    Function,
    /// Words beside the calls.
    Content,
    /// Whether there is more to do.
    More,
    /// Nothing that matters here: an id, a kind.
    Skip,
}

/// What the member with this key is; nothing for a key that is not known.
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
