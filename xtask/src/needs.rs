//! The needs of tests that this machine fulfils, determined by independent probes. A test that skips a case
//! because of one of these needs is wrong.
//!
//! The names are those of `windlass_testkit::Need`. The probes are simpler than the checks of the tests and
//! independent of them, so that an error in a check is found.

use std::path::Path;

use xshell::{Cmd, Shell, cmd};

use crate::{corpora, redteam};

/// The variable that turns skipped cases of these needs into failures.
pub(crate) const STRICT: &str = "WINDLASS_STRICT";

const BROWSERS: [&str; 6] = [
    "/usr/lib/chromium/chromium",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
    "/opt/google/chrome/chrome",
];

/// Returns the value of [`STRICT`] for tests: the user's value, otherwise the needs whose programs and kernel
/// features this machine has.
pub(crate) fn strict(sh: &Shell) -> String {
    sh.var(STRICT).unwrap_or_else(|_| {
        let met: Vec<&str> = NEEDS.iter().filter(|(_, is_met)| is_met(sh)).map(|(name, _)| *name).collect();
        met.join(",")
    })
}

type Probe = fn(&Shell) -> bool;

/// Every need with its probe. [`unknown`] is the probe of the needs that only the tests can check.
const NEEDS: [(&str, Probe); 21] = [
    ("attacks", |sh| redteam::folder(sh).is_some_and(|folder| sh.path_exists(folder.join("attacks.json")))),
    ("bash", |sh| succeeds(cmd!(sh, "bash --version"))),
    ("browser", |_| find_browser().is_some()),
    ("bubblewrap", |sh| {
        succeeds(cmd!(sh, "/usr/bin/bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev true"))
    }),
    ("compiler", unknown),
    ("corpora", |sh| corpora::folder(sh).is_some()),
    ("file-attributes", unknown),
    ("git", |sh| is_program("git") && succeeds(cmd!(sh, "git --version"))),
    ("landlock", unknown),
    // `cargo xtask mcp` installs the servers, and is strict about those that it installed.
    ("mcp-servers", unknown),
    ("namespaces", |sh| {
        succeeds(cmd!(sh, "unshare --user --map-root-user --mount --net --pid --fork --mount-proc true"))
    }),
    ("node", |sh| is_program("node") && succeeds(cmd!(sh, "node --version"))),
    ("other-user", unknown),
    ("postgres", |_| is_postgres()),
    ("process-limits", unknown),
    ("python", |sh| {
        succeeds(cmd!(sh, "/usr/bin/python3 --version")) && succeeds(cmd!(sh, "python3 --version"))
    }),
    ("quiet-disk", unknown),
    ("repository", |sh| is_program("git") && succeeds(cmd!(sh, "git rev-parse --verify HEAD"))),
    ("ripgrep", |sh| succeeds(cmd!(sh, "rg --version"))),
    // `cargo xtask temporal` installs the server, and is strict about it.
    ("temporal", unknown),
    ("ui-clients", |sh| {
        is_program("node")
            && sh.path_exists("crates/ui-stream/tests/npm/node_modules/@ag-ui/client/package.json")
    }),
];

fn unknown(_: &Shell) -> bool {
    false
}

fn succeeds(command: Cmd<'_>) -> bool {
    command.quiet().ignore_stdout().ignore_stderr().run().is_ok()
}

/// Returns whether a program is in one of the folders in which the tests look.
fn is_program(name: &str) -> bool {
    ["/usr/bin", "/usr/local/bin", "/bin"].iter().any(|folder| Path::new(folder).join(name).exists())
}

/// Returns the path of an installed browser.
pub(crate) fn find_browser() -> Option<&'static Path> {
    BROWSERS.iter().map(Path::new).find(|file| file.exists())
}

/// Returns true if the programs of a PostgreSQL server are in the search path or where Debian installs them.
fn is_postgres() -> bool {
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    is_program("initdb") || debian.into_iter().any(|version| version.path().join("bin/initdb").is_file())
}

#[cfg(test)]
mod tests {
    use windlass_testkit::Need;

    use super::NEEDS;

    #[test]
    fn every_need_of_the_test_kit_has_a_probe() {
        assert_eq!(NEEDS.map(|(name, _)| name), Need::ALL.map(Need::name));
    }

    #[test]
    fn the_variable_is_that_of_the_test_kit() {
        assert_eq!(super::STRICT, windlass_testkit::need::STRICT);
    }
}
