//! Tools of a process, from outside: lists, decisions, calls and answers.

use std::sync::{Arc, Mutex};

use windlass_protocol::{Content, Effect, ResultStatus, Risk};
use windlass_testkit::{Need, require};
use windlass_tool::CancellationToken;
use windlass_tools_dynamic::FolderOwner;

use crate::serving::{Serving, call, check, prepared, served};

const ECHO: &str = "
def tools(id):
    say({'id': id, 'tools': [tool('echo', read_only=True), tool('env')]})
def call(id, name, args):
    if name == 'env':
        say({'id': id, 'text': json.dumps([os.getcwd(), sorted(os.environ), os.environ['WINDLASS_WORKSPACE']])})
        return
    say({'id': id, 'progress': 'half'})
    say({'id': id, 'text': 'you said ' + args['x']})
";

// H1, Q2: a call of a process's tool is decided like any other call; the process has the short environment, and its
// working folder is that of its file.
#[tokio::test]
async fn tools_of_a_process_are_listed_decided_and_called() {
    let serving = require!(Need::Python, served(ECHO).await);
    assert_eq!(serving.names(), ["echo", "env"]);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hearing = Arc::clone(&heard);
    let result =
        call(&serving.toolbox, "echo", "{\n \"x\": \"a\\nb ü\"\n}", CancellationToken::new(), move |text| {
            hearing.lock().unwrap().push(text);
        })
        .await;
    check(&result, ResultStatus::Ok, &["you said a\nb ü"]);
    assert_eq!(*heard.lock().unwrap(), ["half"]);
    check(&serving.call("echo", r#"{"x":1}"#).await, ResultStatus::InvalidArguments, &["x"]);
    check(&serving.call("echo", r#"{"y":""}"#).await, ResultStatus::InvalidArguments, &["y"]);

    let told = serving.call("env", "{}").await;
    let text = told.wire_text();
    let (folder, names, workspace): (String, Vec<String>, String) = serde_json::from_str(&text).unwrap();
    let real = serving.folder.path().canonicalize().unwrap();
    assert_eq!(
        (folder, workspace),
        (format!("{}/tools", real.display()), format!("{}/project", real.display()))
    );
    assert!(!names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
}

// Without a rule of the user, policy asks about each call of such a tool, because the process is unconfined and the
// tool declares no effects.
#[tokio::test]
async fn a_process_is_high_risk_with_unknown_effects_unless_the_user_says_less() {
    let serving = require!(Need::Python, served(ECHO).await);
    let id = windlass_protocol::CallId::new("call_1").unwrap();
    let name = windlass_protocol::ToolName::new("echo").unwrap();
    let arguments = windlass_protocol::Arguments::parse(r#"{"x":""}"#).unwrap();
    let effects =
        serving.toolbox.effects(&windlass_protocol::ToolCall::function(id, name, arguments)).unwrap();
    assert!(
        matches!(&effects[..], [Effect::Execute { command, .. }, Effect::Unknown] if command == "python3 serve.py"),
        "{effects:?}"
    );
    let seen = |serving: &Serving| {
        serving.hints.lock().unwrap().iter().map(|hints| (hints.read_only, hints.risk)).collect::<Vec<_>>()
    };
    assert_eq!(seen(&serving), [(true, Risk::High), (false, Risk::High)]);
    let low = prepared(ECHO, "risk = \"low\"\nread_only = true", FolderOwner::User).unwrap();
    assert_eq!(seen(&low.serve().await.unwrap()), [(true, Risk::Low); 2]);
    // The statements of a project's process about itself never lower the risk.
    let project = prepared(ECHO, "", FolderOwner::Project).unwrap();
    assert_eq!(seen(&project.serve().await.unwrap()), [(false, Risk::High); 2]);
}

// R8, R9: pictures stay, refused parts are named, and a long text is cut with exact counts.
#[tokio::test]
async fn errors_images_and_long_texts_become_results() {
    let script = "
def tools(id):
    say({'id': id, 'tools': [tool(name) for name in ('fail', 'mute', 'picture', 'long', 'huge', 'odd', 'empty')]})
def call(id, name, args):
    if name == 'fail': say({'id': id, 'error': 'there is no such thing; call empty'})
    if name == 'mute': say({'id': id, 'error': ''})
    if name == 'picture': say({'id': id, 'content': [{'type': 'text', 'text': 'one'},
        {'type': 'image', 'mime': 'image/png', 'data': 'aGk='}, {'type': 'text', 'text': 'two'},
        {'type': 'image', 'mime': 'image/svg+xml', 'data': 'aGk='}, {'type': 'image', 'mime': 'image/png', 'data': '\"'},
        {'type': 'sound'}]})
    if name == 'long': say({'id': id, 'text': 'x' * 200000})
    if name == 'huge': say({'id': id, 'text': 'x' * 3000000})
    if name == 'odd': say({'id': id, 'tools': []})
    if name == 'empty': say({'id': id, 'text': ''})
";
    let serving = require!(Need::Python, served(script).await);
    check(&serving.call("fail", "{}").await, ResultStatus::Error, &["no such thing"]);
    check(&serving.call("mute", "{}").await, ResultStatus::Error, &["failed without a reason"]);
    let picture = serving.call("picture", "{}").await;
    check(
        &picture,
        ResultStatus::Ok,
        &["one\ntwo\n", "a picture of 4 bytes", "a picture of 1 bytes", "unknown kind"],
    );
    let images = picture.content.iter().filter(|content| matches!(content, Content::Image(_)));
    assert_eq!(images.count(), 1);
    check(
        &serving.call("long", "{}").await,
        ResultStatus::Ok,
        &["The output has 200000 bytes", "140000 bytes"],
    );
    // S16: a line over the limit is skipped, and the waiting call gets an error with the line's length.
    check(
        &serving.call("huge", "{}").await,
        ResultStatus::Error,
        &["answer of 30000", "the limit is 1048576"],
    );
    check(&serving.call("odd", "{}").await, ResultStatus::EffectsUnknown, &["list of tools"]);
    check(&serving.call("empty", "{}").await, ResultStatus::Ok, &["done"]);
    assert_eq!(serving.served.noise().too_long, 1);
}

// N5, N7: an invalid tool is left out, and the other tools of its process are offered.
#[tokio::test]
async fn only_the_invalid_tools_of_a_list_are_omitted() {
    let script = "
def tools(id):
    bad = dict(tool('bad_schema'), schema={'type': 'object', 'properties': {'x': {'pattern': '('}}})
    say({'id': id, 'tools': [bad, tool('two words'), dict(tool('mute'), description=''), {'name': 'half'}, 7,
        dict(tool('list'), schema={'type': 'array'}), tool('good'), tool('good')] + [tool(f'more_{n}') for n in range(100)]})
def call(id, name, args):
    say({'id': id, 'text': 'well'})
";
    let serving = require!(Need::Python, served(script).await);
    assert_eq!(serving.names().len(), 93, "{:?}", serving.names());
    check(&serving.call("good", "{}").await, ResultStatus::Ok, &["well"]);
    for (name, part) in [
        ("bad_schema", "schema"),
        ("two words", "name"),
        ("mute", "description"),
        ("half", "description"),
        ("7", "not a tool definition"),
        ("list", "type object"),
        ("good", "twice"),
        ("(more)", "100 tools of a process are taken, and 8 more"),
    ] {
        serving.left_out(name, part);
    }
}

// Two calls at once, and the second is answered first.
#[tokio::test]
async fn answers_find_their_calls_in_any_order() {
    let script = "
waiting = []
def tools(id):
    say({'id': id, 'tools': [tool('pair', read_only=True)]})
def call(id, name, args):
    waiting.append((id, args['x']))
    if len(waiting) == 2:
        for (id, x) in reversed(waiting): say({'id': id, 'text': 'for ' + x})
";
    let serving = require!(Need::Python, served(script).await);
    let both = async {
        tokio::join!(serving.call("pair", r#"{"x":"one"}"#), serving.call("pair", r#"{"x":"two"}"#))
    };
    let (one, two) = both.await;
    check(&one, ResultStatus::Ok, &["for one"]);
    check(&two, ResultStatus::Ok, &["for two"]);
}

// The process of `docs/ADDING_A_TOOL.md` works as the page shows it.
#[tokio::test]
async fn the_process_of_the_page_about_adding_a_tool_works() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ADDING_A_TOOL.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```text\nimport json").unwrap();
    let (script, _) = rest.split_once("```").unwrap();
    let prepared = require!(Need::Python, prepared("", "", FolderOwner::User));
    let file = prepared.folder.path().join("tools/serve.py");
    std::fs::write(file, format!("import json{script}")).unwrap();
    let serving = prepared.serve().await.unwrap();
    check(&serving.call("shout", r#"{"text":"be quick"}"#).await, ResultStatus::Ok, &["BE QUICK"]);
    check(&serving.call("shout", "{}").await, ResultStatus::InvalidArguments, &["text"]);
}
