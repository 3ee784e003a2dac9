//! One row of the vendor table: endpoint, wire format and differences from other vendors.

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

/// A vendor: its endpoint, and its differences from others that speak the same wire format.
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
    /// Address and authentication.
    pub endpoint: Endpoint,
    /// Name of the JSON Schema dialect that tool schemas are compiled to.
    pub schema: String,
    /// Format of the vendor's model list.
    pub discovery: Discovery,
    /// Rules from the user's files, the latest first.
    pub(crate) config: Vec<Rule>,
    /// Rules of the built-in table for some models.
    pub(crate) table: Vec<Rule>,
    /// Rule for all models, the weakest.
    pub(crate) defaults: Rule,
}

/// Format of a vendor's model list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Discovery {
    /// `GET /models` in OpenAI's format: names, seldom more.
    #[default]
    OpenAi,
    /// `GET /models` with `supported_parameters`, in OpenRouter's format.
    OpenRouter,
    /// `GET /models`, then `POST /api/show` for each model, in Ollama's format.
    Ollama,
    /// `GET /v1/models` in Anthropic's format.
    Anthropic,
    /// `GET /models` in Gemini's format.
    Gemini,
    /// The vendor has no list.
    None,
}

/// Settings for the models whose names match a pattern.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Rule {
    /// Pattern of model names, in which `*` matches any characters. Case is ignored.
    pub(crate) pattern: String,
    pub(crate) schema: Option<String>,
    pub(crate) quirks: BTreeSet<Quirk>,
    pub(crate) without_quirks: BTreeSet<Quirk>,
    /// Paths of fields that are never sent.
    pub(crate) drop: BTreeSet<String>,
    /// Fields that are sent under another name.
    pub(crate) rename: BTreeMap<String, String>,
    /// Fields that are added to a request that lacks them.
    pub(crate) body: BTreeMap<String, serde_json::Value>,
    #[serde(deserialize_with = "said")]
    pub(crate) capabilities: Said,
}

impl Vendor {
    /// Returns a vendor without quirks and known abilities for this endpoint.
    pub fn plain(endpoint: Endpoint) -> Self {
        let schema = match endpoint.wire.as_str() {
            "anthropic" => "anthropic",
            // The request field that the wire format uses takes JSON Schema.
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

    /// Returns the patterns of model names in the user's files and the table, the strongest first.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.config
            .iter()
            .chain(&self.table)
            .map(|rule| rule.pattern.as_str())
            .filter(|pattern| *pattern != "*")
    }

    /// Returns the name of the vendor.
    pub fn name(&self) -> &str {
        &self.endpoint.name
    }

    /// Returns the dialect that tool schemas are compiled to for a model.
    pub fn schema(&self, model: &str) -> &str {
        self.rules(model).find_map(|(rule, _)| rule.schema.as_deref()).unwrap_or(&self.schema)
    }

    /// Returns the quirks of a model. If one rule adds a quirk and another removes it, the stronger rule
    /// wins: the user's file, then the table, then the vendor's own row.
    pub fn quirks(&self, model: &str) -> BTreeSet<Quirk> {
        let (mut quirks, mut without) = (BTreeSet::new(), BTreeSet::<Quirk>::new());
        for (rule, _) in self.rules(model) {
            quirks.extend(rule.quirks.iter().filter(|quirk| !without.contains(*quirk)));
            without.extend(rule.without_quirks.iter().filter(|quirk| !quirks.contains(*quirk)));
        }
        quirks
    }

    /// Returns the abilities of a model as the files and the table state them.
    /// [`Client::capabilities`](crate::Client::capabilities) adds learned and listed abilities.
    pub fn capabilities(&self, model: &str) -> Known {
        self.known(model, &[])
    }

    /// Like [`Self::capabilities`], with statements of the provider, which are weaker than the user's files
    /// and stronger than the table.
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

    /// Returns the wire format with the options that a model's quirks require, or `None` if this crate does
    /// not know the format.
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

    /// Returns the edits of an encoded body for a model, except those that options of the wire format
    /// replace.
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

    /// Returns the rules for a model, the strongest first.
    fn rules(&self, model: &str) -> impl Iterator<Item = (&Rule, Source)> {
        let config = self.config.iter().map(|rule| (rule, Source::Config));
        let table = self.table.iter().map(|rule| (rule, Source::Table(rule.pattern.clone())));
        let matching = config.chain(table).filter(move |(rule, _)| fits(&rule.pattern, model));
        matching.chain(std::iter::once((&self.defaults, Source::Vendor)))
    }
}

/// Returns true if a name matches a pattern in which `*` matches any characters. The number of
/// steps is at most the product of both lengths.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b);
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut seen) = (0, 0);
    // Position of the last star, and the end of the text that it has matched.
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
