//! The `web_fetch` cases of the attack catalogue, run as they are against a fake web and a loopback server.
//!
//! The policy here is the shortest one that uses the tool's effects as they are meant: a rule names a host and a
//! port, everything else asks. The catalogue is a file outside the project, read in its place.
#![expect(clippy::disallowed_methods, reason = "the catalogue is a file outside the project")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use windlass_protocol::{Arguments, Effect, Payload, ResultStatus};
use windlass_testkit::{Need, corpora, require};
use windlass_tool::Tool;
use windlass_tools_web::{WebFetch, WebLimits, WebUrl};

use crate::fake::{FakeWeb, FetchWeb as _};
use crate::server::{Server, Step, answer, path};
use crate::tool::call;

/// The secret in the URLs of cases that try to send one.
const SECRET: &str = "sk-not-a-real-secret";

/// The actions of the case's server, and the second host that it redirects to.
async fn servers() -> (Server, Server) {
    let second = Server::saying(answer("200 OK", "content-type: text/plain\r\n", b"second")).await;
    let there = second.url("/");
    let first = Server::start(move |head| {
        let path = path(head);
        let redirect = |to: &str| answer("302 Found", &format!("location: {to}\r\nset-cookie: a=b\r\n"), b"");
        if let Some(to) = path.strip_prefix("/redir?to=") {
            vec![Step::Send(redirect(to))]
        } else if path == "/redir_auth" {
            vec![Step::Send(redirect(&there))]
        } else if path.starts_with("/slow") {
            let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n".to_vec();
            vec![Step::Send(head), Step::Drip(Duration::from_secs(1))]
        } else {
            vec![Step::Send(answer("404 Not Found", "", b""))]
        }
    })
    .await;
    (first, second)
}

fn list<'a>(setups: &'a Value, name: &str, key: &str) -> Vec<&'a Value> {
    let setup = &setups[name];
    let mut found = setup["extends"].as_str().map(|base| list(setups, base, key)).unwrap_or_default();
    found.extend(setup[key].as_array().into_iter().flatten());
    found
}

/// Returns true if a rule of the setup allows the effect.
fn is_allowed(setups: &Value, setup: &str, effect: &Effect, place: &str) -> bool {
    list(setups, setup, "rules").into_iter().filter(|rule| rule[0] == "allow" && rule[1] == "web_fetch").any(
        |rule| {
            let pattern = rule[2].as_str().unwrap().replace("@LOOP@", place);
            let Ok(url) = WebUrl::parse(pattern.trim_end_matches("**")) else { return pattern == "*" };
            *effect == Effect::Connect { host: url.host().to_owned(), port: url.port() }
        },
    )
}

/// The setup's names; all other names resolve to a public address without a server.
fn web(setups: &Value, setup: &str) -> FakeWeb {
    let mut web = FakeWeb::open();
    for (name, answers) in setups[setup]["dns"].as_object().into_iter().flatten() {
        let answers: Vec<Vec<&str>> = serde::Deserialize::deserialize(answers).unwrap();
        let answers: Vec<&[&str]> = answers.iter().map(Vec::as_slice).collect();
        web = web.with_name(name, &answers);
    }
    web
}

/// Runs one case. Returns the reason if it fails.
async fn run(case: &Value, setups: &Value) -> Result<(), String> {
    let (server, second) = servers().await;
    let place = server.address.to_string();
    let url = case["input"]["url"].as_str().unwrap().replace("@LOOP@", &place).replace("@SECRET@", SECRET);
    let setup = case["setup"].as_str().unwrap();
    let web = web(setups, setup);
    let mut fetch = web.fetch().with_limits(WebLimits::default().with_total(Duration::from_secs(2)));
    if setup == "P-fetch-loop" {
        fetch = fetch.with_reachable("127.0.0.1", server.address.port()).unwrap();
    }
    let tool = WebFetch::new(Arc::new(fetch));
    let input = json!({"url": url});
    let payload = Payload::Function { arguments: Arguments::parse(input.to_string()).unwrap() };
    let effects = tool.effects(&payload);
    let is_unreadable = effects == [Effect::Unknown];
    let began = Instant::now();
    // Run a call with unknown effects too, because a human could approve it by mistake: the tool itself must refuse
    // it.
    let runs = is_unreadable || effects.iter().all(|effect| is_allowed(setups, setup, effect, &place));
    let (outcomes, text): (&[&str], String) = if runs && case["mode"] == "execute" {
        match call(&tool, &input).await {
            (ResultStatus::Ok, text) => (&["allow", "contained"], text),
            (_, text) => (&["error"], text),
        }
    } else {
        (
            &["ask"],
            format!("{} {effects:?}", WebUrl::parse(&url).map_or(String::new(), |url| url.to_string())),
        )
    };
    let accepted = case["accept"].as_array().unwrap();
    if !accepted.iter().any(|accepted| outcomes.contains(&accepted.as_str().unwrap())) {
        return Err(format!("{outcomes:?}: {text}"));
    }
    for (key, value) in case["assert"].as_object().unwrap() {
        let holds = match key.as_str() {
            "dials" => web.dials().len() as u64 == value.as_u64().unwrap(),
            "dials_to_private" => web.hidden_dials().len() as u64 == value.as_u64().unwrap(),
            "dials_to_private_after_first" => web.hidden_dials() == [server.address],
            "result_lacks" => !text.contains(value.as_str().unwrap()),
            "wall_s_max" => began.elapsed().as_secs() < value.as_u64().unwrap(),
            "second_host_saw_auth" => second.requests().is_empty(),
            // The shown URL is the requested one, in ASCII.
            "prompt_excludes_bytes" | "prompt_excludes_cp" => {
                text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
            }
            unknown => return Err(format!("nothing is known of the assertion {unknown}")),
        };
        if !holds {
            return Err(format!("{key} {value}: dialled {:?}, {text}", web.dials()));
        }
    }
    Ok(())
}

#[tokio::test]
async fn each_attack_of_the_catalogue_ends_as_expected() {
    let catalogue = require!(Need::Attacks, corpora::find_attacks("attacks.json"));
    let text = std::fs::read_to_string(catalogue).unwrap();
    let catalogue: Value = serde_json::from_str(&text).unwrap();
    let cases = catalogue["attacks"].as_array().unwrap().iter().filter(|case| case["tool"] == "web_fetch");
    let (mut passed, mut failed) = (0, Vec::new());
    for case in cases {
        match run(case, &catalogue["setups"]).await {
            Ok(()) => passed += 1,
            Err(reason) => failed.push(format!("{}: {reason}", case["id"])),
        }
    }
    println!("{passed} passed, {} failed", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(passed >= 31, "the catalogue has more cases than these {passed}");
}
