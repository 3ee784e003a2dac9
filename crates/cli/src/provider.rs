//! Which provider a run speaks to, and with which key.

use std::env;

use anyhow::Context as _;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use windlass_client::{Client, Endpoint, Options};

use crate::arguments::{Run, WireName};

/// Which provider a run speaks to. It is kept with the run; the key is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Provider {
    /// A provider that windlass knows, unless only an address is given.
    pub(crate) name: Option<String>,
    /// Another address than the provider's own.
    pub(crate) base_url: Option<String>,
    /// The wire format at a bare address.
    pub(crate) wire: Option<WireName>,
    /// The provider's name of the model.
    pub(crate) model: String,
}

impl Provider {
    /// What the options and the environment say.
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
                .filter(|_| matches!(arguments.wire, None | Some(WireName::OpenaiChat)));
        }
        if name.is_none() && base_url.is_none() {
            name = Some(by_key(arguments.wire)?.to_owned());
        }
        let provider = Self { name, base_url, wire: arguments.wire, model };
        provider.endpoint()?;
        Ok(provider)
    }

    /// The client, and the model's name.
    pub(crate) fn client(&self) -> anyhow::Result<(Client, String)> {
        let endpoint = self.endpoint()?;
        let key = endpoint.key_env.as_deref().and_then(variable);
        if let (None, Some(name), None) = (&key, &endpoint.key_env, &self.base_url) {
            anyhow::bail!("there is no key for {}: set {name}", endpoint.name);
        }
        let wire = WireName::of(&endpoint.wire)?.wire();
        let client = Client::new(endpoint, key.map(SecretString::from), wire, Options::default())?;
        Ok((client, self.model.clone()))
    }

    fn endpoint(&self) -> anyhow::Result<Endpoint> {
        let endpoint = match (&self.name, &self.base_url) {
            (Some(name), base_url) => {
                let known = Endpoint::find(name).with_context(|| {
                    format!("the provider {name} is not known; known are {}", Endpoint::names().join(", "))
                })?;
                base_url.iter().fold(known, |endpoint, url| endpoint.with_base_url(url.clone()))
            }
            (None, Some(base_url)) => {
                let wire = self.wire.unwrap_or(WireName::OpenaiChat);
                let key_env = match wire {
                    WireName::OpenaiChat | WireName::OpenaiResponses => "OPENAI_API_KEY",
                    WireName::Anthropic => "ANTHROPIC_API_KEY",
                    WireName::Gemini => "GEMINI_API_KEY",
                };
                Endpoint::custom(base_url.clone(), wire.as_str()).with_key_env(key_env)
            }
            (None, None) => anyhow::bail!("no provider is named"),
        };
        Ok(endpoint)
    }
}

/// The provider whose key is set.
fn by_key(wire: Option<WireName>) -> anyhow::Result<&'static str> {
    let wants = |candidate| wire.is_none_or(|wire| wire == candidate);
    if wants(WireName::OpenaiChat) && variable("OPENAI_API_KEY").is_some() {
        return Ok("openai");
    }
    if wants(WireName::OpenaiResponses) && variable("OPENAI_API_KEY").is_some() {
        return Ok("openai-responses");
    }
    if wants(WireName::Anthropic) && variable("ANTHROPIC_API_KEY").is_some() {
        return Ok("anthropic");
    }
    if wants(WireName::Gemini) && variable("GEMINI_API_KEY").is_some() {
        return Ok("gemini");
    }
    anyhow::bail!(
        "no provider: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or name one with --provider or --base-url"
    )
}

/// An environment variable that is set to something.
fn variable(name: impl AsRef<std::ffi::OsStr>) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
