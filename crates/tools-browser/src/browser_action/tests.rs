//! The calls that one approval covers. No browser is started here.

use windlass_hitl::{ApprovalDecision, Grants, PolicyInput};
use windlass_protocol::{Arguments, CallId, Payload, ToolCall, ToolName};
use windlass_tool::Tool;
use windlass_web_reach::WebUrl;

use super::BrowserAction;
use crate::Browser;

/// The facts of a call while the page is at a URL.
fn facts(page: &str, arguments: &str) -> PolicyInput {
    let tool = BrowserAction::new(Browser::at("/nowhere/chromium"));
    tool.is_at(WebUrl::parse_page(page).ok());
    let name = ToolName::new("browser_action").expect("a plain word");
    let arguments = Arguments::parse(arguments).expect("JSON");
    let call = ToolCall::function(CallId::new("c").expect("a plain word"), name.clone(), arguments);
    let payload: &Payload = &call.payload;
    let (effects, seen) = (tool.effects(payload), tool.inspect(payload));
    PolicyInput::new(name, tool.hints(), &call, effects).with_call_kind(seen.call_kind)
}

#[test]
fn an_approval_covers_one_origin_and_one_use_of_the_page() {
    let page = "https://docs.rs/serde";
    let look = |page| facts(page, r#"{"action": "screenshot"}"#);
    let click = |page| facts(page, r#"{"action": "click", "coordinate": "1,1"}"#);
    let looking = [
        facts("", r#"{"action": "launch", "url": "https://docs.rs/tokio"}"#),
        facts(page, r#"{"action": "scroll_down"}"#),
        facts(page, r#"{"action": "hover", "coordinate": "2,2"}"#),
        facts(page, r#"{"action": "resize", "size": "500,500"}"#),
    ];
    let operating = [
        facts(page, r#"{"action": "type", "text": "x"}"#),
        facts(page, r#"{"action": "press", "text": "Enter"}"#),
        click(page),
    ];
    let granted = |facts: &PolicyInput| {
        let mut grants = Grants::default();
        grants.remember(facts, &ApprovalDecision::approve("x")).expect("an approval");
        grants
    };
    let (looks, operates) = (granted(&look(page)), granted(&click(page)));
    assert!(
        looking.iter().all(|call| looks.covers(call)) && !looking.iter().any(|call| operates.covers(call))
    );
    assert!(operating.iter().all(|call| operates.covers(call)));
    assert!(!operating.iter().any(|call| looks.covers(call)));
    for elsewhere in [
        "http://docs.rs:443/serde",
        "https://docs.rs:8443/serde",
        "https://crates.io/serde",
        "http://docs.rs/",
    ] {
        assert!(!looks.covers(&look(elsewhere)) && !operates.covers(&click(elsewhere)), "{elsewhere}");
    }
}
