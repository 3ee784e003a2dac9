//! The attribute on a test. The outer tests start this binary again with another environment.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use windlass_cassette::Cassette;

use crate::scene::{KEY, provider};

/// The variable with the path of the inner test's cassette.
const FILE: &str = "CASSETTE_OF_THE_INNER_TEST";
/// The variable with the task of the inner test.
const TASK: &str = "TASK_OF_THE_INNER_TEST";
const SCRIPT: &str = r#"{"turns": [{"steps": [{"text": "Hello!"}]}]}"#;

/// The path of the committed cassette, unless an outer test sets another.
fn file() -> PathBuf {
    std::env::var_os(FILE).map_or("tests/cassettes/greeting.jsonl".into(), PathBuf::from)
}

#[windlass_cassette::cassette(file())]
async fn the_model_greets(cassette: Cassette) -> Result<(), Box<dyn Error>> {
    let agent = cassette.agent("openai", "gpt-5.1")?.build()?;
    let task = std::env::var(TASK).unwrap_or("Greet me.".to_owned());
    assert_eq!(agent.run(task.as_str()).await?.into_text()?, "Hello!");
    Ok(())
}

/// The path follows from the module and the name, and the runtime from the attribute below.
#[windlass_cassette::cassette]
#[tokio::test(flavor = "current_thread")]
async fn the_cassette_path_contains_the_test_name(cassette: Cassette) {
    let expected = Path::new("tests/cassettes/it/attribute/the_cassette_path_contains_the_test_name.jsonl");
    assert!(cassette.path().ends_with(expected), "{}", cassette.path().display());
    assert!(!cassette.is_recording());
    let agent = cassette.agent("openai", "gpt-5.1").unwrap().build().unwrap();
    assert_eq!(agent.run("Greet me.").await.unwrap().into_text().unwrap(), "Hello!");
}

/// Runs the inner test in another process.
fn run_inner(file: &Path, variables: &[(&str, &str)]) -> Result<Output, std::io::Error> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", "attribute::the_model_greets"]).env(FILE, file);
    for variable in ["OPENAI_API_KEY", "OPENAI_BASE_URL", "WINDLASS_CASSETTE", TASK] {
        command.env_remove(variable);
    }
    command.envs(variables.iter().copied()).output()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[tokio::test]
async fn the_environment_decides_between_recording_and_replay() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("greeting.jsonl");
    let run = async |variables: &[(&str, &str)]| {
        let owned: Vec<(String, String)> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let file = file.clone();
        let inner = tokio::task::spawn_blocking(move || {
            let variables: Vec<(&str, &str)> =
                owned.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            run_inner(&file, &variables).unwrap()
        });
        inner.await.unwrap()
    };

    // Neither a file nor a key.
    let output = run(&[]).await;
    assert!(!output.status.success());
    assert!(text(&output).contains("set OPENAI_API_KEY"), "{}", text(&output));
    let output = run(&[("WINDLASS_CASSETTE", "replay")]).await;
    assert!(text(&output).contains("does not exist"), "{}", text(&output));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    // A key and a provider: the test records.
    let provider = provider(SCRIPT).await;
    let url = format!("{}/v1", provider.base_url());
    let live = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", url.as_str())];
    let output = run(&live).await;
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(provider.requests().len(), 1);
    assert!(!std::fs::read_to_string(&file).unwrap().contains(KEY));

    // With the file, the test needs neither of them.
    let output = run(&live).await;
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(provider.requests().len(), 1, "the replay sends no request");
    let output = run(&[("WINDLASS_CASSETTE", "record"), live[0], live[1]]).await;
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(provider.requests().len(), 2, "the mode `record` sends one again");
    provider.shutdown().await;
    let output = run(&[]).await;
    assert!(output.status.success(), "{}", text(&output));

    // Another request fails the test with the place of the difference.
    let output = run(&[(TASK, "Insult me.")]).await;
    assert!(!output.status.success());
    let difference =
        r#"request 0 differs at body.messages[0].content: recorded "Greet me.", now "Insult me.""#;
    assert!(text(&output).contains(difference), "{}", text(&output));
}
