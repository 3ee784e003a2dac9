//! What no file of the project may contain: machine paths, registries, unnumbered to-dos.

use super::Findings;

/// A line that shows such text as an example carries this word, or the line before it does.
const SAMPLE: &str = "tidy: sample";

/// Below these a machine keeps its own.
// tidy: sample
const MACHINE_ROOTS: [&str; 3] = ["/work/", "/root/", "/home/"];

/// Homes that stand for anybody's in examples.
const ANYBODY: [&str; 6] = ["user", "me", "you", "alice", "bob", "dev"];

/// The one registry address that a lock file may carry.
const PUBLIC_INDEX: &str = "https://github.com/rust-lang/crates.io-index";

/// Begins of host names that package registries serve from.
const REGISTRY_HOSTS: [&str; 7] = [
    "index.crates.io",     // tidy: sample
    "static.crates.io",    // tidy: sample
    "files.pythonhosted.", // tidy: sample
    "registry.npmjs.",     // tidy: sample
    "registry.yarnpkg.",   // tidy: sample
    "proxy.golang.",       // tidy: sample
    "artifactory",         // tidy: sample
];

pub(super) fn check(path: &str, content: &str, found: &mut Findings) {
    let mut before = "";
    for (number, line) in content.lines().enumerate() {
        let is_sample = line.contains(SAMPLE) || before.contains(SAMPLE);
        if !is_sample && let Some(problem) = problem_in(path, line) {
            found.errors.push(format!("{path}:{}: {problem}", number.saturating_add(1)));
        }
        before = line;
    }
}

fn problem_in(path: &str, line: &str) -> Option<String> {
    if let Some(machine) = machine_path(line) {
        return Some(format!("`{machine}` is a path of one machine"));
    }
    if let Some(host) = REGISTRY_HOSTS.iter().find(|host| line.contains(**host)) {
        return Some(format!("`{host}` is a package registry's host"));
    }
    for scheme in ["registry+", "sparse+"] {
        let address = line.split_once(scheme).map(|(_, address)| address);
        let is_address = address.is_some_and(|address| address.starts_with("http"));
        if is_address && !address.is_some_and(|address| address.starts_with(PUBLIC_INDEX)) {
            return Some("a registry other than the public index".to_owned());
        }
    }
    let is_code = path.rsplit_once('.').is_some_and(|(_, end)| matches!(end, "rs" | "toml" | "sh" | "yml"));
    (is_code && has_unnumbered_to_do(line))
        .then(|| "a to-do needs its issue's number: `TODO(#12)`".to_owned())
}

/// An absolute path below a machine's work folder or somebody's home.
fn machine_path(line: &str) -> Option<String> {
    for root in MACHINE_ROOTS {
        for (at, _) in line.match_indices(root) {
            let begins = line.get(..at).and_then(|before| before.chars().next_back()).is_none_or(|before| {
                !before.is_alphanumeric() && !matches!(before, '.' | '_' | '-' | '~' | '*' | '}' | '>')
            });
            let rest = line.get(at..)?.strip_prefix(root)?;
            let name: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-')).collect();
            if begins && !name.is_empty() && !ANYBODY.contains(&name.as_str()) {
                return Some(format!("{root}{name}"));
            }
        }
    }
    None
}

/// A to-do in a comment without `(#NUMBER)` after it. In strings the word is data.
fn has_unnumbered_to_do(line: &str) -> bool {
    let Some((_, comment)) = line.split_once("//").or_else(|| line.split_once("# ")) else {
        return false;
    };
    ["TODO", "FIXME", "XXX"].into_iter().any(|word| {
        comment.split_once(word).is_some_and(|(before, after)| {
            let is_word = !before.ends_with(|c: char| c.is_alphanumeric())
                && !after.starts_with(|c: char| c.is_alphanumeric());
            let digit = after.strip_prefix("(#").and_then(|rest| rest.chars().next());
            is_word && !digit.is_some_and(|c| c.is_ascii_digit())
        })
    })
}
