//! Options that become sentences of the system prompt for a format without a field for them.

use windlass_protocol::{Request, Verbosity};

/// Returns the sentence for the length of an answer; `None` for the length that models have by themselves.
pub(crate) fn verbosity(verbosity: Verbosity) -> Option<&'static str> {
    match verbosity {
        Verbosity::Low => {
            Some("Keep your answers short: state the result and leave out what was not asked for.")
        }
        Verbosity::High => Some("Answer in detail, with the reasons and with examples where they help."),
        Verbosity::Medium => None,
    }
}

/// The sentence for an answer in JSON.
pub(crate) const JSON: &str = "Your final answer must be one JSON object and nothing else: no other text, and no Markdown fence around it.";

/// Appends a sentence to the system prompt.
pub(crate) fn add(request: &mut Request, sentence: &str) {
    let prompts: Vec<String> = request.system.take().into_iter().chain([sentence.to_owned()]).collect();
    request.system = Some(prompts.join("\n\n"));
}
