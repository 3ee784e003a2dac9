//! Parser for command-line arguments: flags, options with a value, and positional words.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

/// The words that have not been consumed. A command takes the arguments that it knows, then calls
/// [`Arguments::finish`].
pub(crate) struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    pub(crate) fn new(words: Vec<String>) -> Self {
        Self { words }
    }

    /// Consumes `--name`. Returns true if it was given.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() != before
    }

    /// Consumes `--name VALUE` or `--name=VALUE`.
    pub(crate) fn option(&mut self, name: &str) -> Result<Option<String>> {
        let prefix = format!("{name}=");
        let Some(at) = self.words.iter().position(|word| word == name || word.starts_with(&prefix)) else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        if let Some(value) = word.strip_prefix(&prefix) {
            return Ok(Some(value.to_owned()));
        }
        if at < self.words.len() {
            return Ok(Some(self.words.remove(at)));
        }
        bail!("`{name}` needs a value")
    }

    /// Consumes `--name FOLDER`. A relative folder is below the folder in which the command was started, as in a
    /// shell, and not below the project's root, in which xtask runs its own commands.
    pub(crate) fn folder(&mut self, name: &str) -> Result<Option<PathBuf>> {
        let Some(value) = self.option(name)? else {
            return Ok(None);
        };
        let folder = std::path::absolute(&value).with_context(|| format!("`{name}` needs a folder"))?;
        Ok(Some(folder))
    }

    /// Consumes `--name NUMBER`.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u64>> {
        let Some(value) = self.option(name)? else {
            return Ok(None);
        };
        let number =
            value.parse().with_context(|| format!("`{name}` needs a whole number, not `{value}`"))?;
        Ok(Some(number))
    }

    /// Consumes the next word that is not an option.
    pub(crate) fn word(&mut self) -> Option<String> {
        let at = self.words.iter().position(|word| !word.starts_with('-'))?;
        Some(self.words.remove(at))
    }

    /// Returns an error if a word was not consumed.
    pub(crate) fn finish(self) -> Result<()> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => bail!("unknown argument `{word}`; `--help` lists what this command takes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    fn arguments(line: &str) -> Arguments {
        Arguments::new(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn flags_options_and_positionals_come_in_any_order() {
        let mut given = arguments("sse --seconds 5 --quick --save=new");
        assert!(given.flag("--quick"));
        assert_eq!(given.number("--seconds").unwrap(), Some(5));
        assert_eq!(given.option("--save").unwrap().as_deref(), Some("new"));
        assert_eq!(given.word().as_deref(), Some("sse"));
        given.finish().unwrap();
    }

    #[test]
    fn a_relative_folder_is_below_the_folder_of_the_process() {
        let here = std::env::current_dir().unwrap();
        let mut given = arguments("--in build/cross --to /tmp/other");
        assert_eq!(given.folder("--in").unwrap().unwrap(), here.join("build/cross"));
        assert_eq!(given.folder("--to").unwrap().unwrap().to_str(), Some("/tmp/other"));
        assert_eq!(given.folder("--from").unwrap(), None);
        assert!(arguments("--in=").folder("--in").is_err());
    }

    #[test]
    fn unknown_arguments_are_refused() {
        assert!(arguments("--qiuck").finish().unwrap_err().to_string().contains("--qiuck"));
        assert!(arguments("--seconds").option("--seconds").is_err());
        assert!(arguments("--seconds soon").number("--seconds").is_err());
    }
}
