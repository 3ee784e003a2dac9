//! Converts the rules of a setup to a policy file.

use std::net::IpAddr;
use std::path::Path;

use anyhow::{Context as _, bail};
use toml::{Table, Value};
use windlass_hitl::{Action, Policy, RuleFile, Source};
use windlass_sandbox::{Access, Workspace};

use crate::setup::{Matcher, RuleWords};

/// Returns the text of a policy file with these rules, which the program can read too.
pub(crate) fn text(rules: &[RuleWords], workspace: &Path) -> anyhow::Result<String> {
    let mut list = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        list.push(Value::Table(table(number, rule, workspace)?));
    }
    let mut file = Table::new();
    if !list.is_empty() {
        file.insert("rule".to_owned(), Value::Array(list));
    }
    Ok(toml::to_string(&file)?)
}

/// Parses a policy file with the engine.
pub(crate) fn parse(text: &str) -> anyhow::Result<RuleFile> {
    toml::from_str(text).with_context(|| format!("the engine does not take the rules {text:?}"))
}

/// Returns the user's policy with these rules.
pub(crate) fn policy(rules: &[RuleWords], workspace: &Path) -> anyhow::Result<Policy> {
    let file = parse(&text(rules, workspace)?)?;
    let policy =
        Policy::default().with_file(Source::User, file).context("the engine does not take the rules")?;
    let policy = match Workspace::open_for(workspace, Access::ReadOnly) {
        Ok(workspace) => policy.with_link_resolver(move |path| workspace.leads_to(path)),
        // The case makes no workspace, so it has no links.
        Err(_) => policy,
    };
    Ok(loopbacks(rules)?.into_iter().fold(policy, |policy, (host, port)| policy.with_reachable(host, port)))
}

/// Returns the loopback addresses that rules name. The host has to declare them reachable.
pub(crate) fn loopbacks(rules: &[RuleWords]) -> anyhow::Result<Vec<(String, u16)>> {
    let mut found = Vec::new();
    for rule in rules.iter().filter(|rule| rule.action == Action::Allow) {
        if let Matcher::Glob(glob) = &rule.matcher
            && let Some(Address { host, port }) = Address::parse(glob)?
            && host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        {
            found.push((host, port));
        }
    }
    Ok(found)
}

fn table(number: usize, rule: &RuleWords, workspace: &Path) -> anyhow::Result<Table> {
    let action = match rule.action {
        Action::Allow => "allow",
        Action::Ask => "ask",
        Action::Deny => "deny",
    };
    let mut table = Table::new();
    let mut set = |key: &str, value: Value| drop(table.insert(key.to_owned(), value));
    set("id", Value::String(format!("rule-{number:04}-{action}")));
    set("action", Value::String(action.to_owned()));
    if let Some(tool) = &rule.tool {
        set("tool", Value::String(tool.clone()));
    }
    match &rule.matcher {
        Matcher::Anything => {}
        Matcher::Argv(words) => {
            set("argv", Value::Array(words.iter().cloned().map(Value::String).collect()));
        }
        Matcher::Glob(glob) => match Address::parse(glob)? {
            Some(Address { host, port }) => {
                set("host", Value::String(host));
                set("port", Value::Integer(i64::from(port)));
            }
            None => set("path", Value::String(relative(glob, workspace))),
        },
    }
    Ok(table)
}

/// The host and port of a URL with a glob as its path. A rule cannot distinguish the paths of a host.
struct Address {
    host: String,
    port: u16,
}

impl Address {
    fn parse(glob: &str) -> anyhow::Result<Option<Self>> {
        let (rest, port) = if let Some(rest) = glob.strip_prefix("https://") {
            (rest, 443)
        } else if let Some(rest) = glob.strip_prefix("http://") {
            (rest, 80)
        } else {
            return Ok(None);
        };
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        if !matches!(path, "" | "*" | "**") {
            bail!("a rule cannot describe a path of a host: {glob}");
        }
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().with_context(|| format!("the port of {glob}"))?),
            None => (place, port),
        };
        Ok(Some(Self { host: host.to_owned(), port }))
    }
}

/// Makes a path relative to the workspace, the form in which rules have paths.
fn relative(glob: &str, workspace: &Path) -> String {
    let inside = glob.strip_prefix(&*workspace.to_string_lossy()).and_then(|rest| rest.strip_prefix('/'));
    inside.unwrap_or(glob).to_owned()
}
