//! The narrowest rules for the effects of a call.

use windlass_command::{Command, Effects, ProgramKind, TouchKind, TouchedPath, program_kind, quote};
use windlass_hitl::{Action, ApprovalRequest, ArgumentCondition, CustomCondition, EffectKind, Rule};
use windlass_protocol::{Amount, Effect, ToolName};

use crate::error::{Result, bail};

/// Maximum number of rules for one call. A call with more parts is not an example of a kind of call.
const MAX_RULES: usize = 8;

/// Rule for one effect of a call, with examples in words.
pub(super) struct Candidate {
    pub(super) rule: Rule,
    pub(super) allows: Vec<String>,
    pub(super) refuses: Vec<String>,
}

/// Returns a rule for each effect of a call. Their ids are not set yet.
pub(super) fn find_candidates(request: &ApprovalRequest) -> Result<Vec<Candidate>> {
    let mut found: Vec<Candidate> = Vec::new();
    for effect in &request.effects {
        for candidate in for_effect(request, effect)? {
            if !found.iter().any(|known| known.rule == candidate.rule) {
                found.push(candidate);
            }
        }
    }
    match found.len() {
        0 => bail!(Conflict, "the call states no effect that a rule can name"),
        count if count > MAX_RULES => {
            bail!(Conflict, "the call needs {count} rules; at most {MAX_RULES} are made of one answer")
        }
        _ => Ok(found),
    }
}

fn for_effect(request: &ApprovalRequest, effect: &Effect) -> Result<Vec<Candidate>> {
    let tool = &request.tool;
    let one = |candidate| Ok(vec![candidate]);
    match effect {
        Effect::Internal => Ok(Vec::new()),
        Effect::Read { path } => one(for_file(tool, EffectKind::Read, path)?),
        Effect::Write { path, .. } => one(for_file(tool, EffectKind::Write, path)?),
        Effect::Delete { path } => one(for_file(tool, EffectKind::Delete, path)?),
        Effect::ReadTree { path } => one(for_tree(tool, EffectKind::Read, path)?),
        Effect::WriteTree { path } => one(for_tree(tool, EffectKind::Write, path)?),
        Effect::DeleteTree { path } => one(for_tree(tool, EffectKind::Delete, path)?),
        Effect::Execute { command, directory } => for_command(tool, command, directory),
        Effect::Connect { host, port } => one(for_host(tool, host, *port)),
        Effect::Mcp { server, tool: name, fingerprint, .. } => one(for_mcp(tool, server, name, fingerprint)),
        Effect::Spawn { agent } => one(for_agent(request, agent)?),
        Effect::Custom { kind, target, amount } => one(for_custom(tool, kind, target, amount.as_ref())?),
        _ => bail!(Conflict, "the call has an effect that a rule cannot name narrowly: {}", effect.kind()),
    }
}

fn rule(tool: &ToolName, kind: EffectKind) -> Rule {
    Rule::new("", Action::Allow).with_tool(tool.clone()).with_effect(kind)
}

/// Adds the examples to the rule as its tests, and returns them in words.
fn with_tests(
    rule: Rule,
    tool: &ToolName,
    verb: &str,
    allows: Vec<String>,
    refuses: Vec<String>,
) -> Candidate {
    let words = |examples: &[String]| examples.iter().map(|text| format!("{tool}: {verb} {text}")).collect();
    Candidate { allows: words(&allows), refuses: words(&refuses), rule: rule.with_examples(allows, refuses) }
}

fn verb(kind: EffectKind) -> &'static str {
    match kind {
        EffectKind::Read => "read",
        EffectKind::Delete => "delete",
        _ => "write",
    }
}

/// Returns the rule for files with the same extension in the same folder. A file without an extension is its own rule.
fn for_file(tool: &ToolName, kind: EffectKind, path: &str) -> Result<Candidate> {
    let path = check_path(path)?;
    let (folder, name) = match path.rsplit_once('/') {
        Some((folder, name)) => (format!("{folder}/"), name),
        None => (String::new(), path),
    };
    let extension = name.rsplit_once('.').filter(|(stem, end)| !stem.is_empty() && !end.is_empty());
    let Some((_, extension)) = extension else { return for_exact_file(tool, kind, path) };
    let other = if extension == "txt" { "md" } else { "txt" };
    let glob = format!("{}*.{}", escape(&folder)?, escape(extension)?);
    let mut allows = vec![path.to_owned(), format!("{folder}example.{extension}")];
    let mut refuses = vec![format!("{folder}example.{other}"), format!("{folder}inner/example.{extension}")];
    allows.dedup();
    if !folder.is_empty() {
        refuses.push(format!("elsewhere/{name}"));
    }
    refuses.retain(|example| !example.starts_with(&format!("{path}/")) && example != path);
    Ok(with_tests(rule(tool, kind).with_path(glob), tool, verb(kind), allows, refuses))
}

