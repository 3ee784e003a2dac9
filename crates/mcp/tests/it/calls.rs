//! Calls to servers that die, hang, talk nonsense or change (cases MCP-013, 017, 019, faults F64, F66, F67).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_mcp::{ClientOptions, McpClient, McpLimits};
use windlass_protocol::{Arguments, CallId, Payload, ResultStatus};
use windlass_tool::kit::check_tool;
use windlass_tool::{CancellationToken, Context, Output, Progress, ToolError};

use crate::fake::{FakeServer, Say, answer, changed, polite, tool};

pub(crate) fn text(output: &Output) -> String {
    format!("{:?}", output.content)
}

pub(crate) async fn call(client: &McpClient) -> Result<Output, ToolError> {
    call_in(client, &Context::new(CallId::new("c").unwrap())).await
}

async fn call_in(client: &McpClient, ctx: &Context) -> Result<Output, ToolError> {
    let arguments = Arguments::parse(r#"{"a": 12345678901234567890123}"#).unwrap();
    client.tools()[0].call(ctx, &Payload::Function { arguments }).await
}

/// A server with the tool `add` that handles calls with a function of the test.
pub(crate) fn calling(mut calls: impl FnMut(&Value) -> Vec<Say> + Send + 'static) -> Arc<FakeServer> {
    FakeServer::new(move |message| match message["method"].as_str() {
        Some("tools/call") => calls(message),
        _ => polite(message, &json!([tool("add")])),
    })
}

fn said(message: &Value, text: &str) -> Say {
    answer(message, &json!({"content": [{"type": "text", "text": text}]}))
}

#[tokio::test]
async fn a_call_carries_the_models_own_text() {
    let server = calling(|message| vec![said(message, "well")]);
    let client = server.client().await.unwrap();
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::Ok);
    assert!(text(&output).contains("well"));
    let sent = &server.heard_of("tools/call")[0];
    assert_eq!(sent["params"]["name"], "add");
    assert!(sent["params"]["arguments"]["a"].is_number());
    let greeting = &server.heard_of("initialize")[0];
    assert_eq!(greeting["params"]["capabilities"], json!({}), "nothing is offered that was not allowed");
}

#[tokio::test]
async fn a_servers_tool_conforms() {
    let server = calling(|message| vec![said(message, "well")]);
    let client = server.client().await.unwrap();
    let arguments = Arguments::parse(r#"{"a": 1}"#).unwrap();
    let ctx = Context::new(CallId::new("c").unwrap());
    let checked = check_tool(&*client.tools()[0], &ctx, &Payload::Function { arguments }).await;
    assert!(checked.is_ok(), "{}", checked.unwrap_err());
}

// F64: a server that dies during a call gives one result; the call is not repeated, and the server restarts after a
// delay.
#[tokio::test(start_paused = true)]
async fn a_call_is_not_repeated_after_a_crash_and_the_server_restarts() {
    let dies = Arc::new(Mutex::new(true));
    let may = dies.clone();
    let server = calling(
        move |message| {
            if *may.lock().unwrap() { vec![Say::Die] } else { vec![said(message, "back")] }
        },
    );
    let other = calling(|message| vec![said(message, "other")]).client().await.unwrap();
    let client = server.client().await.unwrap();
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::EffectsUnknown);
    assert_eq!(server.heard_of("tools/call").len(), 1);
    let refused = call(&client).await.unwrap_err().to_string();
    assert!(refused.contains("not called") && refused.contains("started again in 500 ms"), "{refused}");
    tokio::time::advance(Duration::from_millis(501)).await;
    assert_eq!(call(&client).await.unwrap().status, ResultStatus::EffectsUnknown);
    assert!(call(&client).await.unwrap_err().to_string().contains("in 1000 ms"), "the wait doubles");
    tokio::time::advance(Duration::from_millis(1_001)).await;
    *dies.lock().unwrap() = false;
    assert!(text(&call(&client).await.unwrap()).contains("back"));
    assert_eq!((server.heard_of("tools/call").len(), *server.lives.lock().unwrap()), (3, 3));
    assert!(text(&call(&other).await.unwrap()).contains("other"));
}

