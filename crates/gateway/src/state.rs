//! Requests that continue what the first provider stores.

use windlass_protocol::{Part, Request};
use windlass_wire::{ProviderError, ProviderErrorKind};

/// The code with which Anthropic's libraries continue without a thread.
const NO_THREADS: &str = "thread_unsupported_request";

/// Fields that name something that only the first provider stores, by format.
const STORED: &[(&str, &str)] = &[
    ("openai-responses", "previous_response_id"),
    ("openai-responses", "conversation"),
    ("openai-responses", "prompt"),
    ("anthropic", "container"),
    ("gemini", "cachedContent"),
];

/// Returns the refusal of a request that needs the state of its own format's provider: another model would
/// answer without it.
pub(crate) fn refusal(format: &str, request: &Request) -> Option<ProviderError> {
    let extra = &request.options.extra;
    let is_set = |name: &str| extra.get(name).is_some_and(|value| !value.is_null());
    if format == "anthropic" && is_set("thread") {
        let what = "threads are not available for this model; send the whole conversation";
        let code = Some(NO_THREADS.to_owned());
        let error = ProviderError::new(ProviderErrorKind::Request, code, what);
        return Some(error.with_parameter(Some("thread".to_owned())));
    }
    if let Some((_, name)) = STORED.iter().find(|(of, name)| *of == format && is_set(name)) {
        let what = format!("{name} names what another provider stores; send its content instead");
        return Some(refused(name, &what));
    }
    if format == "openai-responses" && extra.get("background").is_some_and(|value| value == true) {
        return Some(refused("background", "background answers are not available for this model"));
    }
    let mut parts = request.messages.iter().flat_map(|message| &message.parts);
    let is_reference = |part: &Part| match part {
        Part::Unknown(unknown) => {
            unknown.value.pointer("/output_item/type").is_some_and(|kind| kind == "item_reference")
        }
        _ => false,
    };
    if format == "openai-responses" && parts.any(is_reference) {
        return Some(refused("input", "an item_reference names an item of another provider; send the item"));
    }
    None
}

fn refused(parameter: &str, what: &str) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Request, None, what).with_parameter(Some(parameter.to_owned()))
}
