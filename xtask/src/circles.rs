//! `cargo xtask circles`: finds circles of imports between the source files of one crate.

mod graph;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Result;
use xshell::Shell;

use crate::arguments::Arguments;
use crate::tidy::{self, Findings};
use graph::Graph;

pub(crate) const HELP: &str = "\
cargo xtask circles [CRATE]

Lists the largest circle of imports between the files of each crate.

Files form a circle if each reaches the others through `use` and paths that begin with `crate`, `super`,
`self` or a child module. A re-export leads to the file with the item, so lib.rs and main.rs are never part of a circle.
`cargo xtask tidy` holds a budget for each crate, which may only fall.

  CRATE   lists the files of each circle of this crate, with their imports of each other";

/// The largest circle that a crate may have without an entry in `LARGEST`: a type and its builder or visitor.
const PAIR: usize = 2;

/// The largest circle of a crate, where it is larger than a pair. Lower a number when the circle shrinks; never
/// raise it.
const LARGEST: [(&str, usize); 26] = [
    ("agent", 3),
    ("app", 6),
    ("checkpoint", 4),
    ("cli", 11),
    ("client", 3),
    ("command", 12),
    ("hitl", 5),
    ("mcp", 7),
    ("mock", 5),
    ("partial-json", 4),
    ("protocol", 3),
    ("redact", 3),
    ("sandbox", 3),
    ("schema", 6),
    ("testkit", 3),
    ("text-calls", 6),
    ("tool-args", 5),
    ("toolbox", 4),
    ("tools-dynamic", 12),
    ("tools-search", 4),
    ("tools-shell", 4),
    ("tools-web", 5),
    ("tui", 4),
    ("vendors", 3),
    ("wire", 5),
    ("wire-openai-responses", 4),
];

pub(crate) fn run(sh: &Shell, mut arguments: Arguments) -> Result<ExitCode> {
    let only = arguments.word();
    arguments.finish()?;
    for (name, graph) in graphs(&tidy::texts(sh)?) {
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let circles = graph.circles();
        println!("{name:<22} circles: {:>2}  largest: {:>2}", circles.len(), largest(&circles));
        for circle in circles.iter().filter(|_| only.is_some()) {
            println!("  {}", circle.join(" "));
            graph.imports_within(circle).for_each(|(from, to)| println!("    {from} -> {to}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports an error for each crate whose largest circle exceeds its budget.
pub(crate) fn check(texts: &[(String, String)], found: &mut Findings) {
    for (name, graph) in graphs(texts) {
        let budget = LARGEST.iter().find(|(listed, _)| *listed == name).map_or(PAIR, |(_, budget)| *budget);
        let size = largest(&graph.circles());
        if size > budget {
            found.errors.push(format!(
                "crates/{name}: {size} files import each other in a circle, the budget is {budget}: see `cargo xtask \
                 circles {name}`, and move their shared items to a file of its own"
            ));
        } else if budget > PAIR && size < budget {
            found.warnings.push(format!(
                "crates/{name}: the largest circle has {size} files: lower the budget of {budget} in xtask/src/circles.rs"
            ));
        }
    }
}

fn largest(circles: &[Vec<String>]) -> usize {
    circles.iter().map(Vec::len).max().unwrap_or_default()
}

/// Returns the imports of each crate below `crates/`, from the paths and texts of the project's files.
fn graphs(texts: &[(String, String)]) -> impl Iterator<Item = (String, Graph)> {
    let mut crates: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
    for (path, text) in texts {
        let place = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"));
        let Some((name, module)) = place.and_then(|(name, file)| Some((name, file.strip_suffix(".rs")?)))
        else {
            continue;
        };
        if !module.split('/').any(|part| part == "tests") {
            crates.entry(name.to_owned()).or_default().push((module, text));
        }
    }
    crates.into_iter().map(|(name, files)| (name, Graph::new(&files)))
}
