//! Check of the parts of a conversation against the known abilities of a model.

use windlass_protocol::{Content, File, History, Part, Refusal, RefusalKind, Support};

use crate::capability::{Ability, ClaimSource, ModelCapabilities};

/// Kinds of input that a model can lack, with their names in messages.
const INPUTS: [(Ability, &str); 3] =
    [(Ability::Images, "pictures"), (Ability::Documents, "PDF documents"), (Ability::Audio, "recordings")];

/// Returns a refusal for each picture and file that the model is known not to take. The refusal names the part, what the
/// model takes, and the source of this knowledge.
///
/// Facts that were learned from a refusal do not count: a wrong one would never be refuted, because the request that can
/// refute it would not be sent.
///
/// ```
/// use windlass_protocol::{Image, Message, RefusalKind};
/// use windlass_vendors::{Vendors, check_inputs};
///
/// let vendors = Vendors::builtin();
/// let known = vendors.get("deepseek").ok_or("not found")?.capabilities("deepseek-chat");
/// let message = Message::user("look").with_part(Image::base64("image/png", "AAAA"));
/// let refusals = check_inputs(&vec![message].into(), "deepseek-chat", &known);
/// assert_eq!(refusals[0].kind, RefusalKind::Image);
/// assert_eq!(refusals[0].place, "messages[0].parts[1]");
/// # Ok::<(), &'static str>(())
/// ```
pub fn check_inputs(messages: &History, model: &str, known: &ModelCapabilities) -> Vec<Refusal> {
    let lacking: Vec<Ability> =
        INPUTS.iter().map(|(ability, _)| *ability).filter(|it| lacks(known, *it)).collect();
    if lacking.is_empty() {
        return Vec::new();
    }
    let mut refusals = Vec::new();
    for (position, message) in messages.iter().enumerate() {
        for (at, part) in message.parts.iter().enumerate() {
            let Some((ability, kind, name)) = input_of(part) else { continue };
            if lacking.contains(&ability) {
                let what = format!("{name}, but {}", explain(model, known, ability));
                refusals.push(Refusal::new(kind, format!("messages[{position}].parts[{at}]"), what));
            }
        }
    }
    refusals
}

/// Returns the ability that a part needs, the kind of its refusal, and its name.
fn input_of(part: &Part) -> Option<(Ability, RefusalKind, String)> {
    let picture = |media_type: &str| format!("a picture ({media_type})");
    match part {
        Part::Image(image) => Some((Ability::Images, RefusalKind::Image, picture(&image.media_type))),
        Part::Result(result) => result.content.iter().find_map(|content| match content {
            Content::Image(image) => Some((Ability::Images, RefusalKind::Image, picture(&image.media_type))),
            _ => None,
        }),
        Part::File(file) => {
            let ability = ability_for(file)?;
            let name = file.name.as_deref().map(|name| format!("`{name}` ")).unwrap_or_default();
            Some((ability, RefusalKind::File, format!("the file {name}({})", file.media_type)))
        }
        _ => None,
    }
}

fn ability_for(file: &File) -> Option<Ability> {
    match file.media_type.split('/').next() {
        Some("image") => Some(Ability::Images),
        Some("audio") => Some(Ability::Audio),
        _ if file.media_type == "application/pdf" => Some(Ability::Documents),
        _ => None,
    }
}

fn lacks(known: &ModelCapabilities, ability: Ability) -> bool {
    let claim = known.claim(ability);
    claim.support == Support::No && claim.source != Some(ClaimSource::Learned)
}

fn explain(model: &str, known: &ModelCapabilities, lacking: Ability) -> String {
    let takes = INPUTS.iter().filter(|(ability, _)| known.claim(*ability).support == Support::Yes);
    let takes: Vec<&str> = std::iter::once("text").chain(takes.map(|(_, words)| *words)).collect();
    let source = match known.claim(lacking).source {
        Some(ClaimSource::Config) => "your configuration",
        Some(ClaimSource::Discovered) => "the provider's list of models",
        _ => "the built-in table of models",
    };
    format!(
        "{model} takes {} only, as {source} states; choose another model, or correct its capabilities in providers.toml",
        takes.join(" and ")
    )
}

#[cfg(test)]
mod tests;
