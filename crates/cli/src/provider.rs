//! The provider of a run, and the environment variable with its key.

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use windlass_client::{Client, Endpoint, Options, Vendor, Vendors};

use crate::arguments::{Models, Proxy, Reach, Run, WireName};
use crate::reach::{missing_key, variable};
use crate::tape::Tape;

/// The provider of a run, stored in the run's settings without the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Provider {
    /// Name of a known provider, unless only an address is given.
    pub(crate) name: Option<String>,
    /// Address that replaces the provider's own.
    pub(crate) base_url: Option<String>,
    /// Wire format, for an address without a known provider.
    pub(crate) wire: Option<WireName>,
    /// The provider's name of the model.
    pub(crate) model: String,
}

impl Provider {
    /// Returns the provider that the options and the environment select.
    pub(crate) fn of(arguments: &Run) -> anyhow::Result<Self> {
        let model = arguments
            .model
            .clone()
            .or_else(|| variable("WINDLASS_MODEL"))
            .context("name a model with --model, or set WINDLASS_MODEL")?;
        let mut name = arguments.provider.clone();
        let mut base_url = arguments.base_url.clone();
        if name.is_none() && base_url.is_none() {
            base_url = variable("OPENAI_BASE_URL")
                .filter(|_| arguments.wire.is_none_or(|wire| wire == WireName::default()));
        }
        if name.is_none() && base_url.is_none() {
            name = Some(by_key(arguments.wire)?.to_owned());
        }
        let mut provider = Self { name, base_url, wire: arguments.wire, model };
        let vendor = provider.vendor(&arguments.reach.vendors()?)?;
        // Store the address: a run that is resumed in another environment must use the same server.
        if provider.base_url.is_none() {
            provider.base_url = vendor.endpoint.base_url_env.as_deref().and_then(variable);
        }
        Ok(provider)
    }

    /// Returns the provider whose models are listed.
    pub(crate) fn of_models(arguments: &Models) -> Self {
        Self {
            name: arguments.provider.clone(),
            base_url: arguments.base_url.clone(),
            wire: arguments.wire,
            model: String::new(),
        }
    }

    /// Returns the upstream provider of the proxy.
    pub(crate) fn of_upstream(arguments: &Proxy) -> Self {
        Self {
            name: arguments.upstream.clone(),
            base_url: arguments.base_url.clone(),
            wire: arguments.wire,
            model: String::new(),
        }
    }

    /// Returns the providers that are used if this one fails.
    pub(crate) fn fallbacks(&self, arguments: &Run) -> anyhow::Result<Vec<Self>> {
        let vendors = arguments.reach.vendors()?;
        let of = |text: &String| match text.split_once(':') {
            // Model names can contain colons, so the part before one counts as a provider only if it is
            // known.
            Some((name, model)) if vendors.get(name).is_some() => {
                Self { name: Some(name.to_owned()), base_url: None, wire: None, model: model.to_owned() }
            }
            _ => Self { model: text.clone(), ..self.clone() },
        };
        let fallbacks: Vec<Self> = arguments.fallback.iter().map(of).collect();
        anyhow::ensure!(
            fallbacks.iter().all(|provider| !provider.model.is_empty()),
            "--fallback names no model"
        );
        Ok(fallbacks)
    }

    /// Returns a client and the model's name. Fails if a live run has no key.
    pub(crate) fn client(&self, reach: &Reach, tape: &Tape) -> anyhow::Result<(Client, String)> {
        let vendor = self.vendor(&reach.vendors()?)?;
        if let (Some(name), None, true) = (missing_key(&vendor), &self.base_url, tape.is_live()) {
            anyhow::bail!("there is no key for {}: set {name}", vendor.name());
        }
        Ok((reach.client_on(tape, vendor, Options::default())?, self.model.clone()))
    }

    /// Returns the vendor, with `base_url` in place of its address if there is one.
    pub(crate) fn vendor(&self, vendors: &Vendors) -> anyhow::Result<Vendor> {
        match (&self.name, &self.base_url) {
            (Some(name), base_url) => {
                let mut vendor = vendors.get(name).cloned().with_context(|| {
                    let known = vendors.names().collect::<Vec<_>>().join(", ");
                    format!("the provider {name} is not known; known are {known}")
                })?;
                if let Some(url) = base_url {
                    vendor.endpoint = vendor.endpoint.with_base_url(url.clone());
                }
                Ok(vendor)
            }
            (None, Some(base_url)) => {
                let wire = self.wire.unwrap_or_default();
                let mut endpoint = Endpoint::custom(base_url.clone(), wire.as_str());
                endpoint.key_env = key_env(wire);
                Ok(Vendor::plain(endpoint))
            }
            (None, None) => anyhow::bail!("no provider is named"),
        }
    }
}

/// Returns the environment variable with the key of the vendor that defined a wire format.
fn key_env(wire: WireName) -> Option<String> {
    Endpoint::find(wire.vendor())?.key_env
}

/// Returns the provider whose key is set in the environment.
fn by_key(wire: Option<WireName>) -> anyhow::Result<&'static str> {
    let mut known = Vec::new();
    for candidate in WireName::all() {
        let Some(name) = key_env(*candidate) else { continue };
        if wire.is_none_or(|wire| wire == *candidate) && variable(&name).is_some() {
            return Ok(candidate.vendor());
        }
        known.push(name);
    }
    known.dedup();
    let last = known.pop().unwrap_or_default();
    anyhow::bail!(
        "no provider: set {} or {last}, or name one with --provider or --base-url",
        known.join(", ")
    )
}
