//! Token usage as reported by a provider. A provider that reports no tokens has still used some.

use windlass_protocol::Usage;

/// Returns the reported usage, or `None` if all numbers are zero. The protocol uses zero for unreported
/// numbers, and no answer uses zero tokens.
pub(crate) fn filter_reported(usage: Usage) -> Option<Usage> {
    (usage != Usage::default()).then_some(usage)
}

/// Formats the tokens of a run.
pub(crate) fn words(usage: Usage) -> String {
    match filter_reported(usage) {
        None => "the provider reported no tokens".to_owned(),
        // Zero input tokens are unreported: a request is never empty.
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
    fn usage_without_a_report_is_not_zero() {
        let of =
            |input_tokens, output_tokens| words(Usage { input_tokens, output_tokens, ..Usage::default() });
        assert_eq!(of(12, 3), "12 tokens in, 3 out");
        assert_eq!(of(12, 0), "12 tokens in, 0 out");
        assert_eq!(of(0, 0), "the provider reported no tokens");
        assert_eq!(of(0, 3), "the provider reported no tokens in, 3 out");
        assert_eq!(filter_reported(Usage::default()), None);
    }
}
