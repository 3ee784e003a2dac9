//! Compares a search by `grep_file` and by ripgrep itself, if ripgrep is installed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use serde_json::json;
use tokio::runtime::Builder;
use windlass_command::is_secret_name;
use windlass_protocol::{Arguments, CallId, Content, Payload};
use windlass_sandbox::{Access, Workspace};
use windlass_tool::{Context, Tool};
use windlass_tools_search::GrepFile;

/// Patterns of the kinds that models write: words, alternatives, classes, anchors, cases, Unicode, rare and
/// common ones.
pub const PATTERNS: &[&str] = &[
    "fn main",
    r"impl\s+\w+\s+for\s+\w+",
    r"unsafe\s*\{",
    "TODO|FIXME|XXX",
    r"^pub(\(crate\))? (struct|enum) [A-Z]\w+",
    r"\bHashMap<String, \w+>",
    "(?i)deprecated since",
    r"https?://[\w./-]+\.html",
    r"#\[cfg\(target_os = .(windows|macos).\)\]$",
    r"[äöüß]+",
    r"\d{4}-\d{2}-\d{2}",
    "no line has these words in this order 7193",
];

/// The place of a line: the file below the root, and the line's number.
pub type Place = (String, u64);

/// Returns true if `rg` can be run.
pub fn is_installed() -> bool {
    Command::new("rg").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Returns a command of ripgrep with the rules of `grep_file`.
pub fn command(root: &Path, pattern: &str) -> Command {
    let mut command = Command::new("rg");
    command.current_dir(root).args([
        "--no-config",
        "--no-require-git",
        "--no-ignore-parent",
        "--no-messages",
    ]);
    command.args(["--no-ignore-global", "--no-heading", "--color=never", "-n", "--null", "-e", pattern, "."]);
    command
}

/// The lines that ripgrep finds, without those of files that turned out binary or have names of secrets,
/// which `grep_file` does not show.
pub fn by_ripgrep(root: &Path, pattern: &str) -> BTreeSet<Place> {
    let output = command(root, pattern).stderr(Stdio::inherit()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let mut places = BTreeSet::new();
    let mut binary = BTreeSet::new();
    for line in text.lines() {
        let below = |path: &str| path.strip_prefix("./").unwrap_or(path).to_owned();
        match line.split_once('\0') {
            Some((path, rest)) if !path.split('/').any(is_secret_name) => {
                if let Some(number) = rest.split(':').next().and_then(|number| number.parse().ok()) {
                    places.insert((below(path), number));
                } else {
                    binary.insert(below(path));
                }
            }
            Some(_) => {}
            None => {
                binary.extend(line.split_once(": ").map(|(path, _)| below(path)));
            }
        }
    }
    places.retain(|(path, _)| !binary.contains(path));
    places
}

/// The tool on a folder.
pub fn tool(root: &Path) -> GrepFile {
    GrepFile::new(Arc::new(Workspace::open_for(root, Access::ReadOnly).unwrap()))
}

/// One call of the tool.
pub fn call(tool: &GrepFile, pattern: &str, path: &str, offset: u64) -> String {
    let arguments = json!({"pattern": pattern, "path": path, "limit": 2_000, "offset": offset}).to_string();
    let payload = Payload::Function { arguments: Arguments::parse(arguments).unwrap() };
    let ctx = Context::new(CallId::new("call_1").unwrap());
    let runtime = Builder::new_current_thread().build().unwrap();
    match runtime.block_on(tool.call(&ctx, &payload)).unwrap().content.first() {
        Some(Content::Text { text }) => text.clone(),
        other => panic!("{other:?}"),
    }
}

/// The lines that the tool shows below a path, page by page to the last.
pub fn by_tool(tool: &GrepFile, pattern: &str, path: &str) -> BTreeSet<Place> {
    let mut places = BTreeSet::new();
    loop {
        let text = call(tool, pattern, path, places.len() as u64);
        let (head, body) = text.split_once('\n').unwrap_or((&text, ""));
        let before = places.len();
        places.extend(body.split('\n').filter_map(|line| {
            let mut parts = line.splitn(3, ':');
            Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?))
        }));
        if !head.contains("continue with offset") {
            return places;
        }
        assert!(places.len() > before, "a page without a line: {head}");
    }
}

/// Returns the number of matching lines that a result reports.
pub fn total(text: &str) -> usize {
    text.split(" of ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap_or(0)
}
