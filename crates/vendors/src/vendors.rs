//! The vendor table: a file of this crate, with the user's files on top.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use crate::capability::{Claims, deserialize_claims};
use crate::discovery::Discovery;
use crate::endpoint::{Auth, BrowserSignIn, Endpoint, KeyUse};
use crate::formats::WireFormat;
use crate::prices::has_list;
use crate::quirk::Quirk;
use crate::vendor::{Rule, Vendor};

/// The built-in table.
const BUILTIN: &str = include_str!("vendors.toml");

static TABLE: LazyLock<Vendors> = LazyLock::new(|| {
    Vendors::default()
        .add(BUILTIN, Layer::Builtin)
        .expect("a test holds that the table of this crate can be read")
});

/// Known vendors, by name.
///
/// ```
/// use windlass_vendors::Vendors;
/// let vendors = Vendors::builtin().with_file(r#"
///     [vendor.office]
///     like = "openrouter"
///     base-url = "https://llm.office.example/v1"
///     key-env = "OFFICE_KEY"
///     quirks = ["no-parallel-tool-calls"]
///
///     [[vendor.office.model]]
///     pattern = "*llama*"
///     capabilities = { native-tools = false }
/// "#)?;
/// assert_eq!(vendors.get("office").map(|office| office.endpoint.host()), Some("llm.office.example"));
/// let error = Vendors::builtin().with_file("[vendor.groq]\nquirks = [\"no-stopp\"]").unwrap_err();
/// assert!(error.to_string().contains("vendor.groq.quirks[0]"), "{error}");
/// assert_eq!(error.line, Some(2));
/// # Ok::<(), windlass_vendors::VendorsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vendors(BTreeMap<String, Vendor>);

/// Error in a file of vendors.
#[derive(Debug, thiserror::Error)]
#[error("{key}{}: {message}", line.map(|line| format!(" (line {line})")).unwrap_or_default())]
#[non_exhaustive]
pub struct VendorsError {
    /// Path of the wrong key, such as `vendor.groq.quirks[0]`.
    pub key: String,
    /// Line of the key, from 1; `None` if it is unknown.
    pub line: Option<usize>,
    /// Description of the error.
    pub message: String,
}

/// Origin of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layer {
    Builtin,
    User,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    #[serde(default)]
    vendor: BTreeMap<String, Row>,
}

/// A vendor in a file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Row {
    like: Option<String>,
    base_url: Option<String>,
    base_url_env: Option<String>,
    wire: Option<WireName>,
    wire_elsewhere: Option<WireName>,
    prompt_cache_key: Option<bool>,
    prices: Option<PriceListName>,
    files: Option<bool>,
    auth: Option<AuthRow>,
    key_env: Option<String>,
    key: Option<KeyUse>,
    sign_in: Option<BrowserSignIn>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    schema: Option<String>,
    otel_name: Option<String>,
    discovery: Option<Discovery>,
    #[serde(default)]
    model: Vec<Rule>,
    // The vendor's own settings apply to all its models. They are not a flattened `Rule`, because serde then
    // accepts unknown keys and reports errors without a line.
    #[serde(default)]
    quirks: BTreeSet<Quirk>,
    #[serde(default)]
    without_quirks: BTreeSet<Quirk>,
    #[serde(default)]
    drop: BTreeSet<String>,
    #[serde(default)]
    rename: BTreeMap<String, String>,
    #[serde(default)]
    body: BTreeMap<String, serde_json::Value>,
    #[serde(default, deserialize_with = "deserialize_claims")]
    capabilities: Claims,
}

/// Name of a known wire format.
#[derive(Clone, Copy)]
struct WireName(&'static str);

/// Name of a list of prices that exists; `None` for the name `none`.
struct PriceListName(Option<String>);

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AuthRow {
    Bearer,
    Header(String),
    None,
}

impl Vendors {
    /// Returns the built-in vendors.
    pub fn builtin() -> Self {
        TABLE.clone()
    }

    /// Adds the vendors of a TOML file. A vendor that already exists keeps the settings that the file does
    /// not mention.
    ///
    /// # Errors
    /// If the file is not valid TOML or has an unknown key or value. The error names the key and the line.
    pub fn with_file(self, text: &str) -> Result<Self, VendorsError> {
        self.add(text, Layer::User)
    }

    /// Returns the vendor with this name.
    pub fn get(&self, name: &str) -> Option<&Vendor> {
        self.0.get(name)
    }

    /// Returns a provider's name in the conventions of OpenTelemetry for generative AI (`gen_ai.provider.name`). A name
    /// that is unknown here is returned unchanged.
    ///
    /// ```
    /// use windlass_vendors::Vendors;
    /// let vendors = Vendors::builtin();
    /// assert_eq!(vendors.otel_name("gemini"), "gcp.gemini");
    /// assert_eq!(vendors.otel_name("openrouter"), "openrouter");
    /// assert_eq!(vendors.otel_name("office"), "office");
    /// ```
    pub fn otel_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.get(name).and_then(|vendor| vendor.otel_name.as_deref()).unwrap_or(name)
    }

    /// Returns the names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the vendors, in alphabetical order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Vendor> {
        self.0.values()
    }

    /// Returns the built-in vendors without copying them.
    pub(crate) fn table() -> &'static Self {
        &TABLE
    }

    fn add(mut self, text: &str, layer: Layer) -> Result<Self, VendorsError> {
        let file = read(text)?;
        // Add vendors with `like` last: they may refer to a vendor that follows them in the file.
        let (plain, like): (Vec<_>, Vec<_>) =
            file.vendor.into_iter().partition(|(_, row)| row.like.is_none());
        for (name, row) in plain.into_iter().chain(like) {
            let base = match (&row.like, self.0.get(&name)) {
                (Some(like), _) => Some(self.0.get(like).cloned().ok_or_else(|| {
                    let known = self.names().collect::<Vec<_>>().join(", ");
                    wrong(&name, "like", format!("unknown vendor {like}; known vendors: {known}"))
                })?),
                (None, held) => held.cloned(),
            };
            let vendor = row.layer_over(base, &name, layer)?;
            self.0.insert(name, vendor);
        }
        Ok(self)
    }
}

