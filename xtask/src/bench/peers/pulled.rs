//! L5: the number of packages that a crate depends on, excluding itself.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::{Value, json};
use xshell::{Shell, cmd};

use super::capture;

/// The name of a crate, its maximum number of dependencies, and the aim.
const CRATES: [(&str, usize, usize); 3] =
    [("windlass-partial-json", 5, 3), ("windlass-wire-anthropic", 15, 10), ("windlass", 141, 110)];

pub(super) fn rows(sh: &Shell) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    for (name, target, aim) in CRATES {
        let tree = cmd!(sh, "cargo tree --package {name} --edges normal,build --prefix none --locked");
        let pulled = count(&capture(tree)?);
        let reached = match pulled {
            _ if pulled <= aim => "aim",
            _ if pulled <= target => "yes",
            _ => "no",
        };
        rows.push(json!({
            "id": "L5",
            "what": format!("packages that {name} pulls in"),
            "value": pulled,
            "unit": "packages",
            "target": format!("<= {target}"),
            "aim": format!("<= {aim}"),
            "reached": reached,
            "note": "",
        }));
    }
    Ok(rows)
}

/// Counts the packages of a tree, by name and version. The first line is the crate itself.
fn count(tree: &str) -> usize {
    let package = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let packages: BTreeSet<String> = tree.lines().skip(1).map(package).collect();
    packages.len()
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn a_package_counts_once_and_the_crate_itself_never() {
        let tree = "top v0.1.0 (/somewhere)\nserde v1.0.0\nserde_core v1.0.0\nserde v1.0.0 (*)\n";
        assert_eq!(count(tree), 2);
    }
}
