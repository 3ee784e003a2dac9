//! The fields of the request's options.

use windlass_protocol::{Effort, Request};
use windlass_wire::EncodeError;

use crate::names::encode_error;
use crate::request::{Field, Fields};

/// The options that the API does not have.
pub(crate) const MISSING: [&str; 3] = ["verbosity", "service_tier", "metadata"];

/// Appends the members of `generationConfig` for the options, except those of the tools.
pub(crate) fn encode<'a>(
    request: &'a Request,
    since_three: bool,
    config: &mut Fields<'a>,
) -> Result<(), EncodeError> {
    let asked = &request.options;
    if let Some(name) = asked.set_names().find(|name| MISSING.contains(name)) {
        return Err(encode_error(format!("the option `{name}`")));
    }
    config.extend(asked.temperature.map(|value| ("temperature", Field::Float(value))));
    config.extend(asked.top_p.map(|value| ("topP", Field::Float(value))));
    config.extend(asked.max_output_tokens.map(|tokens| ("maxOutputTokens", Field::Count(tokens))));
    if !asked.stop_sequences.is_empty() {
        config.push(("stopSequences", Field::Texts(&asked.stop_sequences)));
    }
    config.extend(asked.seed.map(|seed| ("seed", Field::Count(seed))));
    if let Some(effort) = asked.reasoning {
        let thinking =
            if since_three { level(effort, &request.model) } else { budget(effort, &request.model) };
        config.push(("thinkingConfig", Field::Object(thinking)));
    }
    Ok(())
}

/// Returns the level of the models since Gemini 3. Their guide: Gemini 3 Pro has `low` and `high`, Gemini 3 Flash also
/// `minimal` and `medium`, and no model can turn thoughts off.
fn level(effort: Effort, model: &str) -> Fields<'static> {
    let is_small = model.contains("flash");
    let word = match (effort.word(), is_small) {
        (None | Some("minimal"), true) => "minimal",
        (None | Some("minimal" | "low"), _) => "low",
        (Some("medium"), true) => "medium",
        _ => "high",
    };
    vec![("includeThoughts", Field::Flag(effort != Effort::Off)), ("thinkingLevel", Field::Word(word))]
}

/// Returns the budget of the models before Gemini 3. Their guide: 2.5 Pro takes 128 to 32,768 tokens, 2.5 Flash and
/// Flash-Lite up to 24,576, and zero turns thoughts off, except at 2.5 Pro.
fn budget(effort: Effort, model: &str) -> Fields<'static> {
    let (least, most) = if model.contains("flash") { (0, 24_576) } else { (128, 32_768) };
    let tokens = effort.tokens().clamp(least, most);
    vec![("includeThoughts", Field::Flag(effort != Effort::Off)), ("thinkingBudget", Field::Count(tokens))]
}
