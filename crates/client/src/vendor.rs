//! One row of the table of vendors: where it is, what it speaks, and in what it differs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use windlass_wire::Wire;
use windlass_wire_anthropic::Anthropic;
use windlass_wire_gemini::Gemini;
use windlass_wire_openai_chat::{MaxTokensField, OpenAiChat, OpenAiChatOptions, StreamUsage};
use windlass_wire_openai_responses::{EncryptedReasoning, OpenAiResponses, OpenAiResponsesOptions};

use crate::capability::{Known, Said, Source, said};
use crate::edit::{Change, Edit};
use crate::{Endpoint, Quirk};

/// A vendor: its endpoint, and in what it differs from others that speak the same wire format.
///
/// ```
/// use windlass_client::{Quirk, Vendors};
/// let vendors = Vendors::builtin();
/// let xai = vendors.get("xai").ok_or("not there")?;
/// assert_eq!(xai.endpoint.key_env.as_deref(), Some("XAI_API_KEY"));
/// assert!(xai.quirks("grok-4").contains(&Quirk::NoStop));
/// assert!(!xai.quirks("grok-4-fast-non-reasoning").contains(&Quirk::NoStop));
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Vendor {
    /// Where it is, and how it wants its key.
    pub endpoint: Endpoint,
    /// The dialect that tools' schemas are compiled to for it.
    pub schema: String,
    /// How it is asked for its models.
    pub discovery: Discovery,
    /// What the user's files say, the latest first.
    pub(crate) config: Vec<Rule>,
    /// What the table of this crate says of some models.
    pub(crate) table: Vec<Rule>,
    /// What holds for all models unless something else is said.
    pub(crate) defaults: Rule,
}

/// How a vendor is asked for its models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Discovery {
    /// `GET /models`, as OpenAI has it: names, and seldom more.
    #[default]
    OpenAi,
    /// `GET /models` with `supported_parameters`, as OpenRouter has it.
    OpenRouter,
    /// `GET /models`, and `POST /api/show` for each model, as Ollama has it.
    Ollama,
    /// `GET /v1/models`, as Anthropic has it.
    Anthropic,
    /// `GET /models`, as Gemini has it.
    Gemini,
    /// Not at all.
    None,
}

/// What is said of the models whose names are of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Rule {
    /// The pattern: `*` stands for any characters. Case does not count.
    pub(crate) pattern: String,
    pub(crate) schema: Option<String>,
    pub(crate) quirks: BTreeSet<Quirk>,
    pub(crate) without_quirks: BTreeSet<Quirk>,
    /// Fields that are never sent, by path.
    pub(crate) drop: BTreeSet<String>,
    /// Fields that have another name there.
    pub(crate) rename: BTreeMap<String, String>,
    /// Fields that are sent where a request has none of that name.
    pub(crate) body: BTreeMap<String, serde_json::Value>,
    #[serde(deserialize_with = "said")]
    pub(crate) capabilities: Said,
}

impl Vendor {
    /// A server of which nothing is known but where it is and what it speaks.
    pub fn plain(endpoint: Endpoint) -> Self {
        let schema = match endpoint.wire.as_str() {
            "anthropic" => "anthropic",
            // The field that the wire format sends takes JSON Schema.
            "gemini" => "gemini-json-schema",
            _ => "openai",
        };
        Self {
            schema: schema.to_owned(),
            discovery: Discovery::of_wire(&endpoint.wire),
            endpoint,
            config: Vec::new(),
            table: Vec::new(),
            defaults: Rule { pattern: "*".to_owned(), ..Rule::default() },
        }
    }

