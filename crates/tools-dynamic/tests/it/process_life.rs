//! Tools of a process, from outside: how calls and processes end.

use tokio::io::AsyncReadExt;
use windlass_protocol::ResultStatus;
use windlass_testkit::{Need, require};
use windlass_tool::CancellationToken;
use windlass_tools_dynamic::{FolderOwner, ProcessError};

use crate::serving::{SOON, Serving, call, check, prepared, served};

// L7: a cancelled call has its result at once, the process is informed, and its late answer is not counted in
// `Noise`.
#[tokio::test]
async fn a_cancelled_call_is_sent_to_the_process() {
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
    let serving = require!(Need::Python, served(script).await);
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    let result = call(&serving.toolbox, "wait", "{}", stop, move |_| stopping.cancel()).await;
    assert_eq!(result.status, ResultStatus::Cancelled, "{}", result.wire_text());
    check(&serving.call("told", "{}").await, ResultStatus::Ok, &["1"]);
    check(&serving.call("told", "{}").await, ResultStatus::Ok, &["1"]);
    assert_eq!(serving.served.noise(), windlass_tools_dynamic::Noise::default());
}

// One call may exceed its time. A process that writes nothing during two such calls is ended and started again.
#[tokio::test]
async fn a_call_without_an_answer_ends_in_time_and_a_process_that_hangs_ends_too() {
    let script = "
calls = []
def tools(id):
    say({'id': id, 'tools': [tool('slow'), tool('hang'), tool('count')]})
def call(id, name, args):
    calls.append(name)
    if name == 'count': say({'id': id, 'text': str(len(calls))})
    if name == 'hang': signal.pause()
";
    let prepared = require!(Need::Python, prepared(script, "call_timeout_ms = 2000", FolderOwner::User));
    let serving = prepared.serve().await.unwrap();
    check(&serving.call("slow", "{}").await, ResultStatus::TimedOut, &["within 2000 ms"]);
    check(&serving.call("count", "{}").await, ResultStatus::Ok, &["2"]);
    check(&serving.call("hang", "{}").await, ResultStatus::TimedOut, &["within 2000 ms"]);
    check(&serving.call("count", "{}").await, ResultStatus::TimedOut, &["within 2000 ms"]);
    check(&serving.call("count", "{}").await, ResultStatus::Ok, &["1"]);
}

// L8: whatever a process does, its calls end, and other calls continue.
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
    let serving = require!(Need::Python, served(script).await);
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
    // The call was possibly sent while the process was about to end.
    if last.status == ResultStatus::EffectsUnknown {
        last = serving.call("echo", "{}").await;
    }
    check(&last, ResultStatus::Error, &["too often", "not started again for"]);
}

// L7: a call that waits for the process to start again is stopped like any other, and leaves no half-started process.
#[cfg(unix)]
#[tokio::test]
async fn a_call_is_stopped_while_its_process_starts() {
    let script = "
is_first = not os.path.exists('again')
open('again', 'w').close()
if not is_first:
    held = socket.socket(socket.AF_UNIX)
    held.connect('alive')
def tools(id):
    if is_first: say({'id': id, 'tools': [tool('die')]})
def call(id, name, args):
    os._exit(1)
";
    let prepared = require!(Need::Python, prepared(script, "", FolderOwner::User));
    let listener = tokio::net::UnixListener::bind(prepared.folder.path().join("tools/alive")).unwrap();
    let serving = prepared.serve().await.unwrap();
    check(&serving.call("die", "{}").await, ResultStatus::EffectsUnknown, &["exit status: 1"]);
    let stop = CancellationToken::new();
    let calling = call(&serving.toolbox, "die", "{}", stop.clone(), |_| ());
    let stopping = async {
        let (line, _) = listener.accept().await.unwrap();
        stop.cancel();
        line
    };
    let (result, mut line) = tokio::join!(calling, stopping);
    check(&result, ResultStatus::Cancelled, &[]);
    let read = tokio::time::timeout(SOON, line.read(&mut [0])).await.unwrap();
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
}

// A suspicion of correctness-3: calls that were stopped while the process started ended it each time, and
// four of them used up the starts of a minute.
#[tokio::test]
async fn calls_that_are_stopped_while_the_process_starts_use_up_no_starts() {
    let script = "
is_first = not os.path.exists('again')
open('again', 'w').close()
def tools(id):
    if not is_first: signal.sigtimedwait([], 1)
    say({'id': id, 'tools': [tool('die'), tool('echo')]})
def call(id, name, args):
    if name == 'die': os._exit(1)
    say({'id': id, 'text': 'here'})
";
    let serving = require!(Need::Python, served(script).await);
    check(&serving.call("die", "{}").await, ResultStatus::EffectsUnknown, &["exit status: 1"]);
    for _ in 0..6 {
        let stop = CancellationToken::new();
        let calling = call(&serving.toolbox, "echo", "{}", stop.clone(), |_| ());
        let stopping = async {
            tokio::time::sleep(std::time::Duration::from_millis(30)).await;
            stop.cancel();
        };
        let (result, ()) = tokio::join!(calling, stopping);
        check(&result, ResultStatus::Cancelled, &["nothing was sent"]);
    }
    check(&serving.call("echo", "{}").await, ResultStatus::Ok, &["here"]);
}

// Lines without a request are counted, and too many end the process.
#[tokio::test]
async fn noise_is_counted_and_too_much_ends_the_process() {
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
    let serving = require!(Need::Python, served(script).await);
    check(&serving.call("odd", "{}").await, ResultStatus::Ok, &["first"]);
    check(&serving.call("odd", "{}").await, ResultStatus::Ok, &["first"]);
    let noise = serving.served.noise();
    assert!(noise.lines == 7 && noise.unasked >= 5, "{noise:?}");
    check(&serving.call("flood", "{}").await, ResultStatus::EffectsUnknown, &["wrote 100 unrequested lines"]);
    check(&serving.call("odd", "{}").await, ResultStatus::Ok, &["first"]);
}

