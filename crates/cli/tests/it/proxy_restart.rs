//! `windlass proxy` after a kill and on a full disk: budgets, and the responses that an upstream stores.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::program::{Place, text};

/// An upstream of the Responses API. Each answer has another id, and any `GET` is answered. A request whose input is `hang`
/// is reported and gets no answer.
fn start_upstream() -> (String, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (reports, hanging) = mpsc::channel();
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let (stream, reports) = (stream.unwrap(), reports.clone());
            thread::spawn(move || answer(stream, number, &reports));
        }
    });
    (format!("http://{address}/v1"), hanging)
}

fn answer(mut stream: TcpStream, number: usize, reports: &Sender<()>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    if text(&body).contains("hang") {
        reports.send(()).unwrap();
        return thread::sleep(Duration::from_mins(10));
    }
    let body = format!(
        r#"{{"id":"resp_{number}","object":"response","created_at":1,"status":"completed","model":"m","output":[],"usage":{{"input_tokens":20,"output_tokens":10,"total_tokens":30}}}}"#
    );
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n";
    let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
}

struct Proxy {
    child: Child,
    address: String,
}

impl Proxy {
    fn start(place: &Place) -> Self {
        Self::spawn(&mut place.command(&["proxy", "--file", "proxy.toml", "--json"]))
    }