/// Returns the rule for one file.
fn for_exact_file(tool: &ToolName, kind: EffectKind, path: &str) -> Result<Candidate> {
    let path = check_path(path)?;
    let mut refuses = vec![format!("{path}-other")];
    if let Some((_, name)) = path.rsplit_once('/') {
        refuses.push(format!("elsewhere/{name}"));
    }
    refuses.retain(|example| example != path);
    let rule = rule(tool, kind).with_path(escape(path)?);
    Ok(with_tests(rule, tool, verb(kind), vec![path.to_owned()], refuses))
}

/// Returns the rule for everything below a folder.
fn for_tree(tool: &ToolName, kind: EffectKind, path: &str) -> Result<Candidate> {
    let folder = check_path(path)?.trim_end_matches('/');
    if folder.is_empty() || folder == "." {
        bail!(Conflict, "the call reaches the whole workspace, for which a rule would not be narrow");
    }
    let glob = format!("{}/**", escape(folder)?);
    let allows = vec![format!("{folder}/example.txt"), format!("{folder}/inner/example.txt")];
    let refuses = vec![format!("{folder}-other/example.txt")];
    Ok(with_tests(rule(tool, kind).with_path(glob), tool, verb(kind), allows, refuses))
}

/// Returns a path without `./` in front, or an error if it is not normal.
fn check_path(path: &str) -> Result<&str> {
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.is_empty() || path.split('/').any(|part| part == ".." || part == ".") && path != "." {
        bail!(Conflict, "the path {path} is not normal, so a rule cannot name it");
    }
    Ok(path)
}

/// Returns a glob that matches exactly this text.
fn escape(text: &str) -> Result<String> {
    let mut glob = String::new();
    for letter in text.chars() {
        match letter {
            '*' | '?' | '[' | ']' | '{' | '}' => glob.extend(['[', letter, ']']),
            '\\' => bail!(Conflict, "the path {text} has a backslash, so a rule cannot name it"),
            letter => glob.push(letter),
        }
    }
    Ok(glob)
}

/// Returns a rule for each program of a command, for its sub-command or for all of its words, and one for each file that
/// the command is known to change.
fn for_command(tool: &ToolName, command: &str, directory: &str) -> Result<Vec<Candidate>> {
    let Ok(parsed) = Command::parse(command) else {
        bail!(Conflict, "the command cannot be divided into words with certainty, so a rule cannot name it");
    };
    let mut found = Vec::new();
    for simple in parsed.commands() {
        found.push(for_words(tool, simple.argv()));
        // Without a rule for one of the paths, policy still asks about the command.
        let effects = Effects::from_argv(simple.argv());
        found.extend(effects.touches().iter().filter_map(|touched| for_touched(tool, touched, directory)));
    }
    Ok(found)
}

/// Returns the rule for a path that a command changes. `None` if it only reads the path, if that is not certain, or if
/// the path is relative to another folder than the workspace's own.
fn for_touched(tool: &ToolName, touched: &TouchedPath, directory: &str) -> Option<Candidate> {
    let is_in_workspace = touched.is_from_root() || matches!(directory, "" | ".");
    let kind = match touched.kind() {
        TouchKind::Read => return None,
        TouchKind::Delete => EffectKind::Delete,
        TouchKind::Write | TouchKind::Any => EffectKind::Write,
    };
    if !touched.is_sure() || !is_in_workspace {
        return None;
    }
    let make = if touched.reaches_below() { for_tree } else { for_exact_file };
    make(tool, kind, touched.path()).ok()
}

