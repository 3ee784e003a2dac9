//! The number of packages that the tests of a small crate compile.

use std::collections::BTreeSet;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::project::Project;

/// Variables that unify the features of a workspace, so that one crate has the dependencies of all.
const UNIFICATION: [&str; 2] = ["CARGO_RESOLVER_FEATURE_UNIFICATION", "CARGO_UNSTABLE_FEATURE_UNIFICATION"];

/// Returns the crates whose tests compile more packages than `test-packages` of the layer table allows.
pub(super) fn heavy_tests(sh: &Shell, project: &Project) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for (name, most) in &project.layers.test_packages {
        let count = test_packages(sh, name)?;
        if count > *most {
            problems.push(format!(
                "the tests of `windlass-{name}` compile {count} packages, {most} at most: `cargo tree -p \
                 windlass-{name} -e normal,build,dev` lists them"
            ));
        }
    }
    Ok(problems)
}

fn test_packages(sh: &Shell, name: &str) -> Result<u64> {
    let mut tree =
        cmd!(sh, "cargo tree --locked -p windlass-{name} -e normal,build,dev --prefix none").quiet();
    for variable in UNIFICATION {
        tree = tree.env_remove(variable);
    }
    Ok(distinct(&tree.read()?))
}

/// Returns the number of distinct packages in the output of `cargo tree`, which marks repeated ones.
fn distinct(tree: &str) -> u64 {
    let packages = tree.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty());
    packages.collect::<BTreeSet<_>>().len() as u64
}

#[cfg(test)]
mod tests {
    use super::distinct;

    #[test]
    fn a_repeated_package_counts_once() {
        assert_eq!(distinct("a v1.0.0\nb v1.0.0\na v1.0.0 (*)\n\nc v1.0.0\n"), 3);
        assert_eq!(distinct("a v1.0.0\na v2.0.0\n"), 2);
    }
}
