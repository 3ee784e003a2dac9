//! The values of the keys of a setup.

use std::collections::BTreeMap;
use std::net::IpAddr;

use anyhow::{Context as _, bail};
use serde_json::Value;
use windlass_hitl::Action;

/// A rule in the catalogue's form: `[verdict, tool, matcher]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleWords {
    pub(crate) action: Action,
    /// The tool, or `None` for every tool.
    pub(crate) tool: Option<String>,
    pub(crate) matcher: Matcher,
}

/// The subject of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Matcher {
    Anything,
    Argv(Vec<String>),
    /// A glob for paths, or a URL with a glob as its path.
    Glob(String),
}

/// The decision if no rule applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Otherwise {
    #[default]
    Ask,
    Deny,
    Allow,
}

/// The answer of the setup's approver. The approver always records the prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Answers {
    #[default]
    No,
    Yes,
    Nothing,
}

/// The sandbox of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sandbox {
    /// The best sandbox of this machine.
    #[default]
    Usual,
    /// A sandbox is required.
    Required,
    /// A machine without a sandbox is simulated.
    Unavailable,
}

/// Earlier answers to calls of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EarlierAnswers {
    /// The tool, or `None` for every tool.
    pub(crate) tool: Option<String>,
    /// A glob for paths.
    pub(crate) scope: Option<String>,
    pub(crate) approved: u32,
    pub(crate) denied: u32,
    pub(crate) unanswered: u32,
}

/// A folder that is repeatedly exchanged with a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Race {
    pub(crate) folder: String,
    pub(crate) target: String,
}

pub(crate) fn rules(value: &Value) -> anyhow::Result<Vec<RuleWords>> {
    value.as_array().context("`rules` is a list")?.iter().map(rule).collect()
}

fn rule(value: &Value) -> anyhow::Result<RuleWords> {
    let parts = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let [action, tool, matcher] = parts else { bail!("a rule is [verdict, tool, matcher], not {value}") };
    let action = match action.as_str() {
        Some("allow") => Action::Allow,
        Some("ask") => Action::Ask,
        Some("deny") => Action::Deny,
        _ => bail!("a rule's verdict is allow, ask or deny, not {action}"),
    };
    let tool = tool.as_str().context("a rule's tool is a text")?;
    let matcher = match matcher {
        Value::Array(_) => Matcher::Argv(list(matcher, "matcher")?),
        Value::String(glob) if matches!(glob.as_str(), "*" | "**") => Matcher::Anything,
        Value::String(glob) => Matcher::Glob(glob.clone()),
        _ => bail!("a rule's matcher is a list of words or a glob, not {matcher}"),
    };
    Ok(RuleWords { action, tool: (tool != "*").then(|| tool.to_owned()), matcher })
}

pub(crate) fn list(value: &Value, word: &str) -> anyhow::Result<Vec<String>> {
    let items = value.as_array().with_context(|| format!("`{word}` is a list"))?;
    items.iter().map(|item| item.as_str().map(str::to_owned).context("a list of texts")).collect()
}

/// Parses the answers of the resolver. The string `"fake"` is a resolver without names.
pub(crate) fn dns(value: &Value) -> anyhow::Result<BTreeMap<String, Vec<Vec<IpAddr>>>> {
    if value.as_str() == Some("fake") {
        return Ok(BTreeMap::new());
    }
    let names = value.as_object().context("`dns` is `fake` or an object")?;
    let mut answers = BTreeMap::new();
    for (name, value) in names {
        let lists = value.as_array().context("a name has a list of answers")?;
        let parsed = lists.iter().map(addresses).collect::<anyhow::Result<Vec<_>>>()?;
        answers.insert(name.clone(), parsed);
    }
    Ok(answers)
}

fn addresses(value: &Value) -> anyhow::Result<Vec<IpAddr>> {
    list(value, "dns")?
        .iter()
        .map(|text| text.parse().with_context(|| format!("the address {text}")))
        .collect()
}

/// Parses `50 approvals, 0 denials for every tool`, or counts by `tool` or `tool scope=glob`.
pub(crate) fn parse_answers(value: &Value) -> anyhow::Result<Vec<EarlierAnswers>> {
    match value {
        Value::String(text) => Ok(vec![parse_answer_words(text)?]),
        Value::Object(members) => {
            members.iter().map(|(key, counts)| parse_answer_counts(key, counts)).collect()
        }
        _ => bail!("`learned` is a text or an object"),
    }
}

fn parse_answer_words(text: &str) -> anyhow::Result<EarlierAnswers> {
    let (counts, about) = text.split_once(" for ").with_context(|| format!("`learned` is `{text}`"))?;
    let mut heard = EarlierAnswers {
        tool: (about != "every tool").then(|| about.to_owned()),
        ..EarlierAnswers::default()
    };
    for count in counts.split(", ") {
        let (number, what) = count.split_once(' ').with_context(|| format!("the count `{count}`"))?;
        let number = number.parse().with_context(|| format!("the count `{count}`"))?;
        heard.count(what, number)?;
    }
    Ok(heard)
}

fn parse_answer_counts(key: &str, counts: &Value) -> anyhow::Result<EarlierAnswers> {
    let (tool, scope) = match key.split_once(" scope=") {
        Some((tool, scope)) => (tool, Some(scope.to_owned())),
        None => (key, None),
    };
    let mut heard = EarlierAnswers { tool: Some(tool.to_owned()), scope, ..EarlierAnswers::default() };
    for (what, number) in counts.as_object().context("the learned approvals are an object")? {
        let number = number.as_u64().and_then(|number| u32::try_from(number).ok());
        heard.count(what, number.with_context(|| format!("`{what}` is a number"))?)?;
    }
    Ok(heard)
}

impl EarlierAnswers {
    fn count(&mut self, what: &str, number: u32) -> anyhow::Result<()> {
        match what {
            "approved" | "approvals" => self.approved = number,
            "denied" | "denials" => self.denied = number,
            "timeouts" | "unanswered" => self.unanswered = number,
            _ => bail!("the word `{what}` of `learned` is not known"),
        }
        Ok(())
    }
}

impl Otherwise {
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        Ok(match text {
            "ask" => Self::Ask,
            "deny" => Self::Deny,
            "allow" => Self::Allow,
            _ => bail!("`default` is ask, deny or allow, not `{text}`"),
        })
    }
}

impl Answers {
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let says = |words: &str| text.contains(words);
        Ok(if says("answers yes") {
            Self::Yes
        } else if says("answers deny") || says("answers no") && !says("answers nothing") {
            Self::No
        } else if says("answers nothing") || says("never answers") {
            Self::Nothing
        } else {
            bail!("`approver` is `{text}`: it is neither yes nor deny nor empty")
        })
    }
}

impl Race {
    /// Parses `.. alternates FOLDER between a real directory and a symlink to TARGET with renameat2(..)`.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let after = |word: &str| {
            let (_, rest) = text.split_once(word)?;
            rest.split_whitespace().next().map(str::to_owned)
        };
        let (folder, target) = (after("alternates "), after("symlink to "));
        let race = folder.zip(target).filter(|_| text.contains("RENAME_EXCHANGE"));
        let (folder, target) = race.with_context(|| format!("the helper `{text}` is not known"))?;
        Ok(Self { folder, target })
    }
}
