//! Secrets in the entries of servers.

use secrecy::SecretString;

use super::config::ConfiguredServer;
use super::entry::bearer_of;
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
    let secrets = values.filter(|(name, value)| is_secret(name, value));
    // A server can repeat its token without the scheme.
    secrets
        .flat_map(|(name, value)| [bearer_of(&name, &value).map(str::to_owned), Some(value)])
        .flatten()
        .map(SecretString::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::collect_secrets;
    use crate::mcp::{ConfiguredServer, ServerEntry};

    #[test]
    fn the_token_of_a_header_is_a_secret_with_and_without_its_scheme() {
        let mut entry = ServerEntry::for_url("https://mcp.example.com/");
        entry.http_headers.insert("authorization".to_owned(), "bearer a-long-token".to_owned());
        entry.http_headers.insert("x-team".to_owned(), "blue".to_owned());
        let server = ConfiguredServer::for_user("web", entry).unwrap();
        let secrets = collect_secrets(&[server]);
        let secrets: Vec<&str> = secrets.iter().map(ExposeSecret::expose_secret).collect();
        assert_eq!(secrets, ["a-long-token", "bearer a-long-token"]);
    }

    #[test]
    fn an_entry_that_a_file_cannot_have_is_refused() {
        let mut both = ServerEntry::for_url("https://mcp.example.com/");
        both.command = Some("server".to_owned());
        let error = ConfiguredServer::for_user("both", both).unwrap_err();
        assert!(crate::one_line(&error).contains("both `command` and `url`"), "{error}");
        assert!(ConfiguredServer::for_user("none", ServerEntry::for_command(" ", Vec::new())).is_err());
    }
}
