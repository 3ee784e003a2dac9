//! Texts of a run that only compacts a conversation.

/// Returns the final text of a run that only compacts the conversation. `sizes` has the tokens before and after.
pub(crate) fn describe_compaction(sizes: Option<(u64, u64)>, tokens: u64) -> String {
    match sizes {
        Some((before, after)) => {
            format!("The conversation was compacted: about {after} tokens instead of {before}.")
        }
        None => {
            format!("The conversation has about {tokens} tokens, and nothing in it can be removed.")
        }
    }
}
