//! `windlass models`: lists providers, or a provider's models with the known facts and their sources.

use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use windlass_app::providers::{KeySource, Provider, find_key_source, missing_key};
use windlass_app::{App, variable};
use windlass_client::{
    Ability, Claim, ClaimSource, Client, ModelCapabilities, ModelEntry, ModelPrice, Options,
    ParameterRejection, Vendor, Vendors,
};
use windlass_protocol::{Prices, Support};
use windlass_text::count_noun;

use crate::arguments::{Models, provider_choice};
use crate::output;

/// Maximum age of a stored list of models that is used without a new request.
const FRESH: Duration = Duration::from_hours(24);

/// Displayed abilities by the heads of their columns.
const COLUMNS: [(&str, Ability); 9] = [
    ("tools", Ability::NativeTools),
    ("parallel", Ability::ParallelCalls),
    ("forced", Ability::ForcedToolChoice),
    ("images", Ability::Images),
    ("pdf", Ability::Documents),
    ("audio", Ability::Audio),
    ("schema", Ability::StructuredOutput),
    ("json", Ability::JsonOutput),
    ("thoughts", Ability::Reasoning),
];

const LEGEND: &str = "yes, no or ? (not known); source: c the user's file, r a refusal, l the provider's \
                      list, t windlass's table of model names, v windlass's entry of the provider";

/// A provider as a line of JSON.
#[derive(Serialize)]
struct ProviderLine<'a> {
    provider: &'a str,
    wire: &'a str,
    base_url: &'a str,
    key: Option<&'a str>,
    has_key: bool,
    schema: &'a str,
}

/// A model as a line of JSON.
#[derive(Serialize)]
struct ModelLine {
    provider: String,
    #[serde(flatten)]
    entry: ModelEntry,
    /// Prices of a million tokens, in millionths of a US dollar or of the user's currency; `null` if they are unknown.
    prices: Option<Prices>,
    /// Price of storing a million tokens in a cache of the provider for an hour, in the same unit, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_storage: Option<u64>,
    known: ModelCapabilities,
    /// Parameters that the provider refused.
    refused: Vec<ParameterRejection>,
}

