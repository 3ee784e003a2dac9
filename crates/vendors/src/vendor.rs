//! One row of the vendor table: endpoint, wire format and differences from other vendors.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use windlass_wire::Wire;

use crate::capability::{ClaimSource, Claims, ModelCapabilities, deserialize_claims};
use crate::discovery::Discovery;
use crate::edit::{Change, Edit};
use crate::endpoint::Endpoint;
use crate::formats::WireFormat;
use crate::pattern::fits;
use crate::prices::{ModelPrice, OwnPrice, find_context, find_price};
use crate::quirk::Quirk;

/// Schema dialect of a wire format that the crate does not know.
const DEFAULT_DIALECT: &str = "openai";

/// A vendor: its endpoint, and its differences from others that speak the same wire format.
///
/// ```
/// use windlass_vendors::{Quirk, Vendors};
/// let vendors = Vendors::builtin();
/// let xai = vendors.get("xai").ok_or("not found")?;
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
    /// The vendor's name in the conventions of OpenTelemetry (`gen_ai.provider.name`); `None` if it is the name of the
    /// row.
    pub otel_name: Option<String>,
    /// Format of the vendor's model list.
    pub discovery: Discovery,
    /// Rules from the user's files, the latest first.
    pub(crate) config: Vec<Rule>,
    /// Rules of the built-in table for some models.
    pub(crate) table: Vec<Rule>,
    /// Rule for all models, the weakest.
    pub(crate) defaults: Rule,
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
    #[serde(deserialize_with = "deserialize_claims")]
    pub(crate) capabilities: Claims,
    /// The prices of the tokens.
    pub(crate) price: Option<OwnPrice>,
}

impl Vendor {
    /// Returns a vendor without quirks and known abilities for this endpoint.
    pub fn plain(endpoint: Endpoint) -> Self {
        let wire = WireFormat::find(&endpoint.wire).map(|format| format.wire.as_ref());
        Self {
            schema: wire.map_or(DEFAULT_DIALECT, Wire::schema_dialect).to_owned(),
            otel_name: None,
            discovery: wire.map(Discovery::for_wire).unwrap_or_default(),
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
    /// [`RequestEncoder::capabilities`](crate::RequestEncoder::capabilities) adds learned and listed abilities.
    pub fn capabilities(&self, model: &str) -> ModelCapabilities {
        self.combine_claims(model, &[])
    }

    /// Like [`Self::capabilities`], with statements of the provider, which are weaker than the user's files
    /// and stronger than the table.
    pub(crate) fn combine_claims(&self, model: &str, stated: &[(ClaimSource, Claims)]) -> ModelCapabilities {
        let mut known = ModelCapabilities::default();
        let (config, others): (Vec<_>, Vec<_>) =
            self.rules(model).partition(|(_, source)| *source == ClaimSource::Config);
        let of = |(rule, source): &(&'_ Rule, ClaimSource)| (source.clone(), rule.capabilities.clone());
        for (source, claims) in
            config.iter().map(of).chain(stated.iter().cloned()).chain(others.iter().map(of))
        {
            known.add(&claims, &source);
        }
        known
    }

    /// Returns the price of a model, from the user's files or from the table of this crate. The table counts only at the
    /// vendor's own address.
    pub fn price(&self, model: &str) -> Option<ModelPrice> {
        let own = self.rules(model).find_map(|(rule, _)| rule.price.as_ref());
        let listed = || find_price(self.endpoint.price_list.as_deref()?, model);
        own.map(OwnPrice::price).or_else(listed)
    }

    /// Returns the largest request of a model in tokens, from the table of this crate.
    pub fn context_tokens(&self, model: &str) -> Option<u64> {
        find_context(self.endpoint.price_list.as_deref()?, model)
    }

    /// Returns the wire format, or `None` if it is not one of [`WireFormat::all`].
    pub fn wire(&self) -> Option<Arc<dyn Wire>> {
        WireFormat::find(&self.endpoint.wire).map(|format| format.wire.clone())
    }

    /// Returns the edits of an encoded body for a model.
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
    fn rules(&self, model: &str) -> impl Iterator<Item = (&Rule, ClaimSource)> {
        let config = self.config.iter().map(|rule| (rule, ClaimSource::Config));
        let table = self.table.iter().map(|rule| (rule, ClaimSource::Table(rule.pattern.clone())));
        let matching = config.chain(table).filter(move |(rule, _)| fits(&rule.pattern, model));
        matching.chain(std::iter::once((&self.defaults, ClaimSource::Vendor)))
    }
}

#[cfg(test)]
mod tests;
