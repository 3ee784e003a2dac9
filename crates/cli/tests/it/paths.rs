//! No file, list or search tool shows a path that a rule denies, over random trees with links and random
//! rules (security 2).

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use windlass_hitl::{
    Action, ApprovalHistory, Constraint, EffectKind, Grants, Policy, Rule, RuleFile, Source, Verdict, decide,
};
use windlass_protocol::{Arguments, CallId, ToolCall, ToolName};
use windlass_sandbox::Workspace;
use windlass_tool::Context;
use windlass_toolbox::{Preset, ToolConfig, Toolbox};

/// Numbers that look random, from a seed that a failure names.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn folder(&mut self) -> String {
        let names = ["a", "b", "private"];
        let depth = 1 + self.roll(3);
        (0..depth).map(|_| names[self.roll(names.len())]).collect::<Vec<_>>().join("/")
    }
}

/// A tree of files, each with a name and a line of its own, and links between its folders.
struct Tree {
    folder: tempfile::TempDir,
    files: Vec<String>,
    /// The paths of a model: files and folders, by their own names and through links.
    words: Vec<String>,
}

impl Tree {
    fn new(dice: &mut Dice) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (mut files, mut words) = (Vec::new(), vec![".".to_owned()]);
        for at in 0..4 + dice.roll(6) {
            let below = dice.folder();
            std::fs::create_dir_all(folder.path().join(&below)).unwrap();
            let file = format!("{below}/file{at}.rs");
            std::fs::write(folder.path().join(&file), format!("pub fn needle_{at}() {{}}\n")).unwrap();
            words.extend([below, file.clone()]);
            files.push(file);
        }
        for at in 0..3 {
            let leads = files[dice.roll(files.len())].clone();
            let (from, leads) = match dice.roll(2) {
                0 => (format!("link{at}.rs"), leads),
                _ => (format!("link{at}"), Path::new(&leads).parent().unwrap().display().to_string()),
            };
            symlink(&leads, folder.path().join(&from)).unwrap();
            words.extend(
                files.iter().filter_map(|file| file.strip_prefix(&leads)).map(|rest| format!("{from}{rest}")),
            );
            words.push(from);
        }
        Self { folder, files, words }
    }
}

fn policy(dice: &mut Dice, tree: &Tree) -> Policy {
    let mut file = RuleFile::default();
    for at in 0..=dice.roll(2) {
        let folder = dice.folder();
        let one = &tree.files[dice.roll(tree.files.len())];
        let link = format!("link{}", dice.roll(3));
        let glob = match dice.roll(7) {
            0 => format!("{folder}/**"),
            1 => format!("**/{folder}/**"),
            2 => one.clone(),
            3 => format!("{folder}/*"),
            4 => format!("{link}/**"),
            5 => format!("{link}.rs"),
            _ => format!("**/{}", one.rsplit('/').next().unwrap()),
        };
        file.rules
            .push(Rule::new(format!("r{at}"), Action::Deny).with_effect(EffectKind::Read).with_path(glob));
    }
    if dice.roll(3) == 0 {
        let name = tree.files[dice.roll(tree.files.len())].rsplit('/').next().unwrap().to_owned();
        file.constraints.push(Constraint::new("c", EffectKind::Read, vec![]).with_blocked([name]));
    }
    file.rules.push(Rule::new("all", Action::Allow));
    Policy::default().with_file(Source::User, file).unwrap()
}

/// Returns the output of a call that the policy allows. It is decided and run as in an agent.
async fn shown(toolbox: &Toolbox, policy: &Policy, name: &str, arguments: &Value) -> Option<String> {
    let arguments = Arguments::parse(arguments.to_string()).unwrap();
    let call = ToolCall::function(CallId::new("c").unwrap(), ToolName::new(name).unwrap(), arguments);
    let mut checked = toolbox.check(&call).and_then(|checked| toolbox.inspect(checked)).ok()?;
    checked.facts = checked.facts.with_links(policy.resolve_links());
    let decision = decide(policy, &Grants::default(), &ApprovalHistory::default(), &checked.facts);
    if decision.verdict != Verdict::Allow {
        return None;
    }
    let ctx = Context::new(call.id.clone()).with_path_gate(checked.path_gate(policy));
    Some(toolbox.run(&checked, &ctx).await.unwrap().wire_text())
}

#[tokio::test]
async fn no_tool_shows_what_a_rule_denies() {
    let seed = u64::from(std::process::id()) << 20 | 0x5_1ced;
    let mut dice = Dice(seed);
    let (mut denied_ones, mut shown_ones) = (0, 0);
    for _ in 0..12 {
        let tree = Tree::new(&mut dice);
        let policy = policy(&mut dice, &tree);
        let workspace = Arc::new(Workspace::open(tree.folder.path()).unwrap());
        let links = Arc::clone(&workspace);
        let policy = policy.with_link_resolver(move |path| links.leads_to(path));
        let toolbox = Toolbox::builder()
            .tools(windlass_tools_fs::tools(&workspace))
            .tools(windlass_tools_search::tools(&workspace))
            .tools(windlass_tools_index::tools(&workspace))
            .config(ToolConfig::new(Preset::Full))
            .build()
            .unwrap();
        // A file is denied if a call that names it is.
        let mut hidden = Vec::new();
        for file in &tree.files {
            match shown(&toolbox, &policy, "read_file", &json!({ "path": file })).await {
                None => hidden.push(file.clone()),
                Some(_) => shown_ones += 1,
            }
        }
        denied_ones += hidden.len();
        for word in &tree.words {
            for (tool, arguments) in [
                ("read_file", json!({ "path": word })),
                ("read_file", json!({ "files": [{ "path": word }, { "path": tree.files[0] }] })),
                ("list_files", json!({ "path": word, "depth": 9 })),
                ("list_files", json!({ "path": word, "pattern": "**/*.rs", "include_ignored": true })),
                ("grep_file", json!({ "path": word, "pattern": "needle_\\d" })),
                ("grep_file", json!({ "path": word, "pattern": "needle", "mode": "files" })),
                ("indexer_search_files", json!({ "path": word })),
                ("indexer_search_code", json!({ "path": word, "query": "needle" })),
                ("indexer_extract_symbols", json!({ "path": word })),
                ("indexer_analyze_file", json!({ "path": word })),
                ("indexer_get_metrics", json!({ "path": word })),
            ] {
                let Some(text) = shown(&toolbox, &policy, tool, &arguments).await else { continue };
                for file in &hidden {
                    let name = file.rsplit('/').next().unwrap();
                    let needle = name.replace("file", "needle_").replace(".rs", "");
                    let is_shown = text.contains(name) || text.contains(&format!("{needle}()"));
                    assert!(!is_shown, "seed {seed:x}: {tool} {arguments} shows {file}:\n{text}\n{policy:?}");
                }
            }
        }
    }
    assert!(denied_ones > 5 && shown_ones > 5, "{denied_ones} denied, {shown_ones} shown");
}
