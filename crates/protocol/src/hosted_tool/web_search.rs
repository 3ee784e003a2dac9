//! The tools that read the web.

use serde::{Deserialize, Serialize};

/// A search in the web.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WebSearch {
    /// The only domains that results may come from; empty for all domains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_domains: Vec<String>,
    /// The domains that results never come from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_domains: Vec<String>,
    /// The maximum number of searches for one request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_uses: Option<u32>,
    /// The place of the user, for results that depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<UserLocation>,
}

/// An approximate place of the user. All parts are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct UserLocation {
    /// The city.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// The region, such as a state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The country as two letters of ISO 3166-1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// The IANA time zone, such as `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// The retrieval of pages by the URLs that the conversation contains.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WebFetch {
    /// The only domains that may be read; empty for all domains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_domains: Vec<String>,
    /// The domains that are never read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_domains: Vec<String>,
    /// The maximum number of pages for one request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_uses: Option<u32>,
    /// The maximum number of tokens of one page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_content_tokens: Option<u32>,
}

impl WebSearch {
    /// Sets the only domains that results may come from.
    pub fn with_allowed_domains<S: Into<String>>(mut self, domains: impl IntoIterator<Item = S>) -> Self {
        self.allowed_domains = domains.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the domains that results never come from.
    pub fn with_blocked_domains<S: Into<String>>(mut self, domains: impl IntoIterator<Item = S>) -> Self {
        self.blocked_domains = domains.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the maximum number of searches for one request.
    pub fn with_max_uses(mut self, uses: u32) -> Self {
        self.max_uses = Some(uses);
        self
    }

    /// Sets the place of the user.
    pub fn with_location(mut self, location: UserLocation) -> Self {
        self.location = Some(location);
        self
    }
}

impl UserLocation {
    /// Sets the city.
    pub fn with_city(mut self, city: impl Into<String>) -> Self {
        self.city = Some(city.into());
        self
    }

    /// Sets the region, such as a state.
    pub fn with_region(mut self, region: impl Into<String>) -> Self {
        self.region = Some(region.into());
        self
    }

    /// Sets the country as two letters of ISO 3166-1.
    pub fn with_country(mut self, country: impl Into<String>) -> Self {
        self.country = Some(country.into());
        self
    }

    /// Sets the IANA time zone.
    pub fn with_timezone(mut self, timezone: impl Into<String>) -> Self {
        self.timezone = Some(timezone.into());
        self
    }
}

impl WebFetch {
    /// Sets the only domains that may be read.
    pub fn with_allowed_domains<S: Into<String>>(mut self, domains: impl IntoIterator<Item = S>) -> Self {
        self.allowed_domains = domains.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the domains that are never read.
    pub fn with_blocked_domains<S: Into<String>>(mut self, domains: impl IntoIterator<Item = S>) -> Self {
        self.blocked_domains = domains.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the maximum number of pages for one request.
    pub fn with_max_uses(mut self, uses: u32) -> Self {
        self.max_uses = Some(uses);
        self
    }

    /// Sets the maximum number of tokens of one page.
    pub fn with_max_content_tokens(mut self, tokens: u32) -> Self {
        self.max_content_tokens = Some(tokens);
        self
    }
}