    /// Starts a gateway that can write 512 or 1,024 bytes to each file, as on a full disk.
    fn start_with_small_files(place: &Place) -> Self {
        let gateway = place.command(&["proxy", "--file", "proxy.toml", "--json"]);
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ && ulimit -f 1 && exec \"$0\" \"$@\""]);
        command.arg(gateway.get_program()).args(gateway.get_args()).current_dir(place.project());
        let variables = gateway.get_envs().filter_map(|(name, value)| Some((name, value?)));
        Self::spawn(command.env_clear().envs(variables))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap();
        let address = started["base_url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        Self { child, address }
    }

    /// Sends SIGKILL, and returns what the process wrote to standard error.
    fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut notes = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut notes).unwrap();
        notes
    }

    fn begin(&self, key: &str, request: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(stream, "{request} HTTP/1.0\r\nx-api-key: {key}\r\ncontent-length: {length}\r\n\r\n{body}")
            .unwrap();
        stream
    }

    /// Returns the status and the whole answer.
    fn send(&self, key: &str, request: &str, body: &str) -> (u16, String) {
        let mut answer = String::new();
        self.begin(key, request, body).read_to_string(&mut answer).unwrap();
        (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
    }

    fn ask(&self, key: &str, more: &str) -> (u16, String) {
        let body = format!(r#"{{"model":"m","max_output_tokens":50,"input":"hi"{more}}}"#);
        self.send(key, "POST /v1/responses", &body)
    }
}

fn configure(place: &Place, url: &str, more: &str) {
    let limits = "limits = { tokens_per_month = 200 }\n";
    let file = format!(
        "listen = \"127.0.0.1:0\"\nclient_keys = \"keys.json\"\n{more}[upstreams.only]\nbase_url = \"{url}\"\n\
         wire = \"openai-responses\"\nmodels = [\"m\"]\n[clients.ann]\n{limits}"
    );
    std::fs::write(place.project().join("proxy.toml"), file).unwrap();
}

fn add_client(place: &Place, name: &str) -> String {
    let added = place.run(&["proxy", "--client-keys", "keys.json", "--add-client", name]);
    text(&added.stdout).trim().to_owned()
}

fn answer_id(answer: &str) -> &str {
    answer.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap()
}

#[test]
fn a_killed_gateway_keeps_the_stored_responses_of_each_client() {
    let (place, (url, _hanging)) = (Place::new(), start_upstream());
    let [ann, bob] = ["ann", "bob"].map(|name| add_client(&place, name));
    configure(&place, &url, "");
    let mut ids: Vec<String> = Vec::new();
    for restart in 0..3 {
        let proxy = Proxy::start(&place);
        for id in &ids {
            let request = format!("GET /v1/responses/{id}");
            assert_eq!(proxy.send(&ann, &request, "").0, 200, "{id}, restart {restart}");
            assert_eq!(proxy.send(&bob, &request, "").0, 404, "{id}, restart {restart}");
            let continued = proxy.ask(&bob, &format!(r#","previous_response_id":"{id}""#));
            assert_eq!(continued.0, 400, "{id}, restart {restart}: {}", continued.1);
        }
        let (status, answer) = proxy.ask(&ann, "");
        assert_eq!(status, 200, "{answer}");
        ids.push(answer_id(&answer).to_owned());
        if let [first, _, _] = ids.as_slice() {
            assert_eq!(proxy.send(&ann, &format!("DELETE /v1/responses/{first}"), "").0, 200);
        }
        assert_eq!(proxy.kill(), "", "a default file is no note");
    }
    let proxy = Proxy::start(&place);
    let read = |key: &str, id: &str| proxy.send(key, &format!("GET /v1/responses/{id}"), "").0;
    assert_eq!([0, 1, 2].map(|place: usize| read(&ann, &ids[place])), [404, 200, 200]);
    let kept = std::fs::read_to_string(place.project().join("keys.stored-ids.jsonl")).unwrap();
    assert!(!kept.contains(&ann) && kept.contains(&ids[1]), "{kept}");
    proxy.kill();
}

#[test]
fn a_killed_gateway_has_counted_each_request_that_it_sent() {
    let (place, (url, hanging)) = (Place::new(), start_upstream());
    let ann = add_client(&place, "ann");
    configure(&place, &url, "usage_file = \"usage.jsonl\"\n");
    let mut sent = 0;
    // Each request reserves about 60 of 200 tokens, and its process is killed before the answer.
    for _ in 0..6 {
        let proxy = Proxy::start(&place);
        let body = r#"{"model":"m","max_output_tokens":50,"input":"hang"}"#;
        let mut stream = proxy.begin(&ann, "POST /v1/responses", body);
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        // The request is sent, or refused.
        loop {
            let mut status = [0; 12];
            if hanging.try_recv().is_ok() {
                sent += 1;
                break;
            } else if stream.read_exact(&mut status).is_ok() {
                assert_eq!(text(&status), "HTTP/1.0 429");
                break;
            }
        }
        proxy.kill();
    }
    assert_eq!(sent, 3, "requests of one month");
    // A torn last line of the file is no reason to refuse it or to begin anew.
    let usage = place.project().join("usage.jsonl");
    let mut torn = std::fs::read(&usage).unwrap();
    torn.extend(br#"{"client":"ann","day":"#);
    std::fs::write(&usage, torn).unwrap();
    let proxy = Proxy::start(&place);
    assert_eq!(proxy.ask(&ann, "").0, 429);
    let second = place.run(&["proxy", "--file", "proxy.toml"]);
    assert_eq!(second.status.code(), Some(1));
    assert!(text(&second.stderr).contains("another gateway uses the file"), "{}", text(&second.stderr));
    assert_eq!(proxy.kill(), "");
    // A damaged line is left out and reported.
    let lines = std::fs::read_to_string(&usage).unwrap();
    std::fs::write(&usage, format!("{lines}not a record\n")).unwrap();
    let proxy = Proxy::start(&place);
    assert_eq!(proxy.ask(&ann, "").0, 429);
    let notes = proxy.kill();
    assert!(notes.contains("has 1 damaged lines, which are left out"), "{notes}");
    assert!(place.project().join("usage.jsonl.damaged").exists());
}

#[cfg(unix)]
#[test]
fn a_full_disk_refuses_requests_of_clients_with_budgets_only() {
    let (place, (url, _hanging)) = (Place::new(), start_upstream());
    let [ann, bob] = ["ann", "bob"].map(|name| add_client(&place, name));
    let configure = |more: &str| {
        configure(&place, &url, more);
        let path = place.project().join("proxy.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replace("tokens_per_month = 200", "tokens_per_month = 20000")).unwrap();
    };
    configure("");
    let proxy = Proxy::start_with_small_files(&place);
    let mut answers = (0..20).map(|_| proxy.ask(&ann, ""));
    let answered = answers.by_ref().take_while(|(status, _)| *status == 200).count();
    let (status, refusal) = answers.next().unwrap();
    assert!((1..15).contains(&answered), "{answered} answers: {refusal}");
    assert!(status == 503 && refusal.contains("\"usage_not_recorded\""), "{refusal}");
    assert!(refusal.to_ascii_lowercase().contains("retry-after: 10\r\n"), "{refusal}");
    assert_eq!(proxy.ask(&bob, "").0, 200, "without a budget");
    proxy.kill();
    // The disk has room again. Each answer used 30 tokens, and a refused request none.
    let proxy = Proxy::start(&place);
    assert_eq!(proxy.ask(&ann, "").0, 200);
    proxy.kill();
    let usage = place.project().join("keys.usage.jsonl");
    let lines = std::fs::read_to_string(&usage).unwrap();
    // A reservation takes more than what an answer uses, and the last line before the end of the room can be one.
    let total = format!("\"month_tokens\":{},", 30 * (answered + 1));
    assert!(lines.lines().last().unwrap().contains(&total), "{total} in {lines}");

    configure("on_usage_error = \"report\"\n");
    let proxy = Proxy::start_with_small_files(&place);
    assert!((0..20).all(|_| proxy.ask(&ann, "").0 == 200));
    proxy.kill();

    // Without the file nothing counts over a restart, so the server does not start.
    std::fs::remove_file(&usage).unwrap();
    std::fs::create_dir(&usage).unwrap();
    let proxy = Proxy::start(&place);
    assert_eq!(proxy.ask(&ann, "").0, 200);
    assert!(proxy.kill().contains("the use of budgets is not kept over a restart"));
    configure("");
    let refused = place.run(&["proxy", "--file", "proxy.toml"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("keys.usage.jsonl cannot be used"), "{}", text(&refused.stderr));
}