// MCP-017: a server that never answers delays only its own calls.
#[tokio::test(start_paused = true)]
async fn a_server_that_never_initializes_times_out() {
    let server = FakeServer::new(|_| Vec::new());
    let before = tokio::time::Instant::now();
    let error = server.client().await.unwrap_err().to_string();
    assert!(error.contains("was not ready in 10000 ms (limit `start`)"), "{error}");
    assert_eq!(before.elapsed().as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_times_out_or_is_stopped_is_cancelled_at_the_server() {
    let server = calling(|_| Vec::new());
    let client = server.client().await.unwrap();
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::TimedOut);
    assert!(text(&output).contains("limit `call`"));
    let stop = CancellationToken::new();
    let ctx = Context::new(CallId::new("c").unwrap()).with_cancellation(stop.clone());
    let (output, ()) = tokio::join!(call_in(&client, &ctx), async {
        while server.heard_of("tools/call").len() < 2 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    });
    assert_eq!(output.unwrap().status, ResultStatus::Cancelled);
    let dropped = tokio::time::timeout(Duration::from_secs(1), call(&client)).await;
    assert!(dropped.is_err());
    while server.heard_of("notifications/cancelled").len() < 3 {
        tokio::task::yield_now().await;
    }
    let taken_back: Vec<Value> = server
        .heard_of("notifications/cancelled")
        .iter()
        .map(|message| message["params"]["requestId"].clone())
        .collect();
    let asked: Vec<Value> =
        server.heard_of("tools/call").iter().map(|message| message["id"].clone()).collect();
    assert_eq!(taken_back, asked);
    assert!(call_in(&client, &ctx).await.unwrap_err().to_string().contains("nothing was sent"));
}

// MCP-019: ids without a request, sent twice, and of another type.
#[tokio::test]
async fn unexpected_answers_are_only_counted() {
    let server = calling(|message| {
        let other = |id: Value| Say::Message(json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}}));
        let id = &message["id"];
        vec![
            other(json!(999_999)),
            other(json!(id.to_string())),
            other(json!(null)),
            other(json!(-1)),
            Say::Message(json!({"jsonrpc": "2.0", "id": 424_242, "error": {"code": 1, "message": "x"}})),
            said(message, "the right one"),
            said(message, "the wrong one"),
        ]
    });
    let client = server.client().await.unwrap();
    for _ in 0..2 {
        let output = text(&call(&client).await.unwrap());
        assert!(output.contains("the right one"), "{output}");
    }
    // The last duplicate may still be on its way.
    while client.skip_counts().unasked < 12 {
        tokio::task::yield_now().await;
    }
    assert_eq!(client.skip_counts().unasked, 12);
}

// F66: banners, foreign line ends, byte order marks and incomplete messages are skipped and counted.
#[tokio::test]
async fn dirty_lines_are_skipped_and_counted() {
    let banner = b"\xef\xbb\xbfWelcome!\r\n\r\n\x1b[32mready\x1b[0m\r\n{\"jsonrpc\":\"2.0\",\"id\":\n[1,2]\n{}\n\xff\xfe\n";
    let server = FakeServer::with_banner(banner, |message| {
        let mut dirty = Vec::new();
        for say in polite(message, &json!([tool("add")])) {
            dirty.push(Say::Bytes(b"debug: got a message\r\n".to_vec()));
            if let Say::Message(message) = say {
                let mut line = message.to_string().into_bytes();
                let tail = line.split_off(10);
                dirty.push(Say::Bytes([b"\xef\xbb\xbf".to_vec(), line].concat()));
                dirty.push(Say::Bytes([tail, b"\r\n".to_vec()].concat()));
            }
        }
        dirty
    });
    let client = server.client().await.unwrap();
    assert_eq!(call(&client).await.unwrap().status, ResultStatus::Ok);
    assert_eq!(client.skip_counts().lines, 6 + 3);
}

// F66 and MCP-013: a line over the limit is not stored, and its call fails at once.
#[tokio::test]
async fn an_answer_over_the_cap_ends_its_call_with_its_size() {
    let server = calling(|message| vec![said(message, &"x".repeat(100_000)), Say::Bytes(vec![b'y'; 50_000])]);
    let limits = McpLimits { frame_bytes: 10_000, ..McpLimits::default() };
    let client = server.client_of("fake", limits, ClientOptions::default()).await.unwrap();
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::Error);
    let told = text(&output);
    assert!(
        told.contains("exceeds the limit of 10000") && told.contains("xxxx") && told.len() < 12_000,
        "{told}"
    );
    assert_eq!(client.skip_counts().too_long, 1);
}

// F66: the server writes one line of 100 MB in pieces, and the client does not store it.
#[tokio::test]
async fn a_line_of_a_hundred_megabytes_is_skipped() {
    let server = calling(|message| {
        let mut says: Vec<Say> = (0..100).map(|_| Say::Bytes(vec![b'x'; 1_000_000])).collect();
        says.push(Say::Bytes(b"\n".to_vec()));
        says.push(said(message, "well"));
        says
    });
    let client = server.client().await.unwrap();
    assert!(text(&call(&client).await.unwrap()).contains("well"));
    assert_eq!((client.skip_counts().too_long, client.skip_counts().lines), (1, 0));
}

