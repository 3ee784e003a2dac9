//! Parser of refusals that show a capability: a refused parameter, or a missing ability (RULES L9).

mod fields;
mod phrases;

use serde_json::Value;
use windlass_wire::{ProviderError, ProviderErrorKind};

use crate::capability::{Ability, Claims};
use crate::edit;
use crate::images::has_images;
use crate::quirk::Quirk;
use crate::rejection::{ParameterRejection, Remedy};
use fields::{abilities, deny, field, is_kept, is_quoted, location, remedy, word};

/// Words that refuse the parameter itself. Words about an invalid value are not in this list, because the
/// caller has to correct the value.
const REFUSES: &[&str] = &[
    "unsupported",
    "not support",
    "n't support",
    "no endpoints found that support",
    "unknown",
    "unrecognized",
    "unrecognised",
    "not recognized",
    "unexpected",
    "extra inputs",
    "not permitted",
    "not allowed",
    "only allowed",
    "not available",
    "unavailable",
    "not a valid field",
    "not compatible",
    "incompatible",
    "only the default",
    "cannot be used",
    "deprecated",
];

/// Words that deny native tool calls, from OpenRouter, Ollama, Groq and Mistral.
const NO_TOOLS: &[&str] = &[
    "support tools",
    "support tool use",
    "support tool call",
    "support tool calls",
    "support tool calling",
    "support function call",
    "support function calls",
    "support function calling",
    "support functions",
    "tools are not supported",
    "tools is not supported",
    "tool use is not supported",
    "tool calls are not supported",
    "tool calling is not supported",
    "function calls are not supported",
    "function calling is not supported",
    "function calling is not enabled",
];

/// Fields inside of tools, messages and the system prompt, which must not be omitted themselves, and the quirks that leave out
/// these fields.
const INNER_FIELDS: &[(&str, Quirk)] = &[
    ("cache_control", Quirk::NoPromptCache),
    ("prompt_cache_breakpoint", Quirk::NoPromptCache),
    ("eager_input_streaming", Quirk::NoEagerArguments),
];

/// Flags that enable tool calls in the servers of vLLM and llama.cpp; their refusals name them.
const TOOL_FLAGS: &[&str] = &["--enable-auto-tool-choice", "--jinja"];

/// Words that deny image input. A wrong image format or size is a different failure.
const NO_IMAGES: &[&str] = &[
    "support image",
    "support images",
    "support image input",
    "support image inputs",
    "support vision",
    "images are not supported",
    "image input is not supported",
    "image inputs are not supported",
];

/// Parses the refusal of a request that names a parameter or an ability. Returns `None` if the refusal concerns this request only.
///
/// `refusal` is the body of the response, `sent` the body of the request, and `now` the time in seconds since
/// 1970.
pub fn parse_rejection(
    status: u16,
    error: &ProviderError,
    refusal: &[u8],
    sent: &[u8],
    now: u64,
) -> Option<ParameterRejection> {
    if !matches!(status, 400 | 404 | 422) {
        return None;
    }
    let refusal: Value = serde_json::from_slice(refusal).unwrap_or_default();
    let refusal = RefusedRequest::new(error, &refusal, sent);
    let found = refusal.find_ability().or_else(|| refusal.find_parameter())?;
    let Finding { parameter, remedy, abilities } = found;
    Some(ParameterRejection::new(&parameter, remedy, abilities, refusal.message, now))
}

/// A refusal beside its request.
struct RefusedRequest<'a> {
    refusal: &'a Value,
    sent: &'a [u8],
    message: &'a str,
    lowercase: String,
    /// The message in lower case, without quotes.
    plain: String,
    /// True if the refusal is about a parameter itself, and not about its value.
    refuses: bool,
    /// The path that the error names.
    named: Option<&'a str>,
    /// The field of the body at this path. It takes precedence over a guess from the words of the message.
    parameter: Option<String>,
}

/// The parameter and the abilities that a refusal is about.
struct Finding {
    parameter: String,
    remedy: Option<Remedy>,
    abilities: Claims,
}

impl Finding {
    fn new(parameter: &str, remedy: Option<Remedy>, abilities: Claims) -> Self {
        Self { parameter: parameter.to_owned(), remedy, abilities }
    }

    fn quirk(parameter: &str, quirk: Quirk) -> Self {
        Self::new(parameter, Some(Remedy::Quirk(quirk)), Claims::new())
    }
}

