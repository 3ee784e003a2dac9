//! The tokens that a provider reported. A provider that reports none has not used none.

use windlass_protocol::Usage;

/// Returns what was reported; `None` if nothing was. The protocol's values are zero where a provider says nothing, and no
/// answer takes zero tokens.
pub(crate) fn reported(usage: Usage) -> Option<Usage> {
    (usage != Usage::default()).then_some(usage)
}

/// Returns the tokens of a run in words.
pub(crate) fn words(usage: Usage) -> String {
    match reported(usage) {
        None => "the provider reported no tokens".to_owned(),
        // A request is never empty.
        Some(usage) if usage.input_tokens == 0 => {
            format!("the provider reported no tokens in, {} out", usage.output_tokens)
        }
        Some(usage) => format!("{} tokens in, {} out", usage.input_tokens, usage.output_tokens),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_reported_is_not_zero() {
        let of =
            |input_tokens, output_tokens| words(Usage { input_tokens, output_tokens, ..Usage::default() });
        assert_eq!(of(12, 3), "12 tokens in, 3 out");
        assert_eq!(of(12, 0), "12 tokens in, 0 out");
        assert_eq!(of(0, 0), "the provider reported no tokens");
        assert_eq!(of(0, 3), "the provider reported no tokens in, 3 out");
        assert_eq!(reported(Usage::default()), None);
    }
}