// F67: a thousand notifications cause one new listing, and no call runs under the old definition.
#[tokio::test]
async fn a_changed_tool_does_not_run_under_its_old_definition() {
    let listed = Arc::new(Mutex::new(json!([tool("add")])));
    let lists = listed.clone();
    let server = FakeServer::new(move |message| polite(message, &lists.lock().unwrap()));
    let client = server.client().await.unwrap();
    let old = client.tools().remove(0);
    let payload = Payload::Function { arguments: Arguments::default() };
    let ctx = Context::new(CallId::new("c").unwrap());
    old.call(&ctx, &payload).await.unwrap();
    *listed.lock().unwrap() =
        json!([{"name": "add", "description": "other", "inputSchema": {"type": "object"}}]);
    for _ in 0..1_000 {
        server.say(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await;
    }
    while client.skip_counts().list_changes < 1_000 {
        tokio::task::yield_now().await;
    }
    let refused = old.call(&ctx, &payload).await.unwrap_err().to_string();
    assert!(refused.contains("has changed it") && refused.contains("Nothing was sent"), "{refused}");
    assert_eq!(server.heard_of("tools/call").len(), 1);
    assert_eq!(server.heard_of("tools/list").len(), 2, "one look for a thousand notifications");
    // The tool with the new definition runs, and needs a new approval.
    assert_ne!(client.tools()[0].effects(&payload), old.effects(&payload));
    client.tools()[0].call(&ctx, &payload).await.unwrap();
    *listed.lock().unwrap() = json!([]);
    changed(&server, &client).await;
    let refused = old.call(&ctx, &payload).await.unwrap_err().to_string();
    assert!(refused.contains("not offer it any more"), "{refused}");
}

#[tokio::test]
async fn a_stopped_server_stays_stopped() {
    let server = calling(|message| vec![said(message, "well")]);
    let client = server.client().await.unwrap();
    client.stop().await;
    assert!(call(&client).await.unwrap_err().to_string().contains("was stopped"));
    assert_eq!(*server.lives.lock().unwrap(), 1);
}

// A caller must not wait for a server that was removed.
#[tokio::test]
async fn a_running_call_ends_when_its_client_is_stopped() {
    let server = calling(|_| Vec::new());
    let client = server.client().await.unwrap();
    let caller = client.clone();
    let running = tokio::spawn(async move { call(&caller).await });
    while server.heard_of("tools/call").is_empty() {
        tokio::task::yield_now().await;
    }
    client.stop().await;
    let output = tokio::time::timeout(Duration::from_secs(5), running).await.unwrap().unwrap().unwrap();
    assert_eq!(output.status, ResultStatus::EffectsUnknown, "{}", text(&output));
}

#[tokio::test(start_paused = true)]
async fn a_start_ends_when_its_client_is_stopped() {
    let is_dead = Arc::new(Mutex::new(false));
    let was_dead = is_dead.clone();
    let server = FakeServer::new(move |message| match message["method"].as_str() {
        Some("tools/call") => {
            *was_dead.lock().unwrap() = true;
            vec![Say::Die]
        }
        // The second start is never answered.
        Some("initialize") if *was_dead.lock().unwrap() => Vec::new(),
        _ => polite(message, &json!([tool("add")])),
    });
    let client = server.client().await.unwrap();
    assert_eq!(call(&client).await.unwrap().status, ResultStatus::EffectsUnknown);
    // The next call notices the end, and the server is started again after a wait.
    assert!(call(&client).await.is_err());
    tokio::time::sleep(Duration::from_mins(1)).await;
    let caller = client.clone();
    let starting = tokio::spawn(async move { call(&caller).await });
    for _ in 0..1_000 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(server.heard_of("initialize").len(), 2);
    client.stop().await;
    let refused = starting.await.unwrap().unwrap_err().to_string();
    assert!(refused.contains("was stopped"), "{refused}");
}

#[tokio::test]
async fn a_call_for_another_server_is_refused_by_its_raw_name() {
    let client = calling(|message| vec![said(message, "well")]).client().await.unwrap();
    let ctx = Context::new(CallId::new("c").unwrap());
    for (server, tool, is_sent) in [("fake", "add", true), ("other", "add", false), ("fake", "sub", false)] {
        let payload =
            Payload::Mcp { server: server.into(), tool: tool.into(), arguments: Arguments::default() };
        assert_eq!(client.tools()[0].call(&ctx, &payload).await.is_ok(), is_sent, "{server}/{tool}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // Any bytes of a server during a call: no panic, one result, and a server that accepts further calls.
    #[test]
    fn any_bytes_in_a_call_end_in_one_result(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\":,\n01id".to_vec())], 0..2_000),
        ends in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let server = calling(move |_| {
                let mut says = vec![Say::Bytes(bytes.clone()), Say::Bytes(b"\n".to_vec())];
                says.extend(ends.then_some(Say::Die));
                says
            });
            let limits = McpLimits { frame_bytes: 1_000, ..McpLimits::default() };
            let client = server.client_of("fake", limits, ClientOptions::default()).await.unwrap();
            let output = call(&client).await.unwrap();
            assert_ne!(output.status, ResultStatus::Ok);
        });
    }

    // Like the test above in the first messages: an error, not a panic.
    #[test]
    fn any_bytes_at_the_start_end_in_an_error(
        bytes in prop::collection::vec(any::<u8>(), 0..500),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let server = FakeServer::new(move |message| {
                let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":", message["id"]).into_bytes();
                vec![Say::Bytes([head, bytes.clone(), b"}\n".to_vec()].concat()), Say::Die]
            });
            assert!(server.client().await.is_err());
        });
    }
}

