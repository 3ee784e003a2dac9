//! Secrets that are recognised by a file's contents and not by its name.

use std::path::Path;

/// The maximum length of a file whose contents are read, in bytes. Keys are shorter; data is usually longer.
pub(super) const MOST_BYTES: u64 = 32 * 1024;

/// The classification of a file's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Plain,
    /// A private key or a token.
    Secret,
    /// A token in a file that tools read by its name. Hiding the file would stop the tools.
    Needed,
}

impl Content {
    pub(super) fn holds_key(self) -> bool {
        self != Self::Plain
    }

    pub(super) fn holds_credential(self) -> bool {
        self != Self::Plain
    }
}

/// Extensions of data files. Source files are left out, because their tests contain invented tokens.
const DATA: [&str; 16] = [
    "json",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "config",
    "properties",
    "xml",
    "txt",
    "tfvars",
    "tfstate",
    "asc",
    "crt",
    "cert",
];
/// Files that a tool reads by their names.
const NEEDED: [&str; 16] = [
    "package.json",
    "package-lock.json",
    "cargo.toml",
    "cargo.lock",
    "pyproject.toml",
    "tsconfig.json",
    "composer.json",
    "deno.json",
    "makefile",
    "dockerfile",
    "gemfile",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yml",
    "compose.yaml",
    "config",
];
/// Prefixes of tokens, each with the minimum number of characters that follow, as their issuers document
/// them.
const TOKENS: [(&str, usize); 23] = [
    ("ghp_", 36),
    ("gho_", 36),
    ("ghu_", 36),
    ("ghs_", 36),
    ("ghr_", 36),
    ("github_pat_", 50),
    ("glpat-", 20),
    ("npm_", 36),
    ("pypi-AgEIcHlwaS5vcmc", 50),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xapp-", 20),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 35),
    ("sk-ant-", 40),
    ("sk-proj-", 40),
    ("sk_live_", 24),
    ("rk_live_", 24),
    ("hf_", 34),
    ("dop_v1_", 60),
    ("SG.", 60),
    ("cio", 32),
];
/// Names of settings whose value is a credential.
const CREDENTIALS: [&str; 4] = ["_authtoken", "_auth", "_password", "npmauthtoken"];

/// Returns true if the contents of a file with this name are read, although the name does not indicate a
/// secret.
pub(super) fn reads_content(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    match name.trim_start_matches('.').rsplit_once('.') {
        Some((_, end)) => DATA.contains(&end),
        None => true,
    }
}

/// Returns true if the secret name is also used for settings without a secret, which tools require.
pub(super) fn is_settings_name(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), ".npmrc" | ".yarnrc" | ".yarnrc.yml")
}

/// Returns true if, among fetched files, the secret name is mostly used for certificates.
pub(super) fn is_fetched_secret(name: &str) -> bool {
    let ending = Path::new(name).extension().unwrap_or_default();
    ending.eq_ignore_ascii_case("pem") || ending.eq_ignore_ascii_case("key")
}

/// Classifies the contents of a file with this name.
pub(super) fn classify(name: &str, bytes: &[u8]) -> Content {
    let text = String::from_utf8_lossy(bytes);
    let name = name.to_ascii_lowercase();
    let is_credential = is_settings_name(&name) && has_setting(&text);
    let is_url = name == "config" && has_password_in_address(&text);
    let found = is_key(&text) || has_token(&text) || is_credential || is_url;
    match found {
        false => Content::Plain,
        true if NEEDED.contains(&name.as_str()) => Content::Needed,
        true => Content::Secret,
    }
}

/// Returns true if a text contains a private key, or a token in the form that its issuer documents.
///
/// ```
/// use windlass_sandbox::contains_key;
///
/// let token = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
/// assert!(contains_key(&format!("curl -H 'Authorization: Bearer {token}' https://api.example")));
/// assert!(!contains_key("curl https://api.example"));
/// ```
pub fn contains_key(text: &str) -> bool {
    is_key(text) || has_token(text) || has_password_in_address(text)
}

/// Returns true if a line begins a private key. Text about keys has these words in the middle of a line.
fn is_key(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        line.starts_with("-----BEGIN ") && line.contains("PRIVATE KEY")
            || line.starts_with("PuTTY-User-Key-File-")
    })
}

/// Returns true if a settings file of cargo contains a registry token, or a URL with a password.
pub(crate) fn has_registry_token(text: &str) -> bool {
    let is_token = |line: &str| {
        let (name, value) = line.split_once('=').unwrap_or_default();
        let name = name.trim().trim_matches('"');
        // `token` in a table, `registries.NAME.token`, or `{ token = "..." }` inline.
        let last = name.rsplit('.').next().unwrap_or_default();
        (matches!(last, "token" | "secret-key") || line.contains('{') && line.contains("token"))
            && value.contains(['"', '\''])
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    lines.into_iter().any(is_token) || has_password_in_address(text) || has_token(text)
}

fn has_token(text: &str) -> bool {
    TOKENS.iter().any(|(start, len)| {
        text.match_indices(start).any(|(at, _)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let rest = text.get(at + start.len()..).unwrap_or_default();
            let token: &str = rest.split(|char: char| !is_token_char(char)).next().unwrap_or_default();
            !before.is_some_and(|char| char.is_ascii_alphanumeric())
                && token.len() >= *len
                && is_random(token)
        })
    })
}

fn is_token_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.')
}

/// Rejects sample tokens: those of few distinct characters, or with the word "example".
fn is_random(token: &str) -> bool {
    let mut letters: Vec<char> = token.chars().collect();
    letters.sort_unstable();
    letters.dedup();
    letters.len() >= 8 && !token.to_ascii_lowercase().contains("example")
}

fn has_setting(text: &str) -> bool {
    text.lines().any(|line| {
        let Some((name, value)) = line.split_once(['=']).or_else(|| line.rsplit_once(": ")) else {
            return false;
        };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim().trim_matches('"'));
        let is_reference = value.starts_with("${");
        !value.is_empty() && !is_reference && CREDENTIALS.iter().any(|word| name.ends_with(word))
    })
}

/// Returns true if the text contains a URL with a password: `https://user:password@host`.
fn has_password_in_address(text: &str) -> bool {
    text.match_indices("://").any(|(at, _)| {
        let rest = text.get(at + 3..).unwrap_or_default();
        let authority =
            rest.split(|char: char| char == '/' || char.is_whitespace()).next().unwrap_or_default();
        authority
            .rsplit_once('@')
            .is_some_and(|(user, _)| user.split_once(':').is_some_and(|(_, word)| !word.is_empty()))
    })
}