fn for_words(tool: &ToolName, argv: &[String]) -> Candidate {
    let words = argv.get(..count_words(argv)).unwrap_or(argv);
    let (whole, prefix) = (join(argv), join(words));
    let mut allows = vec![whole, format!("{prefix} further words")];
    allows.dedup();
    let mut refuses = vec![format!("{prefix} && other-program"), format!("sh -c {}", quote(&prefix))];
    if let (Some(program), true) = (words.first(), words.len() > 1) {
        refuses.push(quote(program).into_owned());
    }
    let rule = rule(tool, EffectKind::Execute).with_argv(words.iter().cloned());
    with_tests(rule, tool, "run", allows, refuses)
}

/// Returns the number of words that the rule for a command names. A program with sub-commands is named with its
/// sub-command, and `npm run` with its script; every other program with all of its words.
fn count_words(argv: &[String]) -> usize {
    let word = |at: usize| argv.get(at).map(String::as_str).unwrap_or_default();
    let has_subcommand =
        program_kind(word(0)) == ProgramKind::Subcommands && !word(1).is_empty() && !word(1).starts_with('-');
    match (has_subcommand, word(1)) {
        (true, "run" | "exec" | "run-script") | (false, _) => argv.len(),
        (true, _) => 2,
    }
}

fn join(argv: &[String]) -> String {
    argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

fn for_host(tool: &ToolName, host: &str, port: u16) -> Candidate {
    let rule = rule(tool, EffectKind::Network).with_host(host).with_port(port);
    let other = if port == 443 { 8443 } else { 443 };
    let allows = vec![format!("{host}:{port}")];
    // An address with colons has no form with a port in examples.
    let refuses = if host.contains(':') {
        Vec::new()
    } else {
        vec![format!("{host}:{other}"), format!("sub.{host}:{port}"), format!("{host}.example:{port}")]
    };
    with_tests(rule, tool, "connect to", allows, refuses)
}

/// Returns a candidate whose examples are only words, because policy files have examples of commands, paths and hosts.
fn in_words(rule: Rule, allows: String, refuses: [String; 2]) -> Candidate {
    Candidate { rule, allows: vec![allows], refuses: refuses.into() }
}

fn for_mcp(tool: &ToolName, server: &str, name: &str, fingerprint: &str) -> Candidate {
    let rule =
        rule(tool, EffectKind::Mcp).with_server(server).with_mcp_tool(name).with_fingerprint(fingerprint);
    in_words(
        rule,
        format!("{tool}: call {name} of {server} with any arguments"),
        [format!("{name} of {server} after its definition has changed"), format!("another tool of {server}")],
    )
}

/// Returns the rule for one agent. The tool has the agent's name, or an argument names the agent.
fn for_agent(request: &ApprovalRequest, agent: &str) -> Result<Candidate> {
    let tool = &request.tool;
    let mut rule = rule(tool, EffectKind::Spawn);
    if tool.as_str() != agent {
        let fields = request.call.arguments().map(windlass_protocol::Arguments::as_object);
        let name = fields.and_then(|fields| fields.iter().find(|(_, value)| value.as_str() == Some(agent)));
        let Some((name, _)) = name else {
            bail!(Conflict, "the arguments do not name the agent {agent}, so a rule cannot name it");
        };
        let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        rule = rule.with_argument(ArgumentCondition::new(pointer).with_one_of([agent.into()]));
    }
    let refuses = [format!("{tool}: start another agent"), format!("a call that the agent {agent} makes")];
    Ok(in_words(rule, format!("{tool}: start the agent {agent} with any task"), refuses))
}

fn for_custom(tool: &ToolName, kind: &str, target: &str, amount: Option<&Amount>) -> Result<Candidate> {
    let mut condition = CustomCondition::default().with_kind(kind).with_target(escape(target)?);
    let mut refuses =
        [format!("{tool}: {kind} {target}-other"), format!("{tool}: another effect than {kind}")];
    let mut allows = format!("{tool}: {kind} {target}");
    if let Some(Amount { value, unit, .. }) = amount {
        condition = condition.with_at_most(*value, unit);
        allows = format!("{allows}, at most {value} {unit}");
        let [_, more] = &mut refuses;
        *more = format!("{tool}: {kind} {target}, {} {unit}", value.saturating_add(1));
    }
    Ok(in_words(rule(tool, EffectKind::Custom).with_custom(condition), allows, refuses))
}
