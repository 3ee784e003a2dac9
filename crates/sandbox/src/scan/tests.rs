//! Findings of the scan in real folders.

use std::fs;

use super::*;

fn scene(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn secrets(folder: &tempfile::TempDir) -> (Vec<String>, Vec<String>) {
    let root = folder.path().canonicalize().unwrap();
    let scan = Scan::run(&root, Limits::default());
    assert!(scan.is_settled);
    let below = |secret: &Secret| secret.path.strip_prefix(&root).unwrap().display().to_string();
    let mut found: Vec<_> = scan.secrets.iter().map(below).collect();
    found.sort_unstable();
    (found, scan.gaps)
}

// The stand-in of a concurrent command can disappear at any moment. It is not hidden, because a missing hidden path
// would refuse the start.
#[test]
fn the_stand_in_of_another_command_is_not_hidden() {
    let folder = scene(&[(".ssh/key", "")]);
    fs::create_dir(folder.path().join(".envrc")).unwrap();
    assert_eq!(secrets(&folder).0, [".ssh"]);
}

// security 14
#[test]
fn secrets_are_found_in_fetched_and_protected_and_deep_folders() {
    let deep = format!("{}/.env", vec!["d"; 30].join("/"));
    let key = format!("-----BEGIN {} KEY-----\nabc\n", "PRIVATE");
    let names = [
        "target/.env",
        "node_modules/a/.env",
        ".venv/lib/id_rsa",
        "venv/.netrc",
        "__pycache__/.env",
        ".vscode/.env",
        ".cargo/credentials.toml",
        ".envrc",
        ".pypirc",
        &deep,
    ];
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "KEY=secret")).collect();
    let certificate = "-----BEGIN CERTIFICATE-----\nabc\n";
    files.extend([
        ("venv/certifi/cacert.pem", certificate),
        ("venv/test/server.pem", &key),
        (".npmrc", "save-exact=true\n//registry.test/:_authToken=${NPM_TOKEN}\n"),
        ("sub/.npmrc", "//registry.test/:_authToken=abc\n"),
    ]);
    let (found, gaps) = secrets(&scene(&files));
    let mut expected: Vec<String> = names.map(str::to_owned).to_vec();
    expected.extend(["sub/.npmrc".to_owned(), "venv/test/server.pem".to_owned()]);
    expected.sort_unstable();
    assert_eq!((found, gaps), (expected, Vec::new()));
}

#[test]
fn secrets_are_recognized_by_their_contents() {
    let key = format!("-----BEGIN OPENSSH {} KEY-----\nabc\n", "PRIVATE");
    let token = format!("token: {}{}\n", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let remote = format!("[remote \"o\"]\n\turl = https://me:{}@host.test/x\n", "word");
    let (found, gaps) = secrets(&scene(&[
        ("deploy", &key),
        ("conf/app.yml", &token),
        ("package.json", &token),
        (".git/config", &remote),
        ("src/main.rs", &token),
        ("docs.txt", "a key begins with -----BEGIN PRIVATE KEY-----, a token with ghp_\n"),
        (
            "sample.json",
            "{\"id\": \"AKIAIOSFODNN7EXAMPLE\", \"t\": \"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}",
        ),
    ]));
    assert_eq!(found, ["conf/app.yml", "deploy"]);
    assert_eq!(gaps.len(), 2, "{gaps:?}");
    assert!(gaps.iter().all(|gap| gap.ends_with("is not hidden")), "{gaps:?}");
}

#[test]
fn exceeding_a_scan_limit_is_reported_as_a_gap() {
    let folder =
        scene(&[("a/b/c/.env", "x"), ("target/a", ""), ("target/b", ""), ("x.txt", ""), ("y.txt", "")]);
    let gaps = |limits: Limits| Scan::run(folder.path(), limits).gaps.len();
    assert_eq!(gaps(Limits::default()), 0);
    assert_eq!(gaps(Limits { depth: 2, ..Limits::default() }), 1);
    assert_eq!(gaps(Limits { fetched: 1, ..Limits::default() }), 1);
    assert_eq!(gaps(Limits { entries: 1, ..Limits::default() }), 1);
    assert_eq!(gaps(Limits { contents: 1, ..Limits::default() }), 1);
}

// security 8
#[test]
fn a_folder_that_git_takes_for_a_repository_is_found() {
    let folder = scene(&[("docs/HEAD", ""), ("docs/objects/x", ""), ("docs/refs/x", ""), ("src/HEAD", "")]);
    assert_eq!(Scan::run(folder.path(), Limits::default()).bare, [folder.path().join("docs")]);
}
