//! Secrets in the entries of servers.

use secrecy::SecretString;

use super::config::ConfiguredServer;
use crate::secrets;

/// Returns the secrets of the entries: values of variables and headers that look secret.
pub(crate) fn collect_secrets(servers: &[ConfiguredServer]) -> Vec<SecretString> {
    let entries = servers.iter().map(|server| &server.entry);
    let values = entries.flat_map(|entry| {
        let variables =
            entry.env_vars.iter().chain(entry.env_http_headers.values()).chain(&entry.bearer_token_env_var);
        let of_host = variables.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?)));
        let given = entry.env.iter().chain(&entry.http_headers);
        of_host.chain(given.map(|(name, value)| (name.clone(), value.clone()))).collect::<Vec<_>>()
    });
    let is_secret = |name: &str, value: &str| {
        let name = name.replace('-', "_");
        secrets::is_secret(&name, value) || name.eq_ignore_ascii_case("authorization")
    };
    values.filter(|(name, value)| is_secret(name, value)).map(|(_, value)| value.into()).collect()
}
