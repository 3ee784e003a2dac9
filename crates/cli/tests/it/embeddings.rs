//! `codebase_search` with an endpoint for embeddings on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::Output;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::program::{Place, text};

/// An endpoint for embeddings that ranks texts with the word `right` highest; it ends with the test's process.
struct Endpoint {
    address: SocketAddr,
    /// The head and the body of each request.
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Endpoint {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, asked) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<_>>>::default());
        let seen = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let (mut head, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    if stream.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
                        break;
                    }
                    length = line
                        .strip_prefix("content-length: ")
                        .map_or(length, |line| line.trim().parse().unwrap());
                    head.push_str(&line);
                }
                let mut body = vec![0; length];
                stream.read_exact(&mut body).unwrap();
                let body: Value = serde_json::from_slice(&body).unwrap();
                let vector = |text: &Value| {
                    let is_right = text.as_str().unwrap().contains("right");
                    json!({"embedding": if is_right { [1, 0] } else { [1, 3] }})
                };
                let data: Vec<Value> = body["input"].as_array().unwrap().iter().map(vector).collect();
                let answer = json!({"data": data}).to_string();
                let head_out = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", answer.len());
                seen.lock().unwrap().push((head, body));
                stream.get_mut().write_all((head_out + &answer).as_bytes()).unwrap();
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap().clone()
    }
}

fn place() -> Place {
    let place = Place::new();
    for number in 0..4 {
        let code = format!("def pour_{number}(walrus):\n    return walrus\n");
        std::fs::write(place.project().join(format!("p{number}.py")), code).unwrap();
    }
    std::fs::write(place.project().join("r.py"), "def right():\n    return [1, 2, 3, 4, 5, 'walrus']\n")
        .unwrap();
    std::fs::write(place.project().join(".env"), "A_SECRET=planted-secret-0001\n").unwrap();
    std::fs::write(place.project().join("s.py"), "walrus = 'planted-secret-0001'\n").unwrap();
    place
}

fn search(place: &Place, url: &str, more: &[&str]) -> Output {
    let mut words =
        vec!["tool", "call", "codebase_search", r#"{"query":"right walrus"}"#, "--embeddings", url];
    words.extend(["--embeddings-model", "small"]);
    words.extend(more);
    place.command(&words).env("WINDLASS_EMBEDDINGS_KEY", "planted-key-0002").output().unwrap()
}

#[test]
fn a_search_asks_the_endpoint_that_the_user_named_once_policy_lets_it() {
    let (place, endpoint) = (place(), Endpoint::start());
    let url = format!("http://{}/v1", endpoint.address);
    let refused = search(&place, &url, &[]);
    let told = text(&refused.stderr);
    assert!(!refused.status.success() && told.contains("opening a connection needs approval"), "{told}");
    assert_eq!(endpoint.asked().len(), 0);
    for (requests, texts) in [(1, 7), (2, 1)] {
        let output = search(&place, &url, &["--yes"]);
        let told = text(&output.stdout);
        let sent =
            format!("ranked by words and by small at 127.0.0.1, which was sent {} passages]", texts - 1);
        assert!(output.status.success() && told.contains(&sent), "{told}{}", text(&output.stderr));
        assert!(told.lines().nth(1).unwrap().starts_with("r.py:"), "{told}");
        let asked = endpoint.asked();
        let (head, body) = asked.last().unwrap();
        assert_eq!((asked.len(), body["input"].as_array().unwrap().len()), (requests, texts), "{body}");
        assert!(head.contains("authorization: Bearer planted-key-0002\r\n"), "{head}");
        assert!(!body.to_string().contains("planted") && !told.contains("planted"), "{body}{told}");
    }
}

#[test]
fn without_embeddings_bm25_ranks_and_the_reason_is_reported() {
    let place = place();
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let output = search(&place, &format!("http://{address}"), &["--yes"]);
    let told = text(&output.stdout);
    let first = told.lines().next().unwrap();
    assert!(output.status.success() && first.contains("so the order is BM25's"), "{told}");
    assert!(first.contains("small at 127.0.0.1: the embeddings endpoint could not be reached"), "{told}");
    assert!(!told.contains("planted"), "{told}");
}

#[test]
fn incomplete_or_invalid_endpoint_options_are_refused() {
    let place = place();
    for (words, said) in [
        (vec!["--embeddings", "http://localhost:1/v1"], "--embeddings-model"),
        (vec!["--embeddings-model", "small"], "--embeddings <URL>"),
        (
            vec!["--embeddings", "ftp://x", "--embeddings-model", "small"],
            "the endpoint for embeddings is invalid",
        ),
        (
            vec!["--embeddings", "http://a:b@x", "--embeddings-model", "small"],
            "the endpoint for embeddings is invalid",
        ),
    ] {
        let output =
            place.run(&[&["tool", "call", "codebase_search", r#"{"query":"a"}"#], &words[..]].concat());
        let told = text(&output.stderr);
        assert!(!output.status.success() && told.contains(said), "{words:?}: {told}");
    }
}
