//! The attribute of the page `testing.md`, in a package that depends on the facade only.

use windlass::cassette::Cassette;
use windlass::providers::ProviderModel;

#[windlass::cassette("tests/cassettes/greeting.jsonl")]
async fn an_agent_replays(cassette: Cassette) -> Result<(), Box<dyn std::error::Error>> {
    let agent = cassette.agent("openai", "gpt-5.1")?.build()?;
    let report = agent.run("Greet me.").await?;
    assert_eq!(report.into_text()?, "Hello!");
    Ok(())
}

#[windlass::cassette("tests/cassettes/greeting.jsonl")]
async fn one_answer_replays(cassette: Cassette) {
    let model = ProviderModel::new(cassette.client("openai").unwrap(), "gpt-5.1");
    assert_eq!(model.answer("Greet me.").await.unwrap(), "Hello!");
}

/// The test is a failure because its request differs.
#[windlass::cassette("tests/cassettes/greeting.jsonl")]
#[tokio::test]
#[should_panic(
    expected = "request 0 differs at body.messages[0].content: recorded \"Greet me.\", now \"Insult me.\""
)]
async fn another_request_fails_the_test(cassette: Cassette) {
    let agent = cassette.agent("openai", "gpt-5.1").unwrap().build().unwrap();
    drop(agent.run("Insult me.").await);
}

/// A recorded request that the test does not send is a difference as well.
#[windlass::cassette("tests/cassettes/greeting.jsonl")]
#[tokio::test]
#[should_panic(expected = "request 0 was never sent")]
async fn a_missing_request_fails_the_test(cassette: Cassette) {
    assert!(!cassette.is_recording());
}
