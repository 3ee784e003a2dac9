//! Parameters that a provider refused for a model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::capability::Claims;
use crate::edit::{self, Change, Edit};
use crate::images::has_images;
use crate::quirk::Quirk;

/// A parameter that a provider refused for a model, and what follows for later requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ParameterRejection {
    /// Name of the refused parameter.
    pub parameter: String,
    /// Change of later requests; `None` if the refusal only denies an ability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// Abilities that the refusal denies.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub abilities: Claims,
    /// First 200 characters of the provider's message.
    pub message: String,
    /// Time of the refusal, in seconds since 1970.
    pub learned_at: u64,
}

/// Change of later requests because of a refused parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remedy {
    /// Omits the parameter.
    Drop,
    /// Sends the parameter under this name.
    Rename(String),
    /// Omits this string from the parameter's list.
    DropItem(String),
    /// Applies this quirk to the request.
    Quirk(Quirk),
}

impl ParameterRejection {
    /// Lifetime in seconds: servers are reconfigured and models gain abilities.
    const LIFETIME: u64 = 7 * 24 * 60 * 60;

    pub(crate) fn new(
        parameter: impl Into<String>,
        remedy: Option<Remedy>,
        abilities: Claims,
        message: &str,
        learned_at: u64,
    ) -> Self {
        let message = message.chars().take(200).collect();
        Self { parameter: parameter.into(), remedy, abilities, message, learned_at }
    }

    /// Returns true while the rejection is valid. `now` is in seconds since 1970. A rejection from the future
    /// was stored while the clock was wrong and is invalid.
    pub fn is_valid(&self, now: u64) -> bool {
        self.learned_at <= now && now < self.learned_at.saturating_add(Self::LIFETIME)
    }

    /// Returns true if an encoded request uses the refused parameter.
    pub fn is_used_by(&self, body: &[u8]) -> bool {
        match self.parameter.as_str() {
            "images" => has_images(body),
            parameter => edit::has(body, parameter),
        }
    }

    /// Returns the edit of the body, if the remedy is one.
    pub(crate) fn edit(&self) -> Option<Edit> {
        let change = match self.remedy.as_ref()? {
            Remedy::Drop => Change::Drop,
            Remedy::Rename(name) => Change::Rename(name.clone()),
            Remedy::DropItem(item) => Change::DropItem(item.clone()),
            Remedy::Quirk(_) => return None,
        };
        Some(Edit::new(&self.parameter, change))
    }
}
