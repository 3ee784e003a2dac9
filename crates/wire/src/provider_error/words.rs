//! Facts that providers only state in the text of an error message.

use std::time::Duration;

/// Phrases of providers and gateways for a conversation that exceeds the context window, in lower case.
const LENGTH: &[&str] = &[
    // OpenAI, vLLM, Mistral
    "maximum context length",
    "context window",
    "context length",
    // Anthropic
    "prompt is too long",
    "context limit",
    // Gemini
    "input token count",
    "exceeds the maximum number of tokens",
    // Bedrock
    "input is too long",
    // llama.cpp
    "available context size",
    // Groq
    "reduce the length of the messages",
];

/// Returns whether an error message states that the conversation exceeds the context window.
pub fn names_context_length(message: &str) -> bool {
    let message = message.to_lowercase();
    LENGTH.iter().any(|words| message.contains(words))
}

/// Phrases that precede a wait, in lower case: "Please try again in 11.054s" (OpenAI, Groq), "Please retry
/// after 10 seconds" (Azure), "Please retry in 48.2s." (Gemini).
const BEFORE_WAIT: &[&str] = &["try again in ", "retry after ", "retry in ", "try again after "];

/// Returns the wait that an error message requests.
pub(crate) fn parse_wait(message: &str) -> Option<Duration> {
    let message = message.to_lowercase();
    BEFORE_WAIT.iter().find_map(|words| {
        let (_, rest) = message.split_once(words)?;
        leading_span(rest)
    })
}

/// Parses a duration at the beginning of a text: `11.054s`, `6m0s`, `350 ms`, `10 seconds`, `1 minute`.
fn leading_span(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = None::<Duration>;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, tail) = rest.split_at_checked(digits)?;
        let Ok(number) = number.parse::<f64>() else { return total };
        let tail = tail.strip_prefix(' ').unwrap_or(tail);
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(letters)?;
        let seconds = match unit {
            "h" | "hour" | "hours" => 3_600.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "s" | "sec" | "second" | "seconds" => 1.0,
            "ms" | "millisecond" | "milliseconds" => 1e-3,
            _ => return total,
        };
        let span = Duration::try_from_secs_f64(number * seconds).ok()?;
        total = Some(total.unwrap_or_default().checked_add(span)?);
        rest = tail;
    }
}

#[cfg(test)]
mod tests {
    use super::{names_context_length, parse_wait};

    #[track_caller]
    fn check(message: &str, millis: Option<u128>) {
        assert_eq!(parse_wait(message).map(|wait| wait.as_millis()), millis, "{message}");
    }

    #[test]
    fn waits_are_parsed_from_messages() {
        check("Rate limit reached for x. Please try again in 11.054s. Visit ...", Some(11_054));
        check("Please try again in 6m0s.", Some(360_000));
        check("Please try again in 350ms.", Some(350));
        check("Please retry after 10 seconds.", Some(10_000));
        check("Please retry in 48.2s.", Some(48_200));
        check("try again in 1 minute", Some(60_000));
        check("try again in a while", None);
        check("try again in 5", None);
        check("try again later", None);
        check("try again in 1e400s", None);
    }

    #[test]
    fn context_length_errors_are_recognized_in_messages() {
        assert!(names_context_length("This model's maximum context length is 8192 tokens."));
        assert!(names_context_length("Your input exceeds the context window of this model"));
        assert!(!names_context_length("Too many tokens, please wait before trying again."));
    }
}
