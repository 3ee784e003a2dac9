//! Notifications: their content, their delivery, their limits.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::delivery::Delivery;
use super::{Notification, Notifier, NotifySettings, OLD_FILE, is_safe};
use crate::app::App;
use crate::config::Folders;
use crate::feed::{FeedEvent, FeedFollower as _};
use crate::notices::{Notice, Notices};

fn event(mut fields: Value) -> FeedEvent {
    for (name, value) in
        [("seq", json!(1)), ("session", json!("s")), ("run", json!("r")), ("at_ms", json!(0))]
    {
        fields[name] = value;
    }
    serde_json::from_value(fields).unwrap()
}

fn question() -> FeedEvent {
    event(json!({"kind": "question_opened", "question": "q", "card": {
        "call": "c", "tool": "run_command", "arguments": {"command": "echo hunter22"}, "rule": "d.ask",
        "source": "builtin", "reason": "because of hunter22", "risk": "high", "effects": [],
        "digest": "d", "can_remember": false, "text": "run echo hunter22?"
    }, "about": "call"}))
}

fn app(folder: &Path, settings: &str) -> (App, Arc<Mutex<Vec<String>>>) {
    std::fs::create_dir_all(folder.join("settings")).unwrap();
    let file = folder.join("settings").join("config.toml");
    std::fs::write(&file, format!("[notify]\n{settings}")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let told = Arc::<Mutex<Vec<String>>>::default();
    let sink = Arc::clone(&told);
    let folders = Folders::new(folder.join("settings"), folder.join("state"));
    let app =
        App::new(folders).with_notices(move |notice: &Notice| sink.lock().unwrap().push(notice.to_string()));
    (app, told)
}

#[test]
fn a_notification_names_the_tool_and_nothing_of_its_arguments() {
    let notification = Notification::from_event(&question()).unwrap();
    let text = serde_json::to_string(&notification).unwrap();
    assert!(text.contains("run_command") && !text.contains("hunter22"), "{text}");
    let total = json!({"input": 0, "output": 0});
    let ended = |outcome: Value| event(json!({"kind": "run_ended", "outcome": outcome, "total": total}));
    let done = Notification::from_event(&ended(json!({"state": "completed", "text": "hunter22"}))).unwrap();
    assert_eq!((done.event, done.text.as_str()), ("ended", "Windlass: a run is done"));
    let failed = Notification::from_event(&ended(json!({"state": "failed", "message": "hunter22"}))).unwrap();
    assert_eq!((failed.event, failed.tool), ("failed", None));
    let mut child = ended(json!({"state": "completed", "text": "x"}));
    child.agent = Some(crate::feed::AgentPath::new("c", vec!["helper".to_owned()]));
    assert_eq!(Notification::from_event(&child), None, "the end of a sub-agent needs no person");
    assert_eq!(Notification::from_event(&event(json!({"kind": "notice", "text": "x"}))), None);
}

#[test]
fn a_command_gets_the_text_and_the_notification_before_the_run_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let script = format!("printf '%s\\n' \"$1\" >> {0}; cat >> {0}; env >> {0}", out.display());
    let settings = format!("command = [\"/bin/sh\", \"-c\", {}, \"notify\"]", json!(script));
    let (app, told) = app(folder.path(), &settings);
    let mut notifier = Notifier::start(&app, folder.path(), true).unwrap();
    notifier.follow(&[question(), event(json!({"kind": "notice", "text": "x"}))]).unwrap();
    notifier.leave();
    let text = std::fs::read_to_string(out).unwrap();
    assert!(text.starts_with("Windlass: run_command waits for an answer\n{\"event\":\"question\""), "{text}");
    assert_eq!(text.matches("\"event\"").count(), 1);
    assert!(!text.contains("CARGO"), "the command gets no other variables: {text}");
    assert!(told.lock().unwrap().is_empty(), "{told:?}");
}

#[test]
fn a_hanging_command_times_out_and_failures_are_reported_once() {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let sink = Arc::clone(&told);
    let notices = Notices::new(move |notice: &Notice| sink.lock().unwrap().push(notice.to_string()));
    let command = ["/bin/sh", "-c", "sleep 60"].map(str::to_owned).to_vec();
    let delivery = Delivery::new(NotifySettings { command, webhook: None }, notices);
    let (queue, notifications) = std::sync::mpsc::sync_channel(2);
    for _ in 0..2 {
        queue.send(Notification::from_event(&question()).unwrap()).unwrap();
    }
    drop(queue);
    delivery.with_timeout(Duration::from_millis(100)).run(&notifications);
    let told = told.lock().unwrap();
    assert!(told.len() == 1 && told[0].contains("took longer than"), "{told:?}");
}

#[test]
fn a_webhook_gets_the_notification_as_json() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", server.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let (mut read, mut buffer) = (String::new(), [0; 4096]);
        while !read.ends_with('}') {
            let count = stream.read(&mut buffer).unwrap();
            assert!(count > 0, "{read}");
            read += &String::from_utf8_lossy(&buffer[..count]);
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        read
    });
    let folder = tempfile::tempdir().unwrap();
    let (app, told) = app(folder.path(), &format!("webhook = \"{address}\""));
    let mut notifier = Notifier::start(&app, folder.path(), true).unwrap();
    notifier.follow(&[question()]).unwrap();
    let request = serving.join().unwrap();
    notifier.leave();
    assert!(request.starts_with("POST /hook ") && request.contains("application/json"), "{request}");
    let body: Value = serde_json::from_str(request.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!((&body["event"], &body["tool"]), (&json!("question"), &json!("run_command")));
    assert!(told.lock().unwrap().is_empty(), "{told:?}");
}

#[test]
fn a_wrong_file_is_a_warning() {
    for settings in ["comand = [\"x\"]", "webhook = \"http://example.org/\"", "command = 3"] {
        let folder = tempfile::tempdir().unwrap();
        let (app, told) = app(folder.path(), settings);
        assert!(Notifier::start(&app, folder.path(), true).is_none(), "{settings}");
        assert!(told.lock().unwrap()[0].contains("notifications are off"), "{settings}");
    }
    let folder = tempfile::tempdir().unwrap();
    let (app, told) = app(folder.path(), "command = [\"x\"]");
    let file = folder.path().join("settings").join("config.toml");
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(Notifier::start(&app, folder.path(), true).is_none());
    assert!(told.lock().unwrap()[0].contains("every user can write"), "{told:?}");
}

#[test]
fn the_earlier_forms_are_a_list_that_counts_and_a_file_that_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let (app, told) = app(folder.path(), "");
    assert!(Notifier::start(&app, folder.path(), true).is_none());
    assert!(told.lock().unwrap().is_empty(), "{told:?}");
    let settings = folder.path().join("settings");
    std::fs::write(settings.join("config.toml"), "notify = [\"true\"]\n").unwrap();
    assert!(Notifier::start(&app, folder.path(), true).is_some());
    std::fs::write(settings.join(OLD_FILE), "webhook = \"https://example.org\"").unwrap();
    Notifier::start(&app, folder.path(), true);
    let told = told.lock().unwrap();
    assert!(told.len() == 1 && told[0].contains("below a line with [notify]"), "{told:?}");
}

#[test]
fn a_webhook_is_encrypted_or_on_this_machine() {
    for address in ["https://example.org/x", "http://127.0.0.1:9/x", "http://localhost/"] {
        assert!(is_safe(address), "{address}");
    }
    for address in
        ["http://example.org", "http://localhost.example.org", "http://127.0.0.1@example.org/", "ftp://x"]
    {
        assert!(!is_safe(address), "{address}");
    }
}
