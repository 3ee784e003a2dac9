//! Runs in a store that the option `--store` names: another folder, or a database.

use crate::program::{Place, provider, text};

const SCRIPT: &str = r#"{"turns": [
    {"steps": [{"call": {"id": "first", "name": "write_file", "arguments": {"path": "one.txt", "content": "1"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "done"}}}]}]}"#;

const SUSPENDED: i32 = 75;

/// Runs the program, and checks its exit code. Returns all that it printed.
#[track_caller]
fn run(place: &Place, arguments: &[&str], code: i32) -> String {
    let output = place.run(arguments);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
    told
}

/// Suspends a run in a store, answers it from another process, and resumes it in a third one.
async fn check_store(place: &Place, store: &str) -> String {
    let provider = provider(SCRIPT).await;
    let url = provider.base_url();
    let begin = ["run", "do it", "--base-url", &url, "--model", "m", "--suspend", "--store", store];
    let told = run(place, &begin, SUSPENDED);
    let (_, rest) = told.split_once("windlass run --resume ").unwrap();
    let id = rest.split_whitespace().next().unwrap().to_owned();
    assert!(rest.contains("--store"), "{told}");
    let none = run(place, &["approvals", "list"], 0);
    assert!(none.contains("no run has open questions"), "the state folder has no run: {none}");
    let listed = run(place, &["approvals", "--store", store, "list", "--full"], 0);
    assert!(listed.contains(&id) && listed.contains("change of one.txt"), "{listed}");
    run(place, &["say", &id, "leave the tests alone", "--store", store], 0);
    run(place, &["approvals", "--store", store, "approve", &id, "--all"], 0);
    let told = run(place, &["run", "--resume", &id, "--store", store], 0);
    assert!(told.contains("done") && place.project().join("one.txt").exists(), "{told}");
    let body = provider.requests().last().unwrap().body.to_string();
    assert!(body.contains("leave the tests alone"), "{body}");
    let diff = run(place, &["diff", &id, "--store", store], 0);
    assert!(diff.contains("+1"), "{diff}");
    let refused = run(place, &["run", "--resume", &id, "--store", store], 1);
    assert!(refused.contains("complete"), "{refused}");
    let refused = run(place, &["say", "1790000000-00000000", "hello", "--store", store], 1);
    assert!(refused.contains("does not exist"), "{refused}");
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_in_another_folder_is_answered_and_resumed_there() {
    let (place, folder) = (Place::new(), tempfile::tempdir().unwrap());
    let store = folder.path().join("runs").display().to_string();
    let id = check_store(&place, &store).await;
    assert!(folder.path().join("runs").join(&id).join("journal").is_file());
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread")]
async fn a_run_in_sqlite_is_answered_and_resumed_there() {
    let (place, folder) = (Place::new(), tempfile::tempdir().unwrap());
    let store = format!("sqlite://{}/runs.db", folder.path().display());
    check_store(&place, &store).await;
    assert!(folder.path().join("runs.db").is_file());
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_run_in_postgres_is_answered_and_resumed_there() {
    use windlass_testkit::postgres::PostgresServer;
    use windlass_testkit::{Need, require};

    let server = require!(Need::Postgres, PostgresServer::start());
    check_store(&Place::new(), &server.url()).await;
}

#[cfg(not(feature = "sqlite"))]
#[test]
fn a_database_without_its_feature_is_refused_by_the_name_of_the_feature() {
    let refused = run(&Place::new(), &["approvals", "--store", "sqlite:///tmp/a.db", "list"], 1);
    assert!(refused.contains("lacks the feature `sqlite`"), "{refused}");
}

#[test]
fn no_message_contains_the_password_of_an_address() {
    let place = Place::new();
    for store in [
        "postgres://ada:hunter22@127.0.0.1:1/runs",
        "mysql://ada:hunter22@127.0.0.1:1/runs",
        "postgres://127.0.0.1:1/runs?password=hunter22&sslmode=wrong",
    ] {
        for arguments in
            [&["approvals", "--store", store, "list"][..], &["say", "1-2", "x", "--store", store]]
        {
            let told = run(&place, arguments, 1);
            assert!(!told.contains("hunter22"), "{told}");
        }
    }
}
