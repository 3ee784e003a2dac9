//! Servers that a command uses: the configured ones, or one that its options define.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use windlass_redact::Redactor;
use windlass_tool::Human;

use super::config::{self, Configured, Owner};
use super::connect::{Connected, Connecting, secrets_of};
use super::entry::Entry;
use super::foreign;
use crate::arguments::{McpSpot, McpTarget};
use crate::tape::Tape;
use crate::terminal::Terminal;
use crate::{confine, secrets, setup};

/// Servers, and the root folder of their workspace.
pub(crate) struct Targets {
    pub(crate) root: PathBuf,
    pub(crate) servers: Vec<Configured>,
}

impl Targets {
    pub(crate) fn of(target: &McpTarget) -> anyhow::Result<Self> {
        Self::find(target.server.as_deref(), &target.spot)
    }

    /// Returns the server that the options define, the configured server with this name, or all configured
    /// servers.
    pub(crate) fn find(name: Option<&str>, spot: &McpSpot) -> anyhow::Result<Self> {
        let root = setup::root(&spot.root)?;
        if let Some(server) = on_the_spot(spot)? {
            return Ok(Self { root, servers: vec![server] });
        }
        let mut servers = config::load(&root)?;
        if let Some(name) = name {
            let names: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
            servers.retain(|server| server.name == name);
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let meant = config::near(name, &known).map(|near| format!("; did you mean {near}?"));
            anyhow::ensure!(
                !servers.is_empty(),
                "there is no MCP server {name}{}",
                meant.unwrap_or_else(|| format!("; there are: {}", known.join(", ")))
            );
            // Naming a disabled server enables it for this command.
            for server in &mut servers {
                server.entry.enabled = true;
            }
        }
        anyhow::ensure!(
            !servers.is_empty(),
            "no MCP server is configured: write one into {}, or name one with --command or --url",
            config::user_file()
                .map_or_else(|| config::USER_CONFIG.to_owned(), |file| file.display().to_string())
        );
        Ok(Self { root, servers })
    }

    /// Returns the only server, or an error if there are several.
    pub(crate) fn only(&self) -> anyhow::Result<&Configured> {
        match self.servers.as_slice() {
            [server] => Ok(server),
            all => {
                let names: Vec<&str> = all.iter().map(|server| server.name.as_str()).collect();
                anyhow::bail!("say which server: {}", names.join(", "))
            }
        }
    }

    /// Returns a redactor for the secrets of the servers and of the folder.
    pub(crate) fn redactor(&self) -> Redactor {
        let mut secrets = secrets::of_folder(&self.root);
        secrets.extend(secrets_of(&self.servers));
        Redactor::new(secrets)
    }

    /// Starts and connects all servers. If there is a terminal, its user answers their elicitations.
    pub(crate) async fn connect(&self, spot: &McpSpot) -> anyhow::Result<Connected> {
        let shell = confine::shell(spot.sandbox, None)?;
        let human = Terminal::is_there().then(|| Arc::new(Terminal::new()) as Arc<dyn Human>);
        let (root, tape) = (&self.root, &Tape::none());
        let connecting = Connecting { root, human, redactor: self.redactor(), shell: &shell, tape };
        let connected = connecting.connect(&self.servers).await?;
        connected.connections.settled().await;
        Ok(connected)
    }
}

fn on_the_spot(spot: &McpSpot) -> anyhow::Result<Option<Configured>> {
    let entry = if let Some(url) = &spot.url {
        Entry { url: Some(url.clone()), bearer_token_env_var: spot.bearer_token_env_var.clone(), ..usual() }
    } else if let Some(text) = &spot.command {
        let mut words = words(text)?.into_iter();
        Entry {
            command: Some(words.next().context("the command is empty")?),
            args: words.collect(),
            ..usual()
        }
    } else {
        return Ok(None);
    };
    let name = foreign::legal(&name_of(&entry));
    Ok(Some(Configured { name, entry, owner: Owner::User, refusal: None }))
}

fn usual() -> Entry {
    Entry { enabled: true, ..Entry::default() }
}

/// Returns a name for a server without one, from its program or its host.
fn name_of(entry: &Entry) -> String {
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
pub(crate) fn words(text: &str) -> anyhow::Result<Vec<String>> {
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
    anyhow::ensure!(quote.is_none(), "a quote in {text:?} has no end");
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn quotes_keep_words_together_and_nothing_else_means_anything() {
        assert_eq!(words("npx -y  a").unwrap(), ["npx", "-y", "a"]);
        assert_eq!(words(r#"a "b c" 'd "e' f"g h"i """#).unwrap(), ["a", "b c", "d \"e", "fg hi", ""]);
        assert_eq!(words("a;b $(c) \\ *").unwrap(), ["a;b", "$(c)", "\\", "*"]);
        assert!(words(" ").unwrap().is_empty());
        assert!(words("a 'b").is_err());
    }
}