    /// The patterns of models' names of which the files and the table say something, the strongest first.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.config
            .iter()
            .chain(&self.table)
            .map(|rule| rule.pattern.as_str())
            .filter(|pattern| *pattern != "*")
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.endpoint.name
    }

    /// The dialect that tools' schemas are compiled to for a model.
    pub fn schema(&self, model: &str) -> &str {
        self.rules(model).find_map(|(rule, _)| rule.schema.as_deref()).unwrap_or(&self.schema)
    }

    /// The quirks that hold for a model. Where one rule has a quirk and another is without it, the stronger counts:
    /// the user's file, then the table, then the vendor's own row.
    pub fn quirks(&self, model: &str) -> BTreeSet<Quirk> {
        let (mut quirks, mut without) = (BTreeSet::new(), BTreeSet::<Quirk>::new());
        for (rule, _) in self.rules(model) {
            quirks.extend(rule.quirks.iter().filter(|quirk| !without.contains(*quirk)));
            without.extend(rule.without_quirks.iter().filter(|quirk| !quirks.contains(*quirk)));
        }
        quirks
    }

    /// What the files and the table say of a model's abilities. The client also knows what was learned and
    /// discovered.
    pub fn capabilities(&self, model: &str) -> Known {
        self.known(model, &[])
    }

    /// The same with what was asked of the provider, which is weaker than the user's files and stronger than the table.
    pub(crate) fn known(&self, model: &str, asked: &[(Source, Said)]) -> Known {
        let mut known = Known::default();
        let (config, others): (Vec<_>, Vec<_>) =
            self.rules(model).partition(|(_, source)| *source == Source::Config);
        let of = |(rule, source): &(&'_ Rule, Source)| (source.clone(), rule.capabilities.clone());
        for (source, said) in config.iter().map(of).chain(asked.iter().cloned()).chain(others.iter().map(of))
        {
            known.add(&said, &source);
        }
        known
    }

    /// The wire format, set up for a model; none if this crate does not know the format.
    pub fn wire(&self, model: &str) -> Option<Arc<dyn Wire>> {
        let quirks = self.quirks(model);
        Some(match self.endpoint.wire.as_str() {
            "openai-chat" => {
                let mut options = OpenAiChatOptions::default();
                if quirks.contains(&Quirk::MaxCompletionTokens) {
                    options = options.with_max_tokens_field(MaxTokensField::MaxCompletionTokens);
                }
                if quirks.contains(&Quirk::NoStreamOptions) {
                    options = options.with_stream_usage(StreamUsage::Leave);
                }
                Arc::new(OpenAiChat::new(options))
            }
            "openai-responses" => {
                let mut options = OpenAiResponsesOptions::default();
                if quirks.contains(&Quirk::NoEncryptedReasoning) {
                    options = options.with_encrypted_reasoning(EncryptedReasoning::Leave);
                }
                Arc::new(OpenAiResponses::new(options))
            }
            "anthropic" => Arc::new(Anthropic::default()),
            "gemini" => Arc::new(Gemini::default()),
            _ => return None,
        })
    }

    /// The changes of a body for a model, besides those of the wire format's options.
    pub(crate) fn edits(&self, model: &str) -> Vec<Edit> {
        let mut edits: Vec<Edit> = self.quirks(model).into_iter().filter_map(Quirk::edit).collect();
        for (rule, _) in self.rules(model) {
            edits.extend(rule.drop.iter().map(|path| Edit::new(path, Change::Drop)));
            edits.extend(rule.rename.iter().map(|(from, to)| Edit::new(from, Change::Rename(to.clone()))));
            edits.extend(
                rule.body.iter().map(|(name, value)| Edit::new(name, Change::Default(value.to_string()))),
            );
        }
        edits
    }

    /// The rules for a model, the strongest first.
    fn rules(&self, model: &str) -> impl Iterator<Item = (&Rule, Source)> {
        let config = self.config.iter().map(|rule| (rule, Source::Config));
        let table = self.table.iter().map(|rule| (rule, Source::Table(rule.pattern.clone())));
        let matching = config.chain(table).filter(move |(rule, _)| fits(&rule.pattern, model));
        matching.chain(std::iter::once((&self.defaults, Source::Vendor)))
    }
}

/// Whether a name is of a pattern in which `*` stands for any characters. Work is bounded by pattern times name.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b);
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut seen) = (0, 0);
    // Where the last star stands, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = name.get(seen) {
        match (pattern.get(at), star) {
            (Some(b'*'), _) => {
                star = Some((at, seen));
                at = at.saturating_add(1);
            }
            (Some(wanted), _) if same(*wanted, *byte) => {
                at = at.saturating_add(1);
                seen = seen.saturating_add(1);
            }
            (_, Some((place, taken))) => {
                let taken = taken.saturating_add(1);
                star = Some((place, taken));
                (at, seen) = (place.saturating_add(1), taken);
            }
            (_, None) => return false,
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
mod tests;
