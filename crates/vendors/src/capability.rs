//! Abilities of models and the sources that state them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use windlass_protocol::{Capabilities, Support};

/// An ability of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Ability {
    /// Tool calls in the provider's native format.
    NativeTools,
    /// Several tool calls in one answer.
    ParallelCalls,
    /// A tool choice that forces a call.
    ForcedToolChoice,
    /// Images in user messages.
    Images,
    /// PDF documents in user messages.
    Documents,
    /// Recordings in user messages.
    Audio,
    /// Answers constrained to a JSON schema.
    StructuredOutput,
    /// Answers constrained to some JSON object.
    JsonOutput,
    /// Reasoning output.
    Reasoning,
}

/// Source of a statement about an ability, the strongest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClaimSource {
    /// The user's own configuration file.
    Config,
    /// A refusal of the provider.
    Learned,
    /// The provider's list of models.
    Discovered,
    /// The built-in table, with the pattern of model names that matched.
    Table(String),
    /// The vendor's row: the default for most of its models.
    Vendor,
}

/// Support for one ability, and the source of the statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Claim {
    /// Support for the ability.
    pub support: Support,
    /// Source of the statement; `None` if the support is unknown.
    pub source: Option<ClaimSource>,
}

/// Statements of one source about abilities. An ability that is absent is not stated.
pub type Claims = BTreeMap<Ability, bool>;

/// Everything known about a model's abilities, with the source of each statement.
///
/// ```
/// use windlass_vendors::{Ability, ClaimSource, Vendors};
/// use windlass_protocol::Support;
/// let vendors = Vendors::builtin();
/// let known = vendors.get("deepseek").ok_or("not found")?.capabilities("deepseek-chat");
/// assert_eq!(known.claim(Ability::Images).support, Support::No);
/// assert_eq!(known.claim(Ability::Images).source, Some(ClaimSource::Vendor));
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ModelCapabilities(BTreeMap<Ability, Claim>);

/// Abilities as a configuration file writes them: named fields, so that an error can name the wrong one.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Fields {
    native_tools: Option<bool>,
    parallel_calls: Option<bool>,
    forced_tool_choice: Option<bool>,
    images: Option<bool>,
    documents: Option<bool>,
    audio: Option<bool>,
    structured_output: Option<bool>,
    json_output: Option<bool>,
    reasoning: Option<bool>,
}

/// Deserializes abilities from a configuration file.
pub(crate) fn deserialize_claims<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Claims, D::Error> {
    let fields = Fields::deserialize(deserializer)?;
    let claims = [
        (Ability::NativeTools, fields.native_tools),
        (Ability::ParallelCalls, fields.parallel_calls),
        (Ability::ForcedToolChoice, fields.forced_tool_choice),
        (Ability::Images, fields.images),
        (Ability::Documents, fields.documents),
        (Ability::Audio, fields.audio),
        (Ability::StructuredOutput, fields.structured_output),
        (Ability::JsonOutput, fields.json_output),
        (Ability::Reasoning, fields.reasoning),
    ];
    Ok(claims.into_iter().filter_map(|(ability, has)| Some((ability, has?))).collect())
}

impl Ability {
    /// All abilities.
    pub const ALL: &[Self] = &[
        Self::NativeTools,
        Self::ParallelCalls,
        Self::ForcedToolChoice,
        Self::Images,
        Self::Documents,
        Self::Audio,
        Self::StructuredOutput,
        Self::JsonOutput,
        Self::Reasoning,
    ];
}

impl ModelCapabilities {
    /// Returns the support for one ability and its source.
    pub fn claim(&self, ability: Ability) -> Claim {
        self.0.get(&ability).cloned().unwrap_or(Claim { support: Support::Unknown, source: None })
    }

    /// Returns the support without sources, as the loop and the wire formats use it.
    pub fn capabilities(&self) -> Capabilities {
        Capabilities {
            native_tools: self.claim(Ability::NativeTools).support,
            parallel_calls: self.claim(Ability::ParallelCalls).support,
            forced_tool_choice: self.claim(Ability::ForcedToolChoice).support,
            images: self.claim(Ability::Images).support,
            documents: self.claim(Ability::Documents).support,
            audio: self.claim(Ability::Audio).support,
            structured_output: self.claim(Ability::StructuredOutput).support,
            json_output: self.claim(Ability::JsonOutput).support,
        }
    }

    /// Adds the statements of a weaker source for abilities that are not stated yet.
    pub(crate) fn add(&mut self, claims: &Claims, source: &ClaimSource) {
        for (ability, has) in claims {
            let support = if *has { Support::Yes } else { Support::No };
            self.0.entry(*ability).or_insert_with(|| Claim { support, source: Some(source.clone()) });
        }
    }
}
