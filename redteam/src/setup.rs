//! The setups of a catalogue: interprets keys such as `rules`, `files` or `approver`.

mod words;

use std::collections::BTreeMap;
use std::net::IpAddr;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value};

pub(crate) use self::words::{Answers, EarlierAnswers, Matcher, Otherwise, Race, RuleWords, Sandbox};

/// A setup merged with the setups that it extends. Placeholders are replaced.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    pub(crate) rules: Vec<RuleWords>,
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) otherwise: Otherwise,
    pub(crate) answers: Answers,
    pub(crate) sandbox: Sandbox,
    /// The answers for each name, one after the other; the last one is repeated.
    pub(crate) dns: BTreeMap<String, Vec<Vec<IpAddr>>>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) secrets: Vec<String>,
    pub(crate) heard: Vec<EarlierAnswers>,
    pub(crate) race: Option<Race>,
    /// True if paths are compared as on Windows and the disk is not inspected.
    pub(crate) windows_paths: bool,
    pub(crate) is_untrusted: bool,
}

impl Setup {
    /// Returns the setup without a sandbox, where a person is asked about each command. Cases about questions use
    /// `ls` as their example of one, and a confined command that only reads needs none (decision 144).
    pub(crate) fn with_questions(&self) -> Self {
        Self { sandbox: Sandbox::Unavailable, ..self.clone() }
    }

    /// Reads a setup by its name. `fill` replaces placeholders.
    ///
    /// # Errors
    /// If the setup does not exist, extends itself, or has an unknown key.
    pub(crate) fn read(
        setups: &Map<String, Value>,
        name: &str,
        fill: impl Fn(&str) -> String,
    ) -> anyhow::Result<Self> {
        let mut chain = Vec::new();
        let mut next = Some(name.to_owned());
        while let Some(name) = next {
            let value = setups.get(&name).and_then(Value::as_object);
            let words = value.with_context(|| format!("unknown setup {name}"))?;
            if chain.len() > setups.len() {
                bail!("the setup {name} extends itself");
            }
            next = words.get("extends").map(|base| text(base, "extends")).transpose()?;
            chain.push((name, words));
        }
        let mut setup = Self::default();
        for (name, words) in chain.into_iter().rev() {
            for (word, value) in words {
                let value = fill_placeholders(value, &fill);
                setup.take(word, &value).with_context(|| format!("the setup {name}"))?;
            }
        }
        Ok(setup)
    }

    fn take(&mut self, word: &str, value: &Value) -> anyhow::Result<()> {
        match word {
            "extends" | "note" => {}
            // Each case's own input describes the data that the server sends.
            "server" => drop(text(value, word)?),
            "rules" => self.rules.extend(words::rules(value)?),
            "files" => self.files.extend(texts(value, word)?),
            "default" => self.otherwise = Otherwise::parse(&text(value, word)?)?,
            "approver" => self.answers = Answers::parse(&text(value, word)?)?,
            "network" => drop(one_of(value, word, &["off"])?),
            "sandbox" => {
                let required = one_of(value, word, &["required", "optional"])? == "required";
                self.sandbox = if required { Sandbox::Required } else { Sandbox::Usual };
            }
            "sandbox_backend" => {
                let backend = text(value, word)?;
                if backend.split_whitespace().next() != Some("none") {
                    bail!("`sandbox_backend` is `{backend}`, and only `none` can be simulated");
                }
                self.sandbox = Sandbox::Unavailable;
            }
            "dial" => {
                let dial = text(value, word)?;
                if !dial.starts_with("fake") {
                    bail!("`dial` is `{dial}`, and no test may dial anything but loopback");
                }
            }
            "dns" => self.dns.extend(words::dns(value)?),
            "env" => self.environment.extend(texts(value, word)?),
            "secrets" => self.secrets.extend(words::list(value, word)?),
            "learned" => self.heard = words::parse_answers(value)?,
            "helper" => self.race = Some(Race::parse(&text(value, word)?)?),
            "path_mode" => {
                let mode = text(value, word)?;
                if mode.split_whitespace().next() != Some("windows") {
                    bail!("`path_mode` is `{mode}`, and only `windows` is known");
                }
                self.windows_paths = true;
            }
            "trusted" => self.is_untrusted = !value.as_bool().context("`trusted` is true or false")?,
            _ => bail!("the word `{word}` is not known"),
        }
        Ok(())
    }
}

/// Replaces the placeholders in all texts of a value.
pub(crate) fn fill_placeholders(value: &Value, fill: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text)),
        Value::Array(items) => Value::Array(items.iter().map(|item| fill_placeholders(item, fill)).collect()),
        Value::Object(members) => Value::Object(
            members.iter().map(|(key, value)| (fill(key), fill_placeholders(value, fill))).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn text(value: &Value, word: &str) -> anyhow::Result<String> {
    value.as_str().map(str::to_owned).with_context(|| format!("`{word}` is a text"))
}

fn one_of(value: &Value, word: &str, known: &[&str]) -> anyhow::Result<String> {
    let met = text(value, word)?;
    if !known.contains(&met.as_str()) {
        bail!("`{word}` is `{met}`, and only {} is known", known.join(", "));
    }
    Ok(met)
}

fn texts(value: &Value, word: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let members = value.as_object().with_context(|| format!("`{word}` is an object"))?;
    members.iter().map(|(key, value)| Ok((key.clone(), text(value, key)?))).collect()
}

#[cfg(test)]
mod tests;
