//! Valid requests of a model, and the errors for others. No browser is started here.

use serde_json::{Value, json};
use windlass_protocol::{Concurrency, Effect, Risk};
use windlass_tool::Tool;
use windlass_tools_browser::{Browser, BrowserAction};

use crate::fake::{act, context, payload};

fn tool() -> BrowserAction {
    BrowserAction::new(Browser::at("/nowhere/chromium").with_reachable("localhost", 5173).unwrap())
}

#[track_caller]
fn check_effect(arguments: &Value, expected: &Effect) {
    assert_eq!(tool().effects(&payload(arguments)), std::slice::from_ref(expected), "{arguments}");
}

// H6
#[test]
fn a_launch_names_its_host_and_other_actions_without_a_page_are_unknown() {
    let connect = |host: &str, port| Effect::Connect { host: host.to_owned(), port };
    check_effect(&json!({"action": "launch", "url": "https://Docs.RS./x"}), &connect("docs.rs", 443));
    check_effect(&json!({"action": "launch", "url": "http://0x7f.1:8080/"}), &connect("127.0.0.1", 8080));
    check_effect(&json!({"action": "launch", "url": "file:///etc/passwd"}), &Effect::Unknown);
    check_effect(&json!({"action": "launch"}), &Effect::Unknown);
    check_effect(&json!({"action": "click", "coordinate": "1,1"}), &Effect::Unknown);
    check_effect(&json!({"action": "fly"}), &Effect::Unknown);
    check_effect(&json!({"action": "close"}), &Effect::Internal);
}

#[test]
fn it_runs_alone_and_is_of_high_risk() {
    let hints = tool().hints();
    assert!(hints.open_world && !hints.read_only && !hints.idempotent);
    assert_eq!((hints.risk, hints.concurrency), (Risk::High, Concurrency::Exclusive));
}

#[track_caller]
fn check_refused(told: Result<crate::fake::Shown, String>, expected: &str) {
    let told = told.err().unwrap();
    assert!(told.contains(expected), "{told}");
}

#[tokio::test]
async fn a_wrong_call_is_refused_with_advice() {
    let tool = tool();
    let first = "Call browser_action with action launch first.";
    check_refused(act(&tool, json!({"action": "click", "coordinate": "1,1"})).await, first);
    check_refused(act(&tool, json!({"action": "screenshot"})).await, first);
    check_refused(act(&tool, json!({"action": "launch"})).await, "needs url");
    check_refused(act(&tool, json!({"action": "click"})).await, "needs coordinate");
    check_refused(act(&tool, json!({"action": "type", "text": ""})).await, "needs text");
    check_refused(act(&tool, json!({"action": "press", "text": "Entree"})).await, "one of Enter, Tab");
    check_refused(act(&tool, json!({"action": "resize", "size": "1,1"})).await, "200 to 2000");
    check_refused(
        act(&tool, json!({"action": "launch", "url": "http://localhost:5173/"})).await,
        "A human has to look",
    );
    assert_eq!(act(&tool, json!({"action": "close"})).await.unwrap().text, "no browser was open");
}

#[tokio::test]
async fn a_launch_is_refused_by_its_text_before_anything_starts() {
    let tool = tool();
    for (url, expected) in [
        ("http://127.0.0.1/", "not on the public internet"),
        ("http://2130706433/", "not on the public internet"),
        ("http://[::ffff:169.254.169.254]/", "not on the public internet"),
        ("http://localhost/", "is this machine"),
        ("http://localhost:5174/", "port 5174"),
        ("http://example.com:8080/", "port 8080"),
        ("http://user:word@example.com/", "a user name or a password"),
        ("file:///etc/passwd", "only http and https"),
        ("data:text/html,x", "only http and https"),
        ("chrome://settings", "only http and https"),
        ("javascript:alert(1)", "only http and https"),
        ("view-source:http://example.com/", "only http and https"),
        ("example.com", "Give a whole URL"),
    ] {
        check_refused(act(&tool, json!({"action": "launch", "url": url})).await, expected);
    }
}

#[tokio::test]
async fn a_known_secret_is_not_sent_to_a_page() {
    let tool = tool();
    let redactor = windlass_redact::Redactor::new([secrecy::SecretString::from("hunter2hunter2")]);
    let ctx = context().with_redactor(redactor);
    for arguments in [
        json!({"action": "launch", "url": "http://localhost:5173/?k=hunter2hunter2"}),
        json!({"action": "launch", "url": "http://localhost:5173/?k=hunter2%68unter2"}),
        json!({"action": "type", "text": "hunter2hunter2"}),
    ] {
        let told = tool.call(&ctx, &payload(&arguments)).await.unwrap_err().to_string();
        assert!(told.contains("holds a secret"), "{told}");
    }
}
