//! What is known of a model's abilities, and from where.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use windlass_protocol::{Capabilities, Support};

/// An ability of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ability {
    /// Tool calls of the provider's own kind.
    NativeTools,
    /// Several calls in one answer.
    ParallelCalls,
    /// A tool choice that forces a call.
    ForcedToolChoice,
    /// Images in user messages.
    Images,
    /// Answers held to a JSON schema.
    StructuredOutput,
    /// Answers that are some JSON object.
    JsonOutput,
    /// Thoughts.
    Reasoning,
}

/// Who said it, the strongest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Source {
    /// The user's own file.
    Config,
    /// The provider itself, when it refused a request.
    Learned,
    /// The provider itself, when it was asked for its models.
    Discovered,
    /// The table of this crate, under this pattern of names.
    Table(String),
    /// What holds for most of the provider's models.
    Vendor,
}

/// Whether a model has an ability, and who said so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answer {
    /// Whether it has it.
    pub support: Support,
    /// Who said so; nobody if it is not known.
    pub source: Option<Source>,
}

/// What some source says of a model's abilities; it is silent on the others.
pub type Said = BTreeMap<Ability, bool>;

/// All that is known of a model's abilities.
///
/// ```
/// use windlass_client::{Ability, Source, Vendors};
/// use windlass_protocol::Support;
/// let vendors = Vendors::builtin();
/// let known = vendors.get("deepseek").ok_or("not there")?.capabilities("deepseek-chat");
/// assert_eq!(known.of(Ability::Images).support, Support::No);
/// assert_eq!(known.of(Ability::Images).source, Some(Source::Vendor));
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Known(BTreeMap<Ability, Answer>);

/// Abilities as a file has them: fields, so that an error can name the one that is wrong.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Fields {
    native_tools: Option<bool>,
    parallel_calls: Option<bool>,
    forced_tool_choice: Option<bool>,
    images: Option<bool>,
    structured_output: Option<bool>,
    json_output: Option<bool>,
    reasoning: Option<bool>,
}

/// Reads abilities out of a file.
pub(crate) fn said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Said, D::Error> {
    let fields = Fields::deserialize(deserializer)?;
    let said = [
        (Ability::NativeTools, fields.native_tools),
        (Ability::ParallelCalls, fields.parallel_calls),
        (Ability::ForcedToolChoice, fields.forced_tool_choice),
        (Ability::Images, fields.images),
        (Ability::StructuredOutput, fields.structured_output),
        (Ability::JsonOutput, fields.json_output),
        (Ability::Reasoning, fields.reasoning),
    ];
    Ok(said.into_iter().filter_map(|(ability, has)| Some((ability, has?))).collect())
}

impl Ability {
    /// Every ability that there is.
    pub const ALL: &[Self] = &[
        Self::NativeTools,
        Self::ParallelCalls,
        Self::ForcedToolChoice,
        Self::Images,
        Self::StructuredOutput,
        Self::JsonOutput,
        Self::Reasoning,
    ];
}

impl Known {
    /// What is known of one ability.
    pub fn of(&self, ability: Ability) -> Answer {
        self.0.get(&ability).cloned().unwrap_or(Answer { support: Support::Unknown, source: None })
    }

    /// The same as the plain value that the loop and the wire formats speak of.
    pub fn capabilities(&self) -> Capabilities {
        Capabilities {
            native_tools: self.of(Ability::NativeTools).support,
            parallel_calls: self.of(Ability::ParallelCalls).support,
            forced_tool_choice: self.of(Ability::ForcedToolChoice).support,
            images: self.of(Ability::Images).support,
            structured_output: self.of(Ability::StructuredOutput).support,
            json_output: self.of(Ability::JsonOutput).support,
        }
    }

    /// Adds what a weaker source says of what is still open.
    pub(crate) fn add(&mut self, said: &Said, source: &Source) {
        for (ability, has) in said {
            let support = if *has { Support::Yes } else { Support::No };
            self.0.entry(*ability).or_insert_with(|| Answer { support, source: Some(source.clone()) });
        }
    }
}
