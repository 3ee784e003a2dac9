//! Reads the JSON configurations of other MCP clients: `mcpServers`, and `servers` of editors.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::config::MAX_SERVERS;
use super::entry::ServerEntry;
use crate::error::{Context as _, Result, ensure, one_line};
use crate::secrets;

/// The imported entries, with notes for the user.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ImportedServers {
    /// Entries by the name of the server.
    pub entries: BTreeMap<String, ServerEntry>,
    /// Properties that were not imported, and why.
    pub notes: Vec<String>,
}

/// The maximum number of properties, arguments, variables and headers of an imported server.
const MAX_VALUES: usize = 10_000;

/// Settings in other clients' server entries that have no counterpart here, each with the explanation for the user.
const ELSEWHERE: [(&str, &str); 6] = [
    ("alwaysAllow", "the policy file defines which calls run without a question"),
    ("autoApprove", "the policy file defines which calls run without a question"),
    ("trust", "the policy file defines which calls run without a question"),
    ("envFile", "variables are named in `env_vars`"),
    ("dev", "it is specific to an editor"),
    ("gallery", "it is specific to an editor"),
];

/// Parses the servers of a text. Copies values that look like secrets only if `with_secrets` is set.
///
/// # Errors
///
/// Fails if the text is not such a configuration.
pub fn parse_foreign_config(text: &str, with_secrets: bool) -> Result<ImportedServers> {
    // Editors on Windows write a BOM.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = serde_json::from_str(&strip_comments(text)).context("it is not JSON")?;
    let places = ["/mcpServers", "/servers", "/mcp/servers", "/mcp/mcpServers"];
    let servers = places.iter().find_map(|place| value.pointer(place)?.as_object());
    let servers = servers.context("it has neither `mcpServers` nor `servers`")?;
    let count = servers.len();
    ensure!(count <= MAX_SERVERS, Invalid, "it has {count} servers, at most {MAX_SERVERS} are imported");
    let mut import = ImportedServers::default();
    let mut variables = BTreeSet::new();
    for (given, server) in servers {
        let name = legal(given);
        let mut reader =
            Reader { name: &name, with_secrets, notes: &mut import.notes, variables: &mut variables };
        if name != *given {
            reader.note(&format!("its name {given:?} is not valid here"));
        }
        match server.as_object().context("it is not an object").and_then(|server| reader.entry(server)) {
            Ok(entry) if !import.entries.contains_key(&name) => {
                import.entries.insert(name, entry);
            }
            Ok(_) => import.notes.push(format!("{name}: it is left out: the name is used twice")),
            Err(error) => import.notes.push(format!("{name}: it is left out: {}", one_line(&error))),
        }
    }
    Ok(import)
}

/// Reader of one server, which notes all properties that are not imported.
struct Reader<'a> {
    name: &'a str,
    with_secrets: bool,
    notes: &'a mut Vec<String>,
    /// Variable names that were given to headers, so that no server is sent the token of another one.
    variables: &'a mut BTreeSet<String>,
}