impl Row {
    fn layer_over(self, base: Option<Vendor>, name: &str, layer: Layer) -> Result<Vendor, VendorsError> {
        let is_new = base.is_none();
        let mut vendor = match base {
            Some(base) => base,
            None => self.begin(name)?,
        };
        if let Some(wire) = self.wire {
            vendor.endpoint = vendor.endpoint.with_wire(wire.0);
        }
        if let Some(base_url) = self.base_url {
            vendor.endpoint = vendor.endpoint.with_base_url(base_url);
        }
        let endpoint = &mut vendor.endpoint;
        name.clone_into(&mut endpoint.name);
        endpoint.wire_elsewhere =
            self.wire_elsewhere.map(|wire| wire.0.to_owned()).or_else(|| endpoint.wire_elsewhere.take());
        endpoint.takes_cache_key = self.prompt_cache_key.unwrap_or(endpoint.takes_cache_key);
        endpoint.price_list = self.prices.map_or_else(|| endpoint.price_list.take(), |list| list.0);
        endpoint.stores_files = self.files.unwrap_or(endpoint.stores_files && !is_new);
        endpoint.base_url_env = self.base_url_env.or_else(|| endpoint.base_url_env.take());
        endpoint.key_env = self.key_env.or_else(|| endpoint.key_env.take());
        endpoint.key_use = self.key.unwrap_or(endpoint.key_use);
        endpoint.sign_in = self.sign_in.or_else(|| endpoint.sign_in.take());
        match self.auth {
            Some(AuthRow::Bearer) => endpoint.auth = Auth::Bearer,
            Some(AuthRow::Header(name)) => endpoint.auth = Auth::Header(name),
            Some(AuthRow::None) => endpoint.auth = Auth::None,
            None => {}
        }
        for (name, value) in self.headers {
            endpoint.headers.retain(|(held, _)| !held.eq_ignore_ascii_case(&name));
            endpoint.headers.push((name, value));
        }
        vendor.schema = self.schema.unwrap_or(vendor.schema);
        vendor.discovery = self.discovery.unwrap_or(vendor.discovery);
        vendor.otel_name = self.otel_name.or_else(|| vendor.otel_name.take().filter(|_| self.like.is_none()));
        let row = Rule {
            pattern: "*".to_owned(),
            schema: None,
            quirks: self.quirks,
            without_quirks: self.without_quirks,
            drop: self.drop,
            rename: self.rename,
            body: self.body,
            capabilities: self.capabilities,
            price: None,
        };
        match layer {
            Layer::Builtin if is_new => {
                vendor.table = self.model;
                vendor.defaults = row;
            }
            Layer::Builtin => drop(vendor.table.splice(0..0, self.model.into_iter().chain([row]))),
            // Settings of single models take precedence over the same file's settings for all models.
            Layer::User => drop(vendor.config.splice(0..0, self.model.into_iter().chain([row]))),
        }
        Ok(vendor)
    }

    /// Returns a new vendor that inherits from no other.
    fn begin(&self, name: &str) -> Result<Vendor, VendorsError> {
        let missing =
            |key| wrong(name, key, "a new vendor needs this, or `like` with the name of another".to_owned());
        let wire = self.wire.ok_or_else(|| missing("wire"))?;
        let base_url = self.base_url.as_deref().ok_or_else(|| missing("base-url"))?;
        let key_use = if self.key_env.is_some() { KeyUse::Required } else { KeyUse::Optional };
        Ok(Vendor::plain(Endpoint { key_use, ..Endpoint::custom(base_url, wire.0) }))
    }
}

impl<'de> Deserialize<'de> for WireName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let format = WireFormat::find(&name).ok_or_else(|| {
            let known: Vec<String> =
                WireFormat::all().iter().map(|format| format!("`{}`", format.name())).collect();
            D::Error::custom(format!("unknown variant `{name}`, expected one of {}", known.join(", ")))
        })?;
        Ok(Self(format.name()))
    }
}

impl<'de> Deserialize<'de> for PriceListName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.as_str() {
            "none" => Ok(Self(None)),
            name if has_list(name) => Ok(Self(Some(name.to_owned()))),
            _ => Err(D::Error::custom(format!(
                "`{name}` is not a list of prices; `none` means unknown prices"
            ))),
        }
    }
}

fn wrong(vendor: &str, key: &str, message: String) -> VendorsError {
    VendorsError { key: format!("vendor.{vendor}.{key}"), line: None, message }
}

fn read(text: &str) -> Result<File, VendorsError> {
    let refused = |key: String, error: &toml::de::Error| {
        let line =
            error.span().and_then(|span| text.get(..span.start)).map(|before| before.matches('\n').count());
        VendorsError {
            key,
            line: line.map(|line| line.saturating_add(1)),
            message: error.message().trim().to_owned(),
        }
    };
    let deserializer = toml::Deserializer::parse(text)
        .map_err(|error| refused("the file is not TOML".to_owned(), &error))?;
    serde_path_to_error::deserialize(deserializer)
        .map_err(|error| refused(error.path().to_string(), error.inner()))
}
