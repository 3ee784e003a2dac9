//! The provider of a run, and the environment variable with its key.

use serde::{Deserialize, Serialize};
use windlass_client::{Client, Endpoint, ModelPrice, Options, Vendor, Vendors};

use super::{ProviderOptions, missing_key};
use crate::app::App;
use crate::config::{WireFormat, variable};
use crate::error::{AppError, Context as _, ErrorKind, Remedy, Result, Setting, bail, ensure};
use crate::runs::Recording;

/// A provider and a model as a person names them. Missing parts come from the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderChoice {
    /// Name of a known provider.
    pub provider: Option<String>,
    /// Address that replaces the provider's own.
    pub base_url: Option<String>,
    /// Wire format, in place of the one that the provider defines.
    pub wire: Option<WireFormat>,
    /// The provider's name of the model.
    pub model: Option<String>,
}

/// The provider of a run, stored in the run's settings without the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Provider {
    /// Name of a known provider, unless only an address is given.
    pub name: Option<String>,
    /// Address that replaces the provider's own.
    pub base_url: Option<String>,
    /// Wire format, in place of the one that the provider defines.
    pub wire: Option<WireFormat>,
    /// The provider's name of the model.
    pub model: String,
}

impl Provider {
    /// Returns the provider that the choice and the environment select.
    ///
    /// # Errors
    ///
    /// Fails if no model or no provider is named, or if the provider is unknown.
    pub fn select(app: &App, choice: &ProviderChoice, options: &ProviderOptions) -> Result<Self> {
        let model = choice
            .model
            .clone()
            .or_else(|| variable("WINDLASS_MODEL"))
            .context("no model is named, and WINDLASS_MODEL is not set")
            .map_err(|error| error.with_remedy(Remedy::Set(Setting::Model)))?;
        let mut name = choice.provider.clone();
        let mut base_url = choice.base_url.clone();
        if name.is_none() && base_url.is_none() {
            base_url = variable("OPENAI_BASE_URL")
                .filter(|_| choice.wire.is_none_or(|wire| wire == WireFormat::default()));
        }
        if name.is_none() && base_url.is_none() {
            name = Some(find_by_key(choice.wire)?.to_owned());
        }
        let mut provider = Self { name, base_url, wire: choice.wire, model };
        let vendor = provider.vendor(&options.vendors(app)?)?;
        // Store the address: a run that is resumed in another environment must use the same server.
        if provider.base_url.is_none() {
            provider.base_url = vendor.endpoint.base_url_env.as_deref().and_then(variable);
        }
        Ok(provider)
    }

    /// Returns a provider without a model, to list its models or to serve it to other clients.
    pub fn from_choice(choice: &ProviderChoice) -> Self {
        let ProviderChoice { provider, base_url, wire, .. } = choice.clone();
        Self { name: provider, base_url, wire, model: String::new() }
    }

    /// Parses the providers that are used, in order, if this one fails: `MODEL` of the same provider, or
    /// `PROVIDER:MODEL`.
    ///
    /// # Errors
    ///
    /// Fails if a text names no model.
    pub fn parse_fallbacks(
        &self,
        app: &App,
        texts: &[String],
        options: &ProviderOptions,
    ) -> Result<Vec<Self>> {
        let vendors = options.vendors(app)?;
        let parse = |text: &String| match text.split_once(':') {
            // Model names can contain colons, so the part before one counts as a provider only if it is
            // known.
            Some((name, model)) if vendors.get(name).is_some() => {
                Self { name: Some(name.to_owned()), base_url: None, wire: None, model: model.to_owned() }
            }
            _ => Self { model: text.clone(), ..self.clone() },
        };
        let fallbacks: Vec<Self> = texts.iter().map(parse).collect();
        ensure!(
            fallbacks.iter().all(|provider| !provider.model.is_empty()),
            Invalid,
            remedy: Remedy::Set(Setting::Fallbacks),
            "a fallback has no model"
        );
        Ok(fallbacks)
    }

