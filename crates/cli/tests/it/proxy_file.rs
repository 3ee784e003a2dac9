//! `windlass proxy --file` and `windlass proxy check`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::Value;

use crate::program::{Place, provider, text};

const SCRIPT: &str = r#"{"turns": [{"steps": [{"text": "hello"}], "usage": {"input": 10, "output": 5}}]}"#;

struct Proxy {
    child: Child,
    address: String,
    notes: BufReader<ChildStderr>,
}

impl Proxy {
    fn start(place: &Place) -> Self {
        let mut command = place.command(&["proxy", "--file", "proxy.toml", "--json"]);
        let mut child = command
            .env("FIRST_KEY", "sk-first")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let address = told["base_url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
        let notes = BufReader::new(child.stderr.take().unwrap());
        Self { child, address, notes }
    }

    fn chat(&self, key: &str, model: &str) -> String {
        let body =
            format!(r#"{{"model":"{model}","max_tokens":9,"messages":[{{"role":"user","content":"hi"}}]}}"#);
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let head = "POST /v1/chat/completions HTTP/1.0\r\n";
        write!(stream, "{head}x-api-key: {key}\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Sends SIGHUP, and returns the next note.
    fn reload(&mut self) -> String {
        let sent = Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.note()
    }

    /// Returns the next note.
    fn note(&mut self) -> String {
        let mut note = String::new();
        self.notes.read_line(&mut note).unwrap();
        note
    }

    fn stop(mut self) {
        let sent = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(sent.success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

fn configure(place: &Place, url: &str, rest: &str) {
    let file = format!(
        "listen = \"127.0.0.1:0\"\ndefault = \"first\"\nclient_keys = \"keys.json\"\nusage_file = \"usage.json\"\n\
         [upstreams.first]\nbase_url = \"{url}/v1\"\nwire = \"openai-chat\"\nkey_env = \"FIRST_KEY\"\n\
         models = [\"scripted-1\"]\n\
         [upstreams.second]\nbase_url = \"{url}\"\nwire = \"anthropic\"\nkey_command = [\"printf\", \"sk-second\"]\n\
         {rest}"
    );
    std::fs::write(place.project().join("proxy.toml"), file).unwrap();
}

fn add_client(place: &Place) -> String {
    let added = place.run(&["proxy", "--client-keys", "keys.json", "--add-client", "laptop"]);
    text(&added.stdout).trim().to_owned()
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_file_configures_a_gateway_and_a_signal_reads_it_again() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let (key, url) = (add_client(&place), provider.base_url());
    let limits = "[clients.laptop.limits]\ntokens_per_month = 200\n";
    configure(&place, &url, &format!("[aliases]\nfast = \"second/scripted-1\"\n{limits}"));
    let mut proxy = Proxy::start(&place);
    for model in ["scripted-1", "fast"] {
        let answer = proxy.chat(&key, model);
        assert!(answer.starts_with("HTTP/1.0 200") && answer.contains("hello"), "{model}: {answer}");
    }
    let seen = provider.requests();
    assert!(seen[0].path.ends_with("/chat/completions") && seen[1].path.ends_with("/messages"), "{seen:?}");

    // No server listens at the third upstream, so the next upstream of the chain answers.
    let third = "[upstreams.third]\nbase_url = \"http://127.0.0.1:9/v1\"\nwire = \"openai-chat\"\n";
    let chain = "[aliases]\nfast = [\"third/m\", \"second/scripted-1\"]\n";
    configure(&place, &url, &format!("{chain}{limits}{third}"));
    assert!(proxy.reload().contains("proxy.toml was read again"));
    assert!(proxy.chat(&key, "fast").contains("hello"));

    // A reload does not change the store of responses.
    configure(&place, &url, &format!("{chain}{limits}{third}[state]\nhours = 1\n"));
    assert!(proxy.reload().contains("proxy.toml was read again"));
    let note = proxy.note();
    assert!(note.contains("another address, file of usage or ids, store or limit"), "{note}");

    // A file with a mistake changes nothing, and each reload reports the mistake.
    configure(&place, &url, "[aliases]\nquick = \"fourth/scripted-1\"\n");
    for _ in 0..2 {
        let note = proxy.reload();
        assert!(note.contains("the old configuration continues"), "{note}");
        assert!(note.contains("the upstream \"fourth\" does not exist"), "{note}");
        assert!(proxy.chat(&key, "fast").starts_with("HTTP/1.0 200"));
    }

    // Five answers used 75 tokens, and the next file permits 80.
    configure(
        &place,
        &url,
        "[aliases]\nquick = \"second/scripted-1\"\n[clients.laptop.limits]\ntokens_per_month = 80\n",
    );
    assert!(proxy.reload().contains("proxy.toml was read again"));
    let refused = proxy.chat(&key, "quick");
    assert!(refused.starts_with("HTTP/1.0 429") && refused.contains("retry-after: "), "{refused}");
    proxy.stop();
    let usage = std::fs::read_to_string(place.project().join("usage.json")).unwrap();
    assert!(usage.contains("\"month_tokens\":75"), "{usage}");

    // A new process continues the budget.
    let proxy = Proxy::start(&place);
    assert!(proxy.chat(&key, "quick").starts_with("HTTP/1.0 429"));
    proxy.stop();
    provider.shutdown().await;
}

#[test]
fn a_check_names_mistakes_and_prints_what_is_configured() {
    let place = Place::new();
    let check = |variable: &str| {
        let mut command = place.command(&["proxy", "check", "proxy.toml"]);
        let output = command.env(variable, "sk-first").output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    add_client(&place);
    let rest = "[aliases]\nfast = \"second/m\"\n[clients.laptop.limits]\ncost_per_day = \"1.50\"\n";
    configure(&place, "http://127.0.0.1:9", rest);
    let (code, out, errors) = check("FIRST_KEY");
    assert_eq!(code, Some(0), "{errors}");
    assert!(out.contains("alias fast: second/m") && out.contains("\"cost_per_day\":\"1.500000\""), "{out}");
    assert!(out.contains("key from the command printf, which was not run"), "{out}");
    let (code, _, errors) = check("OTHER_KEY");
    assert_eq!(code, Some(1));
    assert!(errors.contains("the environment variable FIRST_KEY is not set"), "{errors}");
    let chain = "[aliases]\nbest = [{ \"first/m\" = 2, \"second/m\" = 1 }, \"second/small\"]\n";
    configure(&place, "http://127.0.0.1:9", chain);
    let (_, out, _) = check("FIRST_KEY");
    assert!(out.contains("first/m (weight 2) and second/m (weight 1), then second/small"), "{out}");
    configure(&place, "http://127.0.0.1:9", "[clients.phone]\nmodels = [\"m\"]\n");
    let (code, _, errors) = check("FIRST_KEY");
    assert_eq!(code, Some(1));
    assert!(errors.contains("the client \"phone\" has no key"), "{errors}");
    let both = place.run(&["proxy", "--file", "proxy.toml", "--upstream", "groq"]);
    assert_eq!(both.status.code(), Some(2));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_socket_in_the_file_system_is_for_its_owner_and_replaces_a_stale_one() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixStream;
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let url = provider.base_url();
    let file = format!(
        "socket = \"gateway.sock\"\n[upstreams.only]\nbase_url = \"{url}/v1\"\nwire = \"openai-chat\"\n\
         models = [\"scripted-1\"]\n"
    );
    std::fs::write(place.project().join("proxy.toml"), file).unwrap();
    let socket = place.project().join("gateway.sock");
    // Create a socket file like that of a killed process.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let mut command = place.command(&["proxy", "--file", "proxy.toml", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("unix:"), "{line}");
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    let second = place.run(&["proxy", "--file", "proxy.toml"]);
    assert!(text(&second.stderr).contains("another process serves"), "{}", text(&second.stderr));
    let mut stream = UnixStream::connect(&socket).unwrap();
    let body = r#"{"model":"scripted-1","messages":[{"role":"user","content":"hi"}]}"#;
    let length = body.len();
    write!(stream, "POST /v1/chat/completions HTTP/1.0\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("hello"), "{answer}");
    child.kill().unwrap();
    child.wait().unwrap();
    provider.shutdown().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_file_switches_the_cache_the_compression_and_the_policy_on() {
    let (place, provider) = (Place::new(), provider(SCRIPT).await);
    let key = add_client(&place);
    let tables = "[cache]\nseconds = 60\n[log]\nfile = \"requests.jsonl\"\nsample = 1.0\n";
    configure(&place, &provider.base_url(), tables);
    let path = place.project().join("proxy.toml");
    let file = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("compress = true\nlenient = true\n{file}")).unwrap();
    let proxy = Proxy::start(&place);
    for result in ["miss", "hit", "hit"] {
        let answer = proxy.chat(&key, "scripted-1");
        assert!(answer.contains(&format!("x-windlass-cache: {result}")), "{answer}");
    }
    assert_eq!(provider.requests().len(), 1);
    proxy.stop();
    let log = std::fs::read_to_string(place.project().join("requests.jsonl")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines.iter().map(|line| line["cache"].as_str().unwrap()).collect::<Vec<_>>(),
        ["miss", "hit", "hit"]
    );
    assert!(!log.contains(&key));
    provider.shutdown().await;
}
