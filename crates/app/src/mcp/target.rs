//! Servers that a command uses: the configured ones, or one that its options define.

use std::path::{Path, PathBuf};

use windlass_redact::Redactor;

use super::config::{self, ConfiguredServer, ServerOwner, load_servers};
use super::entry::ServerEntry;
use super::foreign;
use super::secrets::collect_secrets;
use crate::app::App;
use crate::config::resolve_root;
use crate::error::{Context as _, Remedy, Result, Setting, bail, ensure};
use crate::secrets::collect_folder_secrets;

/// Servers, and the root folder of their workspace.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerTargets {
    /// Root folder, absolute and without links.
    pub root: PathBuf,
    /// The servers.
    pub servers: Vec<ConfiguredServer>,
}

impl ServerTargets {
    /// Returns the configured server with this name, or all configured servers.
    ///
    /// # Errors
    ///
    /// Fails if the server does not exist, or if none is configured.
    pub fn find(app: &App, root: &Path, name: Option<&str>) -> Result<Self> {
        let root = resolve_root(root)?;
        let mut servers = load_servers(app, &root)?;
        if let Some(name) = name {
            let names: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
            servers.retain(|server| server.name == name);
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let meant = crate::configuration::nearest_word(name, &known)
                .map(|near| format!("; did you mean {near}?"));
            ensure!(
                !servers.is_empty(),
                NotFound,
                "unknown MCP server {name}{}",
                meant.unwrap_or_else(|| format!("; known servers: {}", known.join(", ")))
            );
            // Naming a disabled server enables it for this command.
            for server in &mut servers {
                server.entry.enabled = true;
            }
        }
        ensure!(
            !servers.is_empty(),
            NotFound,
            remedy: Remedy::Set(Setting::McpServer),
            "no MCP server is configured in {}",
            config::user_file(app)
                .map_or_else(|| config::USER_CONFIG.to_owned(), |file| file.display().to_string())
        );
        Ok(Self { root, servers })
    }

    /// Returns a server at an address, which gets the token in this environment variable.
    ///
    /// # Errors
    ///
    /// Fails if the root cannot be opened.
    pub fn from_url(root: &Path, url: &str, token_variable: Option<String>) -> Result<Self> {
        let mut entry = ServerEntry::for_url(url);
        entry.bearer_token_env_var = token_variable;
        Self::single(root, entry)
    }

    /// Returns a server that a command starts. Quotes group characters to one word.
    ///
    /// # Errors
    ///
    /// Fails if the command is empty, or if the root cannot be opened.
    pub fn from_command(root: &Path, command: &str) -> Result<Self> {
        let mut words = split_words(command)?.into_iter();
        let program = words.next().context("the command is empty")?;
        Self::single(root, ServerEntry::for_command(program, words.collect()))
    }

    fn single(root: &Path, entry: ServerEntry) -> Result<Self> {
        let name = foreign::legal(&name_of(&entry));
        let server = ConfiguredServer { name, entry, owner: ServerOwner::User, refusal: None };
        Ok(Self { root: resolve_root(root)?, servers: vec![server] })
    }

    /// Returns the server, for a command that needs exactly one.
    ///
    /// # Errors
    ///
    /// Fails if there are several.
    pub fn only(&self) -> Result<&ConfiguredServer> {
        match self.servers.as_slice() {
            [server] => Ok(server),
            all => {
                let names: Vec<&str> = all.iter().map(|server| server.name.as_str()).collect();
                bail!(Invalid, "name the server: {}", names.join(", "))
            }
        }
    }

    /// Returns a redactor for the secrets of the servers and of the folder.
    pub fn redactor(&self) -> Redactor {
        let mut secrets = collect_folder_secrets(&self.root);
        secrets.extend(collect_secrets(&self.servers));
        Redactor::new(secrets)
    }
}

/// Returns a name for a server without one, from its program or its host.
fn name_of(entry: &ServerEntry) -> String {
    let text = entry.command.as_ref().or(entry.url.as_ref()).map_or("", String::as_str);
    if entry.url.is_some() {
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        return rest.split(['/', ':', '?']).next().unwrap_or_default().to_owned();
    }
    let last = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    // For a launcher, use the name of the program or package that it starts.
    let started = entry.args.iter().find(|word| !word.starts_with('-'));
    match (last(text).as_str(), started) {
        ("npx" | "uvx" | "node" | "python" | "python3" | "uv" | "bunx", Some(word)) => last(word),
        (program, _) => program.to_owned(),
    }
}

/// Splits a command into words. Quotes group characters to one word and are removed; no other character is
/// special.
fn split_words(text: &str) -> Result<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in text.chars() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    ensure!(quote.is_none(), Invalid, "a quote in {text:?} has no end");
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::split_words;

    #[test]
    fn command_splitting_treats_only_quotes_as_special() {
        assert_eq!(split_words("npx -y  a").unwrap(), ["npx", "-y", "a"]);
        assert_eq!(split_words(r#"a "b c" 'd "e' f"g h"i """#).unwrap(), ["a", "b c", "d \"e", "fg hi", ""]);
        assert_eq!(split_words("a;b $(c) \\ *").unwrap(), ["a;b", "$(c)", "\\", "*"]);
        assert!(split_words(" ").unwrap().is_empty());
        assert!(split_words("a 'b").is_err());
    }
}
