//! Checks for forbidden text in any file: machine paths, registries, unnumbered to-dos.

use super::Findings;

/// The marker for a line that contains forbidden text as an example. It may also be on the line before.
const SAMPLE: &str = "tidy: sample";

/// Root folders that differ between machines.
// tidy: sample
const MACHINE_ROOTS: [&str; 3] = ["/work/", "/root/", "/home/"];

/// User names that examples may use in home folders.
const ANYBODY: [&str; 6] = ["user", "me", "you", "alice", "bob", "dev"];

/// The only registry URL that a lock file may contain.
const PUBLIC_INDEX: &str = "https://github.com/rust-lang/crates.io-index";

/// Prefixes of host names of package registries.
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

/// Returns an absolute path below a work folder or a user's home folder, if the line contains one.
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

/// Returns true if a comment contains a to-do without `(#NUMBER)` after it. In string literals the word is
/// data.
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