// L7: a call is also cancelled if its caller drops the future.
#[tokio::test]
async fn a_dropped_call_is_cancelled_in_the_process() {
    let script = "
cancelled = []
def tools(id):
    say({'id': id, 'tools': [tool('wait'), tool('told')]})
def call(id, name, args):
    if name == 'wait': say({'id': id, 'progress': 'begun'})
    else: say({'id': id, 'text': str(len(cancelled))})
def cancel(id):
    cancelled.append(id)
";
    let serving = require!(Need::Python, served(script).await);
    let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let heard = move |text| begun.send(text).unwrap();
    let waiting = call(&serving.toolbox, "wait", "{}", CancellationToken::new(), heard);
    tokio::select! {
        result = waiting => unreachable!("nobody answers: {}", result.wire_text()),
        text = begins.recv() => assert_eq!(text.as_deref(), Some("begun")),
    }
    check(&serving.call("told", "{}").await, ResultStatus::Ok, &["1"]);
}

// N6: the offered tools change at a turn's boundary, and remaining tools keep their place.
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
    let prepared = require!(Need::Python, prepared(script, "", FolderOwner::User));
    let (sender, mut listener) = tokio::sync::mpsc::unbounded_channel();
    let folder = prepared.folder;
    let process = prepared.process.with_listener(move |told| sender.send(told.unwrap().clone()).unwrap());
    let serving = crate::serving::Prepared { folder, process, hints: prepared.hints }.serve().await.unwrap();
    check(&serving.call("grow", "{}").await, ResultStatus::Ok, &["well"]);
    let told = tokio::time::timeout(SOON, listener.recv()).await.unwrap().unwrap();
    assert_eq!((told.added[0].as_str(), told.removed[0].as_str()), ("came", "goes"));
    let offered = |toolbox: &windlass_toolbox::Toolbox| {
        toolbox.tool_specs().iter().map(|(spec, _)| spec.name().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(offered(&serving.toolbox), ["stays", "grow"], "what went does not begin any more");
    check(&serving.call("goes", "{}").await, ResultStatus::UnknownTool, &["goes"]);
    assert_eq!(offered(&serving.toolbox.refresh()), ["stays", "grow", "came"]);
    // A call that comes before the listener looked again runs under the new list, too.
    check(&serving.call("grow", "{}").await, ResultStatus::Ok, &["well"]);
    check(&serving.call("stays", "{}").await, ResultStatus::Ok, &["well"]);
}

#[tokio::test]
async fn a_process_without_a_valid_tool_list_is_refused() {
    let scripts = [
        ("def tools(id):\n    pass\n", "list_timeout_ms = 500", "within 500 ms"),
        ("def tools(id):\n    say({'id': id, 'tools': 7})\n", "", "not an array"),
        ("def tools(id):\n    say({'id': id, 'text': 'a'})\n", "", "no `tools`"),
        ("def tools(id):\n    say({'id': id, 'error': 'not today'})\n", "", "not today"),
        ("sys.exit('no licence')\n", "", "no licence"),
    ];
    for (script, more, part) in scripts {
        let prepared = require!(Need::Python, prepared(script, more, FolderOwner::User));
        let error = prepared.serve().await.err().unwrap();
        assert!(error.to_string().contains(part), "{part:?} is not in {error}");
    }
    let nowhere = prepared("", "", FolderOwner::User).unwrap();
    std::fs::remove_dir_all(nowhere.folder.path().join("tools")).unwrap();
    assert!(matches!(nowhere.serve().await, Err(ProcessError::Start(_))));
}

// Q1: dropping the tools sends TERM to the process group, waits, and sends KILL, which ends processes that ignore
// TERM.
#[cfg(unix)]
#[tokio::test]
async fn no_process_survives_the_drop() {
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
        let prepared = require!(Need::Python, prepared(script, "", FolderOwner::User));
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
        // The socket is closed when the last process that holds it has ended.
        let read = tokio::time::timeout(SOON, line.read(&mut [0])).await.unwrap();
        assert!(matches!(read, Ok(0) | Err(_)), "{how}: {read:?}");
        let late = call(&toolbox, "stay", "{}", CancellationToken::new(), |_| ()).await;
        assert_eq!(late.status, ResultStatus::UnknownTool, "{}", late.wire_text());
        assert!(toolbox.refresh().tool_specs().is_empty());
    }
}

// Q1: a process that the program keeps (`keep`) lives as long as the runtime, and no longer.
#[cfg(unix)]
#[test]
fn a_kept_process_ends_with_the_runtime() {
    use std::io::Read;
    let script = "
held = socket.socket(socket.AF_UNIX)
held.connect('alive')
def tools(id):
    say({'id': id, 'tools': [tool('echo')]})
def call(id, name, args):
    say({'id': id, 'text': 'here'})
";
    let prepared = require!(Need::Python, prepared(script, "", FolderOwner::User));
    let listener =
        std::os::unix::net::UnixListener::bind(prepared.folder.path().join("tools/alive")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let Serving { served, toolbox, .. } = prepared.serve().await.unwrap();
        served.keep();
        let result = call(&toolbox, "echo", "{}", CancellationToken::new(), |_| ()).await;
        check(&result, ResultStatus::Ok, &["here"]);
    });
    let (mut line, _) = listener.accept().unwrap();
    line.set_read_timeout(Some(SOON)).unwrap();
    drop(runtime);
    // The end of a child interrupts a read, which continues then.
    assert_eq!(line.read_to_end(&mut Vec::new()).unwrap(), 0);
}