impl<'a> RefusedRequest<'a> {
    fn new(error: &'a ProviderError, refusal: &'a Value, sent: &'a [u8]) -> Self {
        // OpenRouter's own message omits the reason; `metadata.raw` contains the message of the provider that it
        // forwarded to.
        let raw = refusal.pointer("/error/metadata/raw").and_then(Value::as_str);
        let message = raw.unwrap_or(&error.message);
        let lowercase = message.to_lowercase();
        let plain = lowercase.replace(['`', '\'', '"'], "");
        let location = location(refusal);
        let is_extra = location.is_some_and(|(_, kind)| kind.contains("extra"));
        let refuses = is_extra || REFUSES.iter().any(|words| lowercase.contains(words));
        let named = error.parameter.as_deref().or(location.map(|(path, _)| path));
        let parameter = named.and_then(|path| field(path, sent));
        Self { refusal, sent, message, lowercase, plain, refuses, named, parameter }
    }

    /// Finds a refusal of tools, or of free text as their input, whose words need no parameter.
    fn find_ability(&self) -> Option<Finding> {
        let Self { sent, plain, named, .. } = self;
        if named.is_none_or(is_kept) && free_text_is_refused(plain, self.refusal, sent) {
            return Some(Finding::quirk("tools.custom", Quirk::NoFreeTextTools));
        }
        if self.parameter.is_some() || !edit::has(sent, "tools") {
            return None;
        }
        let is_named = *named == Some("tools");
        let is_refused = self.refuses && is_named && phrases::refuses_field(plain, "tools", is_named);
        let are_missing = phrases::contains_unconditionally(plain, NO_TOOLS)
            || TOOL_FLAGS.iter().any(|flag| plain.contains(flag));
        (are_missing || is_refused).then(|| Finding::new("tools", None, deny(Ability::NativeTools)))
    }

    /// Finds the parameter of a refusal, if that is about a parameter.
    fn find_parameter(&self) -> Option<Finding> {
        if !self.refuses {
            return None;
        }
        if let Some(found) = self.find_inner_field() {
            return Some(found);
        }
        let Self { sent, plain, named, message, .. } = self;
        if self.parameter.is_none() && has_images(sent) && phrases::contains_unconditionally(plain, NO_IMAGES)
        {
            return Some(Finding::new("images", None, deny(Ability::Images)));
        }
        // An error inside the conversation cannot be fixed by omitting another field.
        if named.is_some_and(is_kept) {
            return None;
        }
        let parameter = self.parameter.clone().or_else(|| word(message, sent))?;
        let abilities = abilities(&parameter, sent);
        // The caller requested this output format, so the request is not repeated without it.
        if abilities.keys().any(|ability| matches!(ability, Ability::StructuredOutput | Ability::JsonOutput))
        {
            // The refusal of one schema does not imply the refusal of another.
            let is_refused = phrases::refuses_field(plain, &parameter, named.is_some());
            return is_refused.then(|| Finding::new(&parameter, None, abilities));
        }
        let remedy = remedy(&parameter, message, &self.lowercase, sent)?;
        Some(Finding::new(&parameter, Some(remedy), abilities))
    }

    /// Finds a field within a tool or a message, for which a quirk exists.
    fn find_inner_field(&self) -> Option<Finding> {
        let Self { named, message, .. } = self;
        if named.is_some_and(|path| path.ends_with("strict"))
            || self.parameter.is_none() && is_quoted(message, "strict")
        {
            return Some(Finding::quirk("strict", Quirk::NoStrict));
        }
        let is_meant = |field: &str| named.unwrap_or(message).contains(field) || is_quoted(message, field);
        let (field, quirk) = INNER_FIELDS.iter().find(|(field, _)| is_meant(field))?;
        Some(Finding::quirk(field, *quirk))
    }
}

/// Parses a refusal under a success status, as OpenRouter and the Responses API send it.
pub fn parse_rejection_in_answer(error: &ProviderError, sent: &[u8], now: u64) -> Option<ParameterRejection> {
    let is_about_request = matches!(error.kind, ProviderErrorKind::Request | ProviderErrorKind::NotFound);
    if is_about_request { parse_rejection(400, error, b"", sent, now) } else { None }
}

/// Returns true if the server accepts only function tools and the request had a free-text tool. A false
/// positive is harmless: the rejection is stored only if the request without free text succeeds.
fn free_text_is_refused(plain: &str, refusal: &Value, sent: &[u8]) -> bool {
    let tools = || {
        let body: Value = serde_json::from_slice(sent).ok()?;
        let is_custom = |tool: &Value| tool.get("type").is_some_and(|kind| kind == "custom");
        Some(body.get("tools")?.as_array()?.iter().any(is_custom))
    };
    let has_word = |text: &str, word: &str| {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|held| held == word)
    };
    let whole = refusal.to_string().to_lowercase();
    let says = |word: &str| has_word(plain, word) || has_word(&whole, word);
    let is_missing = ["not found", "required", "missing", "should be", "must be", "expected"]
        .iter()
        .any(|words| plain.contains(words) || whole.contains(words));
    (says("custom") || says("function") && is_missing) && tools().unwrap_or(false)
}

#[cfg(test)]
mod tests;
