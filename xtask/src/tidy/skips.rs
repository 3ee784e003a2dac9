//! Checks that a test ends early only through `windlass_testkit::require!`, which prints a line and fails
//! where the machine fulfils the need of the test.

use super::Findings;

/// Parts of a statement after which a test may return: the test is a process that another test starts, or it runs
/// as another user in a process of its own.
const ROLES: [&str; 3] = ["env::var(", "env::var_os(", "other_user::"];
/// The file that prints the skipped cases of all tests.
const PRINTER: &str = "crates/testkit/src/need.rs";

pub(super) fn check(path: &str, content: &str, found: &mut Findings) {
    let is_test = path.starts_with("crates/") || path.starts_with("redteam/tests/");
    if !is_test || path.strip_suffix(".rs").is_none() || path == PRINTER {
        return;
    }
    for number in silent_returns(content) {
        found.errors.push(format!("{path}:{number}: a test that lacks something ends through `require!`"));
    }
    for (index, line) in content.lines().enumerate() {
        if line.contains("println!(\"skipped") {
            let number = index.saturating_add(1);
            found.errors.push(format!("{path}:{number}: `windlass_testkit::Need` prints skipped cases"));
        }
    }
}

/// Returns the numbers of the lines with a `return` in a statement of the body of a test. The bodies of closures
/// and loops are not statements of the body: they have another indentation.
fn silent_returns(content: &str) -> Vec<usize> {
    let mut numbers = Vec::new();
    let mut is_marked = false;
    let mut body: Option<(usize, String)> = None;
    for (index, line) in content.lines().enumerate() {
        let code = line.trim_start();
        let indentation = line.len().saturating_sub(code.len());
        let Some((start, statement)) = &mut body else {
            is_marked = is_marked && !code.is_empty()
                || code.starts_with("#[test")
                || code.starts_with("#[tokio::test");
            if is_marked && (code.starts_with("fn ") || code.starts_with("async fn ")) {
                body = Some((indentation, String::new()));
                is_marked = false;
            }
            continue;
        };
        let depth = indentation.saturating_sub(*start);
        if depth == 0 && code == "}" {
            body = None;
            continue;
        }
        if depth == 4 {
            code.clone_into(statement);
        }
        let is_return = depth == 4 && code.ends_with("else { return };") || depth == 8 && code == "return;";
        if is_return && !ROLES.iter().any(|role| statement.contains(role)) {
            numbers.push(index.saturating_add(1));
        }
    }
    numbers
}