// M2: progress messages extend a call's time, and are shown.
#[tokio::test(start_paused = true)]
async fn progress_extends_the_time_of_a_call_and_is_reported() {
    let call_of: Arc<Mutex<Value>> = Arc::default();
    let seen = call_of.clone();
    let server = calling(move |message| {
        *seen.lock().unwrap() = message.clone();
        Vec::new()
    });
    let client = server.client().await.unwrap();
    let notes: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let told = notes.clone();
    let ctx = Context::new(CallId::new("c").unwrap())
        .with_progress(move |progress| told.lock().unwrap().push(progress));
    let says = server.clone();
    let working = async {
        while call_of.lock().unwrap().is_null() {
            tokio::task::yield_now().await;
        }
        let token = call_of.lock().unwrap()["params"]["_meta"]["progressToken"].clone();
        for done in 1..=3 {
            // The call takes longer than its limit, with a progress message before each limit.
            tokio::time::sleep(Duration::from_secs(100)).await;
            says.say(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params":
                {"progressToken": token, "progress": done, "total": 3, "message": "half\u{1b}[2K"}}))
                .await;
        }
        let id = call_of.lock().unwrap()["id"].clone();
        says.say(json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}})).await;
    };
    let (output, ()) = tokio::join!(call_in(&client, &ctx), working);
    assert_eq!(output.unwrap().status, ResultStatus::Ok);
    let notes = notes.lock().unwrap();
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert_eq!(notes[0], Progress::Note(r"1 of 3: half\u{1b}[2K".into()));
}

// A server that only reports progress is cancelled all the same.
#[tokio::test(start_paused = true)]
async fn progress_extends_the_time_only_up_to_a_limit() {
    let call_of: Arc<Mutex<Value>> = Arc::default();
    let seen = call_of.clone();
    let server = calling(move |message| {
        *seen.lock().unwrap() = message.clone();
        Vec::new()
    });
    let limits = McpLimits { call: Duration::from_secs(2), ..McpLimits::default() };
    let client = server.client_of("fake", limits, ClientOptions::default()).await.unwrap();
    let says = server.clone();
    let endless = async {
        while call_of.lock().unwrap().is_null() {
            tokio::task::yield_now().await;
        }
        let token = call_of.lock().unwrap()["params"]["_meta"]["progressToken"].clone();
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            says.say(json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": 1}}))
                .await;
        }
    };
    let before = tokio::time::Instant::now();
    let output = tokio::select! {
        output = call(&client) => output.unwrap(),
        () = endless => unreachable!(),
    };
    assert_eq!(output.status, ResultStatus::TimedOut);
    assert_eq!(before.elapsed().as_secs(), 60, "thirty times the limit");
}

#[tokio::test]
async fn logs_of_a_server_are_bounded_clean_and_redacted() {
    let redactor = windlass_redact::Redactor::new([secrecy::SecretString::from("hunter2-hunter2")]);
    let server = calling(|message| vec![said(message, "well")]);
    let options = ClientOptions::default().with_redactor(redactor);
    let client = server.client_of("fake", McpLimits::default(), options).await.unwrap();
    for number in 0..300 {
        let data = format!("{number} key=hunter2-hunter2 \u{1b}[2K {}", "x".repeat(5_000));
        server
            .say(json!({"jsonrpc": "2.0", "method": "notifications/message",
                "params": {"level": "warning", "logger": "db", "data": data}}))
            .await;
    }
    while !client.log().last().is_some_and(|line| line.text.contains("db: 299")) {
        tokio::task::yield_now().await;
    }
    let log = client.log();
    assert!(log.len() <= 200, "{}", log.len());
    for line in &log {
        assert_eq!(line.level, "warning");
        assert!(line.text.len() < 2_100 && !line.text.contains("hunter2") && !line.text.contains('\u{1b}'));
    }
}
