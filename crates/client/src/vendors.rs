//! The table of vendors: a file of this crate, and files of the user over it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::capability::{Said, said};
use crate::vendor::{Discovery, Rule, Vendor};
use crate::{Auth, Endpoint, KeyUse, Quirk};

/// The table that comes with this crate.
const BUILTIN: &str = include_str!("vendors.toml");

static TABLE: LazyLock<Vendors> = LazyLock::new(|| {
    Vendors::default()
        .add(BUILTIN, Layer::Builtin)
        .expect("a test holds that the table of this crate can be read")
});

/// The vendors that are known, by name.
///
/// ```
/// use windlass_client::Vendors;
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
/// # Ok::<(), windlass_client::VendorsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vendors(BTreeMap<String, Vendor>);

/// Why a file of vendors cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{key}{}: {message}", line.map(|line| format!(" (line {line})")).unwrap_or_default())]
#[non_exhaustive]
pub struct VendorsError {
    /// The path of the key that is wrong, as `vendor.groq.quirks[0]`.
    pub key: String,
    /// Its line, from 1, where that is known.
    pub line: Option<usize>,
    /// What is wrong with it.
    pub message: String,
}

/// Whose file it is.
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

/// A vendor as a file has it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Row {
    like: Option<String>,
    base_url: Option<String>,
    base_url_env: Option<String>,
    wire: Option<WireName>,
    auth: Option<AuthRow>,
    key_env: Option<String>,
    key: Option<KeyUse>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    schema: Option<String>,
    discovery: Option<Discovery>,
    #[serde(default)]
    model: Vec<Rule>,
    // What stands in the vendor's own row holds for all its models. It cannot be a flattened `Rule`: with one,
    // unknown keys are no errors, and errors have no line.
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
    #[serde(default, deserialize_with = "said")]
    capabilities: Said,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WireName {
    OpenaiChat,
    OpenaiResponses,
    Anthropic,
    Gemini,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AuthRow {
    Bearer,
    Header(String),
    None,
}

impl Vendors {
    /// The vendors that this crate knows.
    pub fn builtin() -> Self {
        TABLE.clone()
    }

    /// The same vendors with those of a file. A vendor that is there already keeps what the file does not say.
    ///
    /// # Errors
    /// If the file is not TOML, or says something that there is not; the error names the key and the line.
    pub fn with_file(self, text: &str) -> Result<Self, VendorsError> {
        self.add(text, Layer::User)
    }

    /// A vendor by its name.
    pub fn get(&self, name: &str) -> Option<&Vendor> {
        self.0.get(name)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The vendors, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Vendor> {
        self.0.values()
    }

    /// The builtin vendors without a copy.
    pub(crate) fn table() -> &'static Self {
        &TABLE
    }

    fn add(mut self, text: &str, layer: Layer) -> Result<Self, VendorsError> {
        let file = read(text)?;
        // A vendor may be like one that stands later in the same file.
        let (plain, like): (Vec<_>, Vec<_>) =
            file.vendor.into_iter().partition(|(_, row)| row.like.is_none());
        for (name, row) in plain.into_iter().chain(like) {
            let base = match (&row.like, self.0.get(&name)) {
                (Some(like), _) => Some(self.0.get(like).cloned().ok_or_else(|| {
                    let known = self.names().collect::<Vec<_>>().join(", ");
                    wrong(&name, "like", format!("there is no vendor {like}; there are {known}"))
                })?),
                (None, held) => held.cloned(),
            };
            let vendor = row.over(base, &name, layer)?;
            self.0.insert(name, vendor);
        }
        Ok(self)
    }
}

impl Row {
    fn over(self, base: Option<Vendor>, name: &str, layer: Layer) -> Result<Vendor, VendorsError> {
        let is_new = base.is_none();
        let mut vendor = match base {
            Some(base) => base,
            None => self.begin(name)?,
        };
        let endpoint = &mut vendor.endpoint;
        name.clone_into(&mut endpoint.name);
        if let Some(wire) = self.wire {
            wire.name().clone_into(&mut endpoint.wire);
        }
        endpoint.base_url = self.base_url.unwrap_or_else(|| endpoint.base_url.clone());
        endpoint.base_url_env = self.base_url_env.or_else(|| endpoint.base_url_env.take());
        endpoint.key_env = self.key_env.or_else(|| endpoint.key_env.take());
        endpoint.key_use = self.key.unwrap_or(endpoint.key_use);
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
        let row = Rule {
            pattern: "*".to_owned(),
            schema: None,
            quirks: self.quirks,
            without_quirks: self.without_quirks,
            drop: self.drop,
            rename: self.rename,
            body: self.body,
            capabilities: self.capabilities,
        };
        match layer {
            Layer::Builtin if is_new => {
                vendor.table = self.model;
                vendor.defaults = row;
            }
            Layer::Builtin => drop(vendor.table.splice(0..0, self.model.into_iter().chain([row]))),
            // Single models come before what the same file says of all of them.
            Layer::User => drop(vendor.config.splice(0..0, self.model.into_iter().chain([row]))),
        }
        Ok(vendor)
    }

    /// A vendor that stands on nothing that was there before.
    fn begin(&self, name: &str) -> Result<Vendor, VendorsError> {
        let missing =
            |key| wrong(name, key, "a new vendor needs this, or `like` with the name of another".to_owned());
        let wire = self.wire.ok_or_else(|| missing("wire"))?;
        let base_url = self.base_url.as_deref().ok_or_else(|| missing("base-url"))?;
        let key_use = if self.key_env.is_some() { KeyUse::Required } else { KeyUse::Optional };
        Ok(Vendor::plain(Endpoint { key_use, ..Endpoint::custom(base_url, wire.name()) }))
    }
}

impl WireName {
    fn name(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
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