impl Reader<'_> {
    fn entry(&mut self, server: &Map<String, Value>) -> Result<ServerEntry> {
        let values =
            |value: &Value| value.as_array().map_or(0, Vec::len) + value.as_object().map_or(0, Map::len);
        let count: usize = server.len() + server.values().map(values).sum::<usize>();
        ensure!(count <= MAX_VALUES, Invalid, "it has {count} values, at most {MAX_VALUES} are imported");
        let word = |key: &str| server.get(key).and_then(Value::as_str).map(str::to_owned);
        let list = |key: &str| -> Vec<String> {
            let items = server.get(key).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
        };
        let command = word("command");
        let url = word("url").or_else(|| word("httpUrl")).or_else(|| word("serverUrl"));
        let is_off = |key: &str, off: bool| server.get(key).and_then(Value::as_bool) == Some(off);
        let only = list("includeTools");
        let without = [list("disabledTools"), list("excludeTools")].concat();
        let mut entry = ServerEntry {
            args: if command.is_some() { list("args") } else { Vec::new() },
            cwd: command.as_ref().and_then(|_| word("cwd")).map(Into::into),
            url: if command.is_some() { None } else { url },
            command,
            enabled: !is_off("disabled", true) && !is_off("enabled", false),
            enabled_tools: (!only.is_empty()).then_some(only),
            disabled_tools: without,
            tool_timeout_sec: self.timeout(server),
            ..ServerEntry::default()
        };
        if entry.command.is_some() {
            self.environment(server, &mut entry);
        } else {
            self.headers(server, &mut entry);
        }
        self.say_what_is_left(server, &entry);
        entry.check()?;
        Ok(entry)
    }

    fn environment(&mut self, server: &Map<String, Value>, entry: &mut ServerEntry) {
        for (name, value) in server.get("env").and_then(Value::as_object).into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if let Some(other) = variable_in(&value).filter(|other| *other != name.as_str()) {
                // `env_vars` passes a variable on only under its own name.
                self.note(&format!(
                    "{name} is left out: its value comes from your variable {other}, and variables keep \
                     their own names when they are passed on"
                ));
            } else if is_composed(&value) {
                self.note(&format!("{name} is left out: its value {value} combines variables"));
            } else if is_reference(&value) {
                self.note(&format!("it gets {name} from your environment ({value} there)"));
                entry.env_vars.push(name.clone());
            } else if !self.with_secrets && secrets::is_secret(name, &value) {
                self.note(&format!(
                    "the value of {name} looks like a secret and is not copied: set {name} in your environment, or \
                     import it with its secrets"
                ));
                entry.env_vars.push(name.clone());
            } else {
                entry.env.insert(name.clone(), value);
            }
        }
        let is_flag = |word: &String| word.starts_with('-') && secrets::is_secret_name(word);
        if entry.args.iter().any(is_flag) {
            self.note(
                "its arguments appear to contain a secret; every user of this machine can see \
                 arguments",
            );
        }
    }

    fn headers(&mut self, server: &Map<String, Value>, entry: &mut ServerEntry) {
        for (name, value) in server.get("headers").and_then(Value::as_object).into_iter().flatten() {
            let value = value.as_str().unwrap_or_default();
            let is_bearer = name.eq_ignore_ascii_case("authorization")
                && value.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer "));
            let is_kept = self.with_secrets && !is_reference(value);
            if is_kept || !(is_bearer || is_reference(value) || is_secret_header(name, value)) {
                entry.http_headers.insert(name.clone(), value.to_owned());
                continue;
            }
            let variable = self.variable(if is_bearer { "token" } else { name });
            self.note(&format!("the header {name} is not copied: set {variable} in your environment"));
            if is_bearer {
                entry.bearer_token_env_var = Some(variable);
            } else {
                entry.env_http_headers.insert(name.clone(), variable);
            }
        }
    }

    fn say_what_is_left(&mut self, server: &Map<String, Value>, entry: &ServerEntry) {
        for (key, why) in ELSEWHERE {
            if server.contains_key(key) {
                self.note(&format!("`{key}` is not carried over: {why}"));
            }
        }
        let kind = server.get("type").or_else(|| server.get("transport")).and_then(Value::as_str);
        if kind == Some("sse") && entry.url.is_some() {
            self.note(
                "it is configured for the older HTTP+SSE transport, which is not supported; use its address \
                 for streamable HTTP",
            );
        }
    }

    /// Returns the timeout in seconds. Some clients write seconds, others milliseconds. Limits in seconds go
    /// up to one hour (Roo Code, Cline), so a larger number is read as milliseconds; for a smaller one a note
    /// states that it was read as seconds.
    fn timeout(&mut self, server: &Map<String, Value>) -> Option<f64> {
        let time = server.get("timeout").and_then(Value::as_f64).filter(|time| *time > 0.0)?;
        if time > LONGEST_SECONDS {
            return Some(time / 1_000.0);
        }
        self.note(&format!("its `timeout` of {time} is read as seconds; some clients mean milliseconds"));
        Some(time)
    }

    /// Returns a variable name for a header that no other server of the file uses.
    fn variable(&mut self, what: &str) -> String {
        let plain = variable(self.name, what);
        let mut name = plain.clone();
        for number in 2_u32.. {
            if self.variables.insert(name.clone()) {
                break;
            }
            name = format!("{plain}_{number}");
        }
        name
    }

    fn note(&mut self, words: &str) {
        self.notes.push(format!("{}: {words}", self.name));
    }
}

/// Maximum timeout that is read as seconds.
const LONGEST_SECONDS: f64 = 3_600.0;

/// Returns the name of the variable if the text is one reference: `${VAR}`, `${env:VAR}` or
/// `${VAR:-default}`.
fn variable_in(value: &str) -> Option<&str> {
    let inside = value.strip_prefix("${")?.strip_suffix('}')?;
    let name = inside.strip_prefix("env:").unwrap_or(inside);
    let name = name.split_once(":-").map_or(name, |(name, _)| name);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some(name)
}

/// Returns true if a value contains a reference and other text, or more than one reference.
fn is_composed(value: &str) -> bool {
    let is_one = value.starts_with("${") && value.find('}') == value.len().checked_sub(1);
    is_reference(value) && !is_one
}

/// Returns true if a value contains a reference of another client: `${VAR}`, `${env:VAR}`, `${input:key}`.
fn is_reference(value: &str) -> bool {
    value.contains("${")
}

fn is_secret_header(name: &str, value: &str) -> bool {
    name.eq_ignore_ascii_case("authorization") || secrets::is_secret(&name.replace('-', "_"), value)
}

/// Returns the name of the variable for a server's header.
fn variable(server: &str, what: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    format!("{server}_{what}").chars().map(plain).collect()
}

/// Replaces the characters that a server's name must not have, and shortens the name to 64 characters.
pub(crate) fn legal(name: &str) -> String {
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "_.-".contains(letter) { letter } else { '-' };
    let legal: String = name.chars().map(plain).take(64).collect();
    if legal.is_empty() { "server".to_owned() } else { legal }
}

/// Removes comments and trailing commas, which editors permit, outside of strings.
fn strip_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(letter) = rest.chars().next() {
        let end = match letter {
            '"' => string_end(rest),
            '/' if rest.starts_with("//") => {
                rest = rest.find('\n').and_then(|at| rest.get(at..)).unwrap_or_default();
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = rest.split_once("*/").map_or("", |(_, rest)| rest);
                continue;
            }
            ']' | '}' => {
                let kept = out.trim_end();
                if let Some(kept) = kept.strip_suffix(',') {
                    out.truncate(kept.len());
                }
                1
            }
            letter => letter.len_utf8(),
        };
        let (taken, left) = rest.split_at_checked(end).unwrap_or((rest, ""));
        out.push_str(taken);
        rest = left;
    }
    out
}

/// Returns the byte offset after the string literal at the start of a text.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return at.saturating_add(1),
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests;