pub(crate) async fn models(arguments: Models, app: &App) -> anyhow::Result<ExitCode> {
    let reach = arguments.reach.options();
    let vendors = reach.vendors(app)?;
    let Models { provider, base_url, wire, .. } = &arguments;
    let choice = provider_choice(provider.as_ref(), base_url.as_ref(), *wire, None);
    let mut provider = Provider::from_choice(&choice);
    if provider.name.is_none() && provider.base_url.is_none() {
        providers(app, &vendors, arguments.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let vendor = provider.vendor(&vendors)?;
    provider.base_url =
        provider.base_url.or_else(|| vendor.endpoint.base_url_env.as_deref().and_then(variable));
    let vendor = provider.vendor(&vendors)?;
    // A command that lists models must not wait for a server that is down.
    let options = Options { retries: 1, total_timeout: Duration::from_mins(1), ..Options::default() };
    let client = reach.client(app, vendor.clone(), options)?;
    if arguments.forget {
        client.capability_store().forget(&client.provider());
    }
    let is_named = provider.base_url.is_some();
    let missing = missing_key(app, &vendor)?.filter(|_| !is_named);
    let is_current = update_listing(&client, &vendor, missing, &arguments).await;
    let entries = entries(&client, &vendor, &arguments);
    if arguments.json {
        for mut entry in entries {
            entry.context_tokens = entry.context_tokens.or_else(|| client.context_tokens(&entry.id));
            let price = client.price(&entry.id);
            let storage = price.as_ref().and_then(|price| price.storage);
            output::line(&ModelLine {
                provider: vendor.name().to_owned(),
                prices: price.map(|price| price.prices),
                cache_storage: storage.map(|storage| storage.million_token_hours),
                known: client.capabilities(&entry.id),
                refused: client.capability_store().rejections(&client.provider(), &entry.id),
                entry,
            })?;
        }
    } else {
        output::print(&table(&client, &entries))?;
    }
    if let Some(trouble) = client.capability_store().trouble() {
        output::note(&trouble);
    }
    // A server that the user named must have responded. Without one, the built-in table is a sufficient
    // answer.
    let is_answered = is_current || !(is_named || arguments.refresh);
    Ok(if is_answered { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn providers(app: &App, vendors: &Vendors, is_json: bool) -> anyhow::Result<()> {
    for vendor in vendors.iter() {
        let endpoint = &vendor.endpoint;
        let (key_env, source) = (endpoint.key_env.as_deref(), find_key_source(app, vendor)?);
        if is_json {
            output::line(&ProviderLine {
                provider: vendor.name(),
                wire: &endpoint.wire,
                base_url: &endpoint.base_url,
                key: key_env,
                has_key: source.is_some(),
                schema: &vendor.schema,
            })?;
            continue;
        }
        let key = match (key_env, source, missing_key(app, vendor)?) {
            (_, Some(KeySource::Command), _) => "key from a command".to_owned(),
            (_, Some(KeySource::Stored), _) => "key from windlass login".to_owned(),
            (_, Some(KeySource::Keyring), _) => "key from the keyring".to_owned(),
            (None, ..) => "no key".to_owned(),
            (Some(name), Some(_), _) => format!("{name} is set"),
            (Some(name), None, Some(_)) => format!("set {name}"),
            (Some(name), None, None) => format!("{name} if the server needs one"),
        };
        let (name, wire, url) = (vendor.name(), &endpoint.wire, &endpoint.base_url);
        output::print(&format!("{name:18} {wire:17} {url:52} {key}\n"))?;
    }
    Ok(())
}

/// Requests the provider's list of models if the stored list is stale or `--refresh` is given. Returns false,
/// and prints the reason, if the provider did not send a list.
async fn update_listing(client: &Client, vendor: &Vendor, missing: Option<&str>, arguments: &Models) -> bool {
    let listing = client.capability_store().listing(&client.provider());
    let age = listing.as_ref().and_then(|listing| age(listing.asked_at));
    if !arguments.refresh && age.is_some_and(|age| age < FRESH) {
        return true;
    }
    let failure = match missing {
        Some(name) => Some(format!("the key is missing: set {name}")),
        None => client.list_models().await.err().map(|error| error.to_string()),
    };
    let Some(failure) = failure else { return true };
    let instead = match age {
        Some(age) => format!("its list of {} ago", format_age(age)),
        None => "windlass's own table and facts learned from refusals".to_owned(),
    };
    output::note(&format!(
        "the models of {} could not be requested ({failure}); this is {instead}",
        vendor.name()
    ));
    false
}

/// Returns the models to display: the named one, or the listed and refused ones, or else the patterns of the
/// built-in table.
fn entries(client: &Client, vendor: &Vendor, arguments: &Models) -> Vec<ModelEntry> {
    let provider = client.provider();
    let mut entries =
        client.capability_store().listing(&provider).map(|listing| listing.models).unwrap_or_default();
    if let Some(name) = &arguments.model {
        entries.retain(|entry| entry.id == *name);
        return if entries.is_empty() { vec![ModelEntry::new(name)] } else { entries };
    }
    for id in client.capability_store().models(&provider) {
        if entries.iter().all(|entry| entry.id != id) {
            entries.push(ModelEntry::new(id));
        }
    }
    if entries.is_empty() {
        entries = vendor.patterns().map(ModelEntry::new).collect();
        entries.dedup_by(|a, b| a.id == b.id);
    }
    entries
}

fn table(client: &Client, entries: &[ModelEntry]) -> String {
    let width = entries.iter().map(|entry| entry.id.chars().count()).max().unwrap_or(0).clamp(5, 60);
    let heads = COLUMNS.map(|(head, _)| format!("{head:>8}")).join(" ");
    let mut lines = vec![format!("{:width$} {:>9} {:>13} {heads}", "model", "window", "in/out")];
    for entry in entries {
        let known = client.capabilities(&entry.id);
        let window = entry.context_tokens.or_else(|| client.context_tokens(&entry.id));
        let window = window.map(|tokens| tokens.to_string()).unwrap_or_default();
        let price = price_cell(client.price(&entry.id));
        let cells = COLUMNS.map(|(_, ability)| format!("{:>8}", cell(&known.claim(ability)))).join(" ");
        lines.push(format!("{:width$} {window:>9} {price:>13} {cells}", plain(&entry.id)));
        let refused = client.capability_store().rejections(&client.provider(), &entry.id).into_iter();
        lines.extend(refused.map(|fact| format!("  refused: {} ({})", fact.parameter, plain(&fact.message))));
    }
    lines.push(LEGEND.to_owned());
    lines.push(String::new());
    lines.join("\n")
}

/// Formats the prices of a million tokens of requests and of answers; `?` if they are unknown.
fn price_cell(price: Option<ModelPrice>) -> String {
    let amount = |millionths: u64| {
        let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    price.map_or_else(
        || "?".to_owned(),
        |ModelPrice { prices, .. }| format!("{}/{}", amount(prices.input), amount(prices.output)),
    )
}

fn cell(answer: &Claim) -> String {
    let support = match answer.support {
        Support::Yes => "yes",
        Support::No => "no",
        Support::Unknown => return "?".to_owned(),
    };
    let source = match &answer.source {
        Some(ClaimSource::Config) => " c",
        Some(ClaimSource::Learned) => " r",
        Some(ClaimSource::Discovered) => " l",
        Some(ClaimSource::Table(_)) => " t",
        Some(ClaimSource::Vendor) => " v",
        _ => "",
    };
    format!("{support}{source}")
}

/// Returns a provider's text without control and bidirectional formatting characters, for one line of a
/// table.
fn plain(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Returns the age of a list, or `None` if its time is in the future because a clock was wrong.
fn age(asked_at: u64) -> Option<Duration> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.checked_sub(Duration::from_secs(asked_at))
}

fn format_age(age: Duration) -> String {
    match age.as_secs() {
        seconds @ ..7200 => count_noun(seconds / 60, "minute"),
        seconds @ ..172_800 => count_noun(seconds / 3600, "hour"),
        seconds => count_noun(seconds / 86_400, "day"),
    }
}