    /// Returns a client for requests outside of a run.
    ///
    /// # Errors
    ///
    /// Fails if the provider is unknown, or if its key is not set.
    pub fn client(&self, app: &App, options: &ProviderOptions) -> Result<Client> {
        Ok(self.run_client(app, options, &Recording::none())?.0)
    }

    /// Returns a client and the model's name. Fails if a live run lacks a key.
    pub(crate) fn run_client(
        &self,
        app: &App,
        options: &ProviderOptions,
        recording: &Recording,
    ) -> Result<(Client, String)> {
        let vendor = self.vendor(&options.vendors(app)?)?;
        if let (Some(name), None, true) = (missing_key(app, &vendor)?, &self.base_url, recording.is_live()) {
            bail!(MissingKey, "the key for {} is missing: set {name}", vendor.name());
        }
        Ok((options.run_client(app, recording, vendor, Options::default())?, self.model.clone()))
    }

    /// Returns the price of the model, if the user's files or the table of `windlass-vendors` contain it.
    ///
    /// # Errors
    ///
    /// Fails if the provider is unknown, or if a file of providers cannot be read.
    pub fn price(&self, app: &App, options: &ProviderOptions) -> Result<Option<ModelPrice>> {
        Ok(self.vendor(&options.vendors(app)?)?.price(&self.model))
    }

    /// Returns the context window of the model in tokens, if the table of `windlass-vendors` contains it.
    ///
    /// # Errors
    ///
    /// Fails if the provider is unknown, or if a file of providers cannot be read.
    pub fn context_tokens(&self, app: &App, options: &ProviderOptions) -> Result<Option<u64>> {
        Ok(self.vendor(&options.vendors(app)?)?.context_tokens(&self.model))
    }

    /// Returns the vendor, with `base_url` in place of its address if there is one.
    ///
    /// # Errors
    ///
    /// Fails if the provider is unknown, or if neither a name nor an address is set.
    pub fn vendor(&self, vendors: &Vendors) -> Result<Vendor> {
        match (&self.name, &self.base_url) {
            (Some(name), base_url) => {
                let mut vendor = vendors.get(name).cloned().ok_or_else(|| {
                    let known = vendors.names().collect::<Vec<_>>().join(", ");
                    let text = format!("unknown provider {name}; known providers: {known}");
                    AppError::new(ErrorKind::NotFound, text)
                })?;
                if let Some(url) = base_url {
                    vendor.endpoint = vendor.endpoint.with_base_url(url.clone());
                }
                if let Some(wire) = self.wire {
                    vendor.endpoint = vendor.endpoint.with_wire(wire.as_str());
                }
                Ok(vendor)
            }
            (None, Some(base_url)) => {
                let wire = self.wire.unwrap_or_default();
                let mut endpoint = Endpoint::custom(base_url.clone(), wire.as_str());
                endpoint.key_env = key_variable(wire);
                Ok(Vendor::plain(endpoint))
            }
            (None, None) => bail!(Invalid, "no provider is named"),
        }
    }
}

/// Returns the environment variable with the key of the vendor that defined a wire format.
fn key_variable(wire: WireFormat) -> Option<String> {
    Endpoint::find(wire.vendor())?.key_env
}

/// Returns the provider whose key is set in the environment.
fn find_by_key(wire: Option<WireFormat>) -> Result<&'static str> {
    let mut known = Vec::new();
    for candidate in WireFormat::all() {
        let Some(name) = key_variable(*candidate) else { continue };
        if wire.is_none_or(|wire| wire == *candidate) && variable(&name).is_some() {
            return Ok(candidate.vendor());
        }
        known.push(name);
    }
    known.dedup();
    let last = known.pop().unwrap_or_default();
    bail!(
        MissingKey,
        remedy: Remedy::Set(Setting::Provider),
        "no provider is named, and the environment has no {} or {last}",
        known.join(", ")
    )
}
