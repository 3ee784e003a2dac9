//! One run in three processes: the terminal runs it, and the page and an editor watch and answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::chat::{talk, type_line, wait_for};
use crate::program::{Place, provider};
use crate::pty::Pty;

const PATIENCE: Duration = Duration::from_mins(1);
const COLUMNS: u16 = 100;

const THREE_FILES: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "one.txt", "content": "1\n"}}}]},
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "two.txt", "content": "2\n"}}}]},
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "three.txt", "content": "3\n"}}}]},
    {"steps": [{"text": "All files are written."}]}], "fallback": "Nothing more."}"#;

fn command(place: &Place, name: &str, url: &str) -> Command {
    let mut command = place.command(&[name, "--model", "scripted-1", "--base-url", &format!("{url}/v1")]);
    command.args(["--sandbox", "off", "--no-mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Passes the lines of a program to a channel.
fn lines_of(child: &mut Child) -> Receiver<String> {
    let (sender, lines) = channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// `windlass serve` and a page with its token. Dropping it kills the server.
struct Page {
    child: Child,
    address: String,
    token: String,
}

impl Drop for Page {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Page {
    fn open(mut command: Command) -> Self {
        let mut child = command.args(["--listen", "127.0.0.1:0"]).spawn().unwrap();
        let lines = lines_of(&mut child);
        loop {
            let line = lines.recv_timeout(PATIENCE).expect("the server prints its link");
            if let Some((_, link)) = line.split_once("http://")
                && let Some((address, token)) = link.split_once("/#token=")
            {
                let (address, token) = (address.to_owned(), token.trim().to_owned());
                return Self { child, address, token };
            }
        }
    }

    fn send(&self, head: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (address, token, length) = (&self.address, &self.token, body.len());
        let fields = format!("host: {address}\r\nauthorization: Bearer {token}\r\nconnection: close");
        let content = format!("content-type: application/json\r\ncontent-length: {length}");
        stream
            .write_all(format!("{head} HTTP/1.1\r\n{fields}\r\n{content}\r\n\r\n{body}").as_bytes())
            .unwrap();
        stream
    }

    fn request(&self, head: &str, body: &str) -> (u16, Value) {
        let mut text = String::new();
        self.send(head, body).read_to_string(&mut text).unwrap();
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap_or(Value::Null))
    }

    /// Reads the feed of a session after a number until an event of a kind, and returns this event.
    fn event(&self, session: &str, after: u64, kind: &str) -> Value {
        let stream = self.send(&format!("GET /api/sessions/{session}/feed?after={after}"), "");
        for line in BufReader::new(stream).lines() {
            let line = line.unwrap();
            let event = line.strip_prefix("data: ").map(|data| serde_json::from_str::<Value>(data).unwrap());
            if let Some(event) = event.filter(|event| event["kind"] == kind) {
                return event;
            }
        }
        panic!("the feed ended before {kind}");
    }

    fn answer_once(&self, session: &str, question: &Value) -> (u16, Value) {
        let answer = json!({"answer": "once", "question": question}).to_string();
        self.request(&format!("POST /api/sessions/{session}/answer"), &answer)
    }
}

/// `windlass acp` as an editor drives it. Dropping it closes the connection.
struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Messages that arrived while the test waited for another one. A withdrawn card and the next one arrive in
    /// either order.
    earlier: Vec<Value>,
}

impl Drop for Editor {
    fn drop(&mut self) {
        drop(self.input.take());
        drop(self.child.wait());
    }
}

impl Editor {
    fn open(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let (input, lines) = (child.stdin.take(), lines_of(&mut child));
        Self { child, input, lines, earlier: Vec::new() }
    }

    fn send(&mut self, message: &Value) {
        self.input.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn request(&mut self, id: u64, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// Takes the first message that fits.
    #[track_caller]
    fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.earlier.iter().position(&fits) {
            return self.earlier.remove(at);
        }
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("the message does not arrive; others are {:#?}", self.earlier);
            };
            let message: Value = serde_json::from_str(&line).unwrap();
            if fits(&message) {
                return message;
            }
            self.earlier.push(message);
        }
    }

    /// Returns the id of the next card.
    #[track_caller]
    fn card(&mut self) -> Value {
        self.until(|message| message["method"] == "session/request_permission")["id"].clone()
    }

    /// Waits until the agent withdraws a card.
    #[track_caller]
    fn closes(&mut self, card: &Value) {
        let is_cancel = |message: &Value| {
            message["method"] == "$/cancel_request" && message["params"]["requestId"] == *card
        };
        self.until(is_cancel);
    }
}

/// Gives the task to a terminal, and waits until its first question is on the screen.
fn begin_in_terminal(place: &Place, url: &str) -> (Pty, Child) {
    let mut pty = Pty::with_size(COLUMNS, 40);
    let terminal = pty.start(talk(place, url));
    wait_for(&pty, COLUMNS, "describe a task");
    type_line(&mut pty, "write three files");
    wait_for(&pty, COLUMNS, "one.txt");
    (pty, terminal)
}

/// Ends the terminal after its run.
fn leave(pty: &mut Pty, terminal: &mut Child) {
    wait_for(pty, COLUMNS, "describe a task");
    pty.keys("\u{4}");
    assert!(pty.end(terminal).success(), "{}", pty.screen());
}

// Issue 22, "Must be shown" 6.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_one_process_closes_the_card_in_the_others() {
    let (place, provider) = (Place::new(), provider(THREE_FILES).await);
    let url = provider.base_url();
    let (mut pty, mut terminal) = begin_in_terminal(&place, &url);

    let page = Page::open(command(&place, "serve", &url));
    let (status, inbox) = page.request("GET /api/questions", "");
    assert_eq!((status, inbox.as_array().map(Vec::len)), (200, Some(1)), "{inbox}");
    let session = inbox[0]["session"].as_str().unwrap().to_owned();
    let first = page.event(&session, 0, "question_opened");
    assert_eq!(first["question"], inbox[0]["question"]);

    let mut editor = Editor::open(command(&place, "acp", &url));
    editor.request(1, "initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}}));
    let load = json!({"sessionId": session, "cwd": place.project(), "mcpServers": []});
    editor.request(2, "session/load", &load);
    let loaded = editor.until(|message| message["id"] == 2 && message["method"].is_null());
    assert!(loaded["error"].is_null(), "{loaded}");
    let prompt = json!([{"type": "text", "text": "as you like"}]);
    editor.request(3, "session/prompt", &json!({"sessionId": session, "prompt": prompt}));

    // The page answers the first card. It was open before the editor came.
    let card = editor.card();
    assert_eq!(
        page.answer_once(&session, &first["question"]),
        (200, json!({"received": true, "unanswered": 0}))
    );
    editor.closes(&card);
    wait_for(&pty, COLUMNS, "the question was answered in page on browser");
    let closed = page.event(&session, first["seq"].as_u64().unwrap(), "question_closed");
    assert_eq!(closed["by"], "page on browser");

    // The editor answers the second card. A later answer of the page names it.
    let card = editor.card();
    let second = page.event(&session, closed["seq"].as_u64().unwrap(), "question_opened");
    let selected = json!({"outcome": {"outcome": "selected", "optionId": "once"}});
    editor.send(&json!({"jsonrpc": "2.0", "id": card, "result": selected}));
    wait_for(&pty, COLUMNS, "the question was answered in editor");
    let closed = page.event(&session, second["seq"].as_u64().unwrap(), "question_closed");
    assert_eq!(closed["by"], "editor");
    let (status, late) = page.answer_once(&session, &second["question"]);
    assert_eq!((status, &late["by"]), (409, &json!("editor")), "{late}");

    // The terminal answers the third one.
    let card = editor.card();
    let third = page.event(&session, closed["seq"].as_u64().unwrap(), "question_opened");
    wait_for(&pty, COLUMNS, "three.txt");
    pty.answer("y");
    editor.closes(&card);
    let closed = page.event(&session, third["seq"].as_u64().unwrap(), "question_closed");
    assert_eq!(closed["by"], "terminal");
    let (status, late) = page.answer_once(&session, &third["question"]);
    assert_eq!((status, &late["by"]), (409, &json!("terminal")), "{late}");

    wait_for(&pty, COLUMNS, "All files are written.");
    let ended = editor.until(|message| message["id"] == 3 && message["method"].is_null());
    assert_eq!(ended["result"]["stopReason"], "end_turn", "{ended}");
    let ended = page.event(&session, closed["seq"].as_u64().unwrap(), "run_ended");
    assert_eq!(ended["outcome"]["state"], "completed");
    for name in ["one.txt", "two.txt", "three.txt"] {
        assert!(place.project().join(name).exists(), "{name}");
    }
    leave(&mut pty, &mut terminal);
    provider.shutdown().await;
}

// The page of another process stops the run of the terminal.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_stops_a_run_of_the_terminal() {
    let (place, provider) = (Place::new(), provider(THREE_FILES).await);
    let url = provider.base_url();
    let (mut pty, mut terminal) = begin_in_terminal(&place, &url);
    let page = Page::open(command(&place, "serve", &url));
    let (_, inbox) = page.request("GET /api/questions", "");
    let session = inbox[0]["session"].as_str().unwrap().to_owned();
    assert_eq!(page.request(&format!("POST /api/sessions/{session}/stop"), "").0, 202);
    let ended = page.event(&session, 0, "run_ended");
    assert_eq!(ended["outcome"], json!({"state": "stopped", "cause": "cancelled"}));
    assert!(!place.project().join("one.txt").exists());
    leave(&mut pty, &mut terminal);
    provider.shutdown().await;
}
