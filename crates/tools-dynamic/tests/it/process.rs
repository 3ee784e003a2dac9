//! Tools of a process, from outside.

use std::sync::{Arc, Mutex};

use tokio::io::AsyncReadExt;
use tokio_util::sync::CancellationToken;
use windlass_protocol::{Content, Effect, ResultStatus, Risk};
use windlass_tools_dynamic::{FolderOwner, ProcessError};

use crate::serving::{SOON, Serving, call, check, prepared, served};

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

// H1, Q2: a call goes the way of all calls; the process sees the short environment, and starts beside its file.
#[tokio::test]
async fn tools_of_a_process_are_listed_judged_and_called() {
    let Some(serving) = served(ECHO).await else { return };
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

// Policy always asks for it, unless the user's own rule says otherwise: it is unconfined, and says nothing of what it does.
#[tokio::test]
async fn a_process_is_of_high_risk_and_of_unknown_effect_unless_the_users_file_says_less() {
    let Some(serving) = served(ECHO).await else { return };
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
    // What a project's process says of itself makes nothing look safer.
    let project = prepared(ECHO, "", FolderOwner::Project).unwrap();
    assert_eq!(seen(&project.serve().await.unwrap()), [(false, Risk::High); 2]);
}

// R8, R9: pictures stay, what cannot be taken is said, and what is too long is cut with exact counts.
#[tokio::test]
async fn errors_pictures_and_long_words_come_back_as_what_they_are() {
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
    let Some(serving) = served(script).await else { return };
    check(&serving.call("fail", "{}").await, ResultStatus::Error, &["no such thing"]);
    check(&serving.call("mute", "{}").await, ResultStatus::Error, &["did not say why"]);
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
    // S16: the line goes past, and who waits for it hears how long it was.
    check(
        &serving.call("huge", "{}").await,
        ResultStatus::Error,
        &["answer of 30000", "1048576 are the most"],
    );
    check(&serving.call("odd", "{}").await, ResultStatus::EffectsUnknown, &["list of tools"]);
    check(&serving.call("empty", "{}").await, ResultStatus::Ok, &["done"]);
    assert_eq!(serving.served.noise().too_long, 1);
}

// N5, N7: one bad tool takes no other with it.
#[tokio::test]
async fn a_tool_that_cannot_be_taken_is_left_out_alone() {
    let script = "
def tools(id):
    bad = dict(tool('bad_schema'), schema={'type': 'object', 'properties': {'x': {'pattern': '('}}})
    say({'id': id, 'tools': [bad, tool('two words'), dict(tool('mute'), description=''), {'name': 'half'}, 7,
        dict(tool('list'), schema={'type': 'array'}), tool('good'), tool('good')] + [tool(f'more_{n}') for n in range(100)]})
def call(id, name, args):
    say({'id': id, 'text': 'well'})
";
    let Some(serving) = served(script).await else { return };
    assert_eq!(serving.names().len(), 93, "{:?}", serving.names());
    check(&serving.call("good", "{}").await, ResultStatus::Ok, &["well"]);
    for (name, part) in [
        ("bad_schema", "schema"),
        ("two words", "name"),
        ("mute", "description"),
        ("half", "description"),
        ("7", "no definition"),
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
    let Some(serving) = served(script).await else { return };
    let both = async {
        tokio::join!(serving.call("pair", r#"{"x":"one"}"#), serving.call("pair", r#"{"x":"two"}"#))
    };
    let (one, two) = both.await;
    check(&one, ResultStatus::Ok, &["for one"]);
    check(&two, ResultStatus::Ok, &["for two"]);
}

// L7: a stopped call has its result at once, the process is told, and its late answer is no noise.
#[tokio::test]
async fn a_stopped_call_is_told_to_the_process() {
    let script = "
cancelled = []
def tools(id):
    say({'id': id, 'tools': [tool('wait'), tool('told')]})
def call(id, name, args):
    if name == 'wait': say({'id': id, 'progress': 'begun'})
    else: say({'id': id, 'text': str(len(cancelled))})
def cancel(id):
    cancelled.append(id)
    say({'id': id, 'progress': 'late'})
    say({'id': id, 'text': 'late'})
";
    let Some(serving) = served(script).await else { return };
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    let result = call(&serving.toolbox, "wait", "{}", stop, move |_| stopping.cancel()).await;
    assert_eq!(result.status, ResultStatus::Cancelled, "{}", result.wire_text());
    check(&serving.call("told", "{}").await, ResultStatus::Ok, &["1"]);
    check(&serving.call("told", "{}").await, ResultStatus::Ok, &["1"]);
    assert_eq!(serving.served.noise(), windlass_tools_dynamic::Noise::default());
}

#[tokio::test]
async fn a_call_without_an_answer_ends_in_time_and_the_process_goes_on() {
    let script = "
def tools(id):
    say({'id': id, 'tools': [tool('hang'), tool('echo')]})
def call(id, name, args):
    if name == 'echo': say({'id': id, 'text': 'here'})
";
    let Some(prepared) = prepared(script, "call_timeout_ms = 1000", FolderOwner::User) else { return };
    let serving = prepared.serve().await.unwrap();
    check(&serving.call("hang", "{}").await, ResultStatus::TimedOut, &["within 1000 ms"]);
    check(&serving.call("echo", "{}").await, ResultStatus::Ok, &["here"]);
}

// L8: whatever a process does, its calls end, and others go on.
#[tokio::test]
async fn a_process_that_dies_is_started_again_three_times_a_minute() {
    let script = "
def tools(id):
    say({'id': id, 'tools': [tool('die'), tool('echo'), tool('deaf')]})
def call(id, name, args):
    if name == 'die':
        os.write(2, b'out of luck\\n')
        os._exit(3)
    say({'id': id, 'text': 'here'})
    if name == 'deaf':
        os._exit(0)
";
    let Some(serving) = served(script).await else { return };
    for _ in 0..3 {
        let result = serving.call("die", "{}").await;
        check(
            &result,
            ResultStatus::EffectsUnknown,
            &["exit status: 3", "out of luck", "starts the process again"],
        );
        check(&serving.call("echo", "{}").await, ResultStatus::Ok, &["here"]);
    }
    // The answer before the end counts.
    check(&serving.call("deaf", "{}").await, ResultStatus::Ok, &["here"]);
    let mut last = serving.call("echo", "{}").await;
    // It may have been sent while the process was about to end.
    if last.status == ResultStatus::EffectsUnknown {
        last = serving.call("echo", "{}").await;
    }
    check(&last, ResultStatus::Error, &["too often", "not started again for"]);
}

// Lines that nobody asked for are counted, and too many end the process.
#[tokio::test]
async fn noise_is_refused_and_counted_and_ends_the_process_when_it_is_too_much() {
    let script = "
def tools(id):
    print('hello', flush=True)
    say({'id': id, 'tools': [tool('odd'), tool('flood')]})
def call(id, name, args):
    if name == 'odd':
        print('debug: 1\\n\\n{\\n{}', flush=True)
        say({'id': 999, 'text': 'of nobody'})
        say({'id': 999, 'progress': 'of nobody'})
        say({'id': id, 'text': 'first'})
        say({'id': id, 'text': 'second'})
    while name == 'flood':
        print('x' * 100, flush=True)
";
    let Some(serving) = served(script).await else { return };
    check(&serving.call("odd", "{}").await, ResultStatus::Ok, &["first"]);
    check(&serving.call("odd", "{}").await, ResultStatus::Ok, &["first"]);
    let noise = serving.served.noise();
    assert!(noise.lines == 7 && noise.unasked >= 5, "{noise:?}");
    check(&serving.call("flood", "{}").await, ResultStatus::EffectsUnknown, &["wrote 100 lines"]);
    check(&serving.call("odd", "{}").await, ResultStatus::Ok, &["first"]);
}

// N6: what is offered changes at a turn's boundary, and what stays keeps its place.
#[tokio::test]
async fn a_changed_list_changes_what_is_offered_at_the_next_turn() {
    let script = "
names = ['stays', 'goes', 'grow']
def tools(id):
    say({'id': id, 'tools': [tool(name) for name in names]})
def call(id, name, args):
    names[:] = ['came', 'stays', 'grow']
    say({'changed': True})
    say({'changed': True})
    say({'id': id, 'text': 'well'})
";
    let Some(prepared) = prepared(script, "", FolderOwner::User) else { return };
    let (sender, mut listener) = tokio::sync::mpsc::unbounded_channel();
    let folder = prepared.folder;
    let process = prepared.process.with_listener(move |told| sender.send(told.unwrap().clone()).unwrap());
    let serving = crate::serving::Prepared { folder, process, hints: prepared.hints }.serve().await.unwrap();
    check(&serving.call("grow", "{}").await, ResultStatus::Ok, &["well"]);
    let told = tokio::time::timeout(SOON, listener.recv()).await.unwrap().unwrap();
    assert_eq!((told.added[0].as_str(), told.removed[0].as_str()), ("came", "goes"));
    let offered = |toolbox: &windlass_toolbox::Toolbox| {
        toolbox.offered().iter().map(|(spec, _)| spec.name().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(offered(&serving.toolbox), ["stays", "grow"], "what went does not begin any more");
    check(&serving.call("goes", "{}").await, ResultStatus::UnknownTool, &["goes"]);
    assert_eq!(offered(&serving.toolbox.refreshed()), ["stays", "grow", "came"]);
    // A call that comes before the listener looked again runs under the new list, too.
    check(&serving.call("grow", "{}").await, ResultStatus::Ok, &["well"]);
    check(&serving.call("stays", "{}").await, ResultStatus::Ok, &["well"]);
}

#[tokio::test]
async fn a_process_that_gives_no_list_is_told_and_ended() {
    let scripts = [
        ("def tools(id):\n    pass\n", "within 1500 ms"),
        ("def tools(id):\n    say({'id': id, 'tools': 7})\n", "no array"),
        ("def tools(id):\n    say({'id': id, 'text': 'a'})\n", "no `tools`"),
        ("def tools(id):\n    say({'id': id, 'error': 'not today'})\n", "not today"),
        ("sys.exit('no licence')\n", "no licence"),
    ];
    for (script, part) in scripts {
        let Some(prepared) = prepared(script, "list_timeout_ms = 1500", FolderOwner::User) else { return };
        let error = prepared.serve().await.err().unwrap();
        assert!(error.to_string().contains(part), "{part:?} is not in {error}");
    }
    let nowhere = prepared(ECHO, "", FolderOwner::User).unwrap();
    std::fs::remove_dir_all(nowhere.folder.path().join("tools")).unwrap();
    assert!(matches!(nowhere.serve().await, Err(ProcessError::Start(_))));
}

// Q1: TERM, a grace, KILL; whoever ignores the first and is of the group dies of the last.
#[cfg(unix)]
#[tokio::test]
async fn nothing_survives_the_drop() {
    let script = "
signal.signal(signal.SIGTERM, signal.SIG_IGN)
held = socket.socket(socket.AF_UNIX)
held.connect('alive')
def tools(id):
    subprocess.Popen(['sleep', '600'], pass_fds=[held.fileno()])
    say({'id': id, 'tools': [tool('stay')]})
def call(id, name, args):
    pass
";
    for how in ["dropped", "ended"] {
        let Some(prepared) = prepared(script, "", FolderOwner::User) else { return };
        let path = prepared.folder.path().join("tools/alive");
        let listener = tokio::net::UnixListener::bind(path).unwrap();
        let serving = prepared.serve().await.unwrap();
        let (mut line, _) = listener.accept().await.unwrap();
        let toolbox = serving.toolbox;
        if how == "ended" {
            serving.served.end().await;
        } else {
            drop(serving.served);
        }
        // The line is closed when the last who holds it is gone.
        let read = tokio::time::timeout(SOON, line.read(&mut [0])).await.unwrap();
        assert!(matches!(read, Ok(0) | Err(_)), "{how}: {read:?}");
        let late = call(&toolbox, "stay", "{}", CancellationToken::new(), |_| ()).await;
        assert_eq!(late.status, ResultStatus::UnknownTool, "{}", late.wire_text());
        assert!(toolbox.refreshed().offered().is_empty());
    }
}
