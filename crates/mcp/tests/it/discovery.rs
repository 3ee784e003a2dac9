//! Connections that begin with `server/discover` (2026-07-28), and the way back to `initialize`.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_mcp::{ClientOptions, Lifecycle, McpClient, McpLimits, McpServer, StartError};
use windlass_protocol::ResultStatus;

use crate::calls::{call, text};
use crate::fake::{self, FakeServer, Say, answer, refusal, tool};
use crate::web::{self, Reply, WebServer, json_of, result, status};

/// The result of `server/discover` of a server named `fake`.
pub(crate) fn discovered(versions: &Value) -> Value {
    json!({"resultType": "complete", "supportedVersions": versions, "ttlMs": 0, "cacheScope": "private",
        "capabilities": {"tools": {"listChanged": true}}, "_meta": identity("fake")})
}

pub(crate) fn identity(name: &str) -> Value {
    json!({"io.modelcontextprotocol/serverInfo": {"name": name, "version": "1"}})
}

/// The answers of a server of 2026-07-28 with the tool `add`, that knows no `initialize`.
pub(crate) fn stateless(message: &Value) -> Vec<Say> {
    stateless_list(message, &json!(600_000))
}

fn stateless_list(message: &Value, ttl: &Value) -> Vec<Say> {
    let result = match message["method"].as_str() {
        Some("server/discover") => discovered(&json!(["2026-07-28"])),
        Some("tools/list") => {
            json!({"resultType": "complete", "ttlMs": ttl, "cacheScope": "private", "tools": [tool("add")]})
        }
        Some("tools/call") => {
            json!({"resultType": "complete", "content": [{"type": "text", "text": "done"}]})
        }
        Some("subscriptions/listen") => return vec![acknowledge(message)],
        Some(_) if message.get("id").is_some() => return vec![refusal(message, -32601)],
        _ => return Vec::new(),
    };
    vec![answer(message, &result)]
}

fn acknowledge(message: &Value) -> Say {
    Say::Message(json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
        "notifications": {"toolsListChanged": true},
        "_meta": {"io.modelcontextprotocol/subscriptionId": message["id"]}}}))
}

async fn client_with(server: &Arc<FakeServer>, lifecycle: Lifecycle) -> Result<McpClient, StartError> {
    let configured = McpServer::new("fake", "no program").unwrap().with_lifecycle(lifecycle);
    McpClient::connect(configured, server.clone(), ClientOptions::default()).await
}

#[tokio::test]
async fn a_server_without_initialize_is_used() {
    let server = FakeServer::stateless(stateless);
    let client = server.client().await.unwrap();
    assert_eq!(client.protocol_version().as_deref(), Some("2026-07-28"));
    let output = call(&client).await.unwrap();
    assert_eq!(output.status, ResultStatus::Ok, "{}", text(&output));
    assert!(server.heard_of("initialize").is_empty());
    for method in ["server/discover", "tools/list", "tools/call"] {
        let meta = &server.heard_of(method)[0]["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28", "{method}");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "windlass", "{method}");
    }
    let sent = &server.heard_of("tools/call")[0];
    assert!(sent["params"]["arguments"]["a"].is_number());
}

#[tokio::test]
async fn an_older_server_gets_initialize_on_the_same_connection() {
    let server = fake::with_tools(json!([tool("add")]));
    let client = server.client().await.unwrap();
    assert_eq!(client.protocol_version().as_deref(), Some("2025-06-18"));
    assert_eq!(*server.lives.lock().unwrap(), 1);
    assert_eq!(server.heard_of("initialize")[0]["params"]["protocolVersion"], "2025-11-25");
    assert!(
        server.heard_of("tools/list")[0]["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"]
            .is_null()
    );
    assert_eq!(call(&client).await.unwrap().status, ResultStatus::Ok);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_discovery_costs_a_third_of_the_start() {
    let server = FakeServer::stateless(|message| {
        if message["method"] == "server/discover" {
            Vec::new()
        } else {
            fake::polite(message, &json!([tool("add")]))
        }
    });
    let begin = tokio::time::Instant::now();
    let client = server.client().await.unwrap();
    let taken = begin.elapsed();
    assert_eq!(client.protocol_version().as_deref(), Some("2025-06-18"));
    assert!(taken >= Duration::from_secs(3) && taken < Duration::from_secs(4), "{taken:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_starts_slower_than_the_probe_is_started_again_with_discovery() {
    let is_slow = Mutex::new(true);
    let server = FakeServer::stateless(move |message| match message["method"].as_str() {
        Some("server/discover") if std::mem::take(&mut *is_slow.lock().unwrap()) => Vec::new(),
        Some("initialize") => vec![refusal(message, -32022)],
        _ => stateless(message),
    });
    let client = server.client().await.unwrap();
    assert_eq!(client.protocol_version().as_deref(), Some("2026-07-28"));
    assert_eq!((*server.lives.lock().unwrap(), server.heard_of("initialize").len()), (2, 1));
    assert_eq!(call(&client).await.unwrap().status, ResultStatus::Ok);
}

#[tokio::test]
async fn a_server_that_ends_at_discovery_is_started_again_with_initialize() {
    let server = FakeServer::stateless(|message| {
        if message["method"] == "server/discover" {
            vec![Say::Die]
        } else {
            fake::polite(message, &json!([tool("add")]))
        }
    });
    let client = server.client().await.unwrap();
    assert_eq!(client.protocol_version().as_deref(), Some("2025-06-18"));
    assert_eq!(*server.lives.lock().unwrap(), 2);
}

#[tokio::test]
async fn a_server_that_discovers_older_versions_only_gets_initialize() {
    let server = FakeServer::stateless(|message| match message["method"].as_str() {
        Some("server/discover") => vec![answer(message, &discovered(&json!(["2025-06-18", "2025-11-25"])))],
        _ => fake::polite(message, &json!([tool("add")])),
    });
    let client = server.client().await.unwrap();
    assert_eq!(client.protocol_version().as_deref(), Some("2025-06-18"));
}

#[tokio::test]
async fn an_empty_result_is_not_a_discovery() {
    let server = FakeServer::stateless(|message| match message["method"].as_str() {
        Some("server/discover") => vec![answer(message, &json!({}))],
        _ => fake::polite(message, &json!([tool("add")])),
    });
    assert_eq!(server.client().await.unwrap().protocol_version().as_deref(), Some("2025-06-18"));
}

#[tokio::test]
async fn each_lifecycle_can_be_forced() {
    let server = FakeServer::stateless(|message| match message["method"].as_str() {
        Some("initialize") => fake::polite(message, &json!([tool("add")])),
        _ => stateless(message),
    });
    let client = client_with(&server, Lifecycle::Initialize).await.unwrap();
    assert_eq!(client.protocol_version().as_deref(), Some("2025-06-18"));
    assert!(server.heard_of("server/discover").is_empty());
    let client = client_with(&server, Lifecycle::Discover).await.unwrap();
    assert_eq!(client.protocol_version().as_deref(), Some("2026-07-28"));
    let old = fake::with_tools(json!([tool("add")]));
    let refused = client_with(&old, Lifecycle::Discover).await.unwrap_err().to_string();
    assert!(refused.contains("-32601") && old.heard_of("initialize").is_empty(), "{refused}");
}

// Downgrades and invalid values in the first answer are refused.
#[tokio::test]
async fn a_first_answer_that_is_not_valid_ends_the_start() {
    for (result, part) in [
        (json!({"resultType": "input_required", "supportedVersions": ["2026-07-28"]}), "not valid"),
        (json!({"resultType": "task", "supportedVersions": ["2026-07-28"]}), "not valid"),
        (json!({"resultType": "complete"}), "not valid"),
        (json!({"tools": []}), "not valid"),
        (discovered(&json!(["2031-01-01\u{1b}[2K"])), r"2031-01-01\u{1b}"),
    ] {
        let server = FakeServer::stateless(move |message| match message["method"].as_str() {
            Some("server/discover") => vec![answer(message, &result)],
            _ => Vec::new(),
        });
        let refused = server.client().await.unwrap_err().to_string();
        assert!(refused.contains(part) && !refused.contains('\u{1b}'), "{refused}");
    }
    // An answer to `initialize` cannot select a version that has no `initialize`.
    let server = FakeServer::new(|message| match message["method"].as_str() {
        Some("initialize") => vec![answer(message, &json!({"protocolVersion": "2026-07-28"}))],
        _ => stateless(message),
    });
    let refused = server.client().await.unwrap_err().to_string();
    assert!(refused.contains("which has no initialize"), "{refused}");
}

#[tokio::test]
async fn small_discovery_results_are_completed() {
    let server = FakeServer::stateless(|message| match message["method"].as_str() {
        Some("server/discover") => {
            let many: Vec<String> = (0..10_000).map(|n| format!("v{n}")).collect();
            let versions: Vec<Value> =
                [json!("2026-07-28")].into_iter().chain(many.into_iter().map(Value::from)).collect();
            vec![answer(message, &json!({"supportedVersions": versions, "ttlMs": -5}))]
        }
        _ => stateless(message),
    });
    assert_eq!(server.client().await.unwrap().protocol_version().as_deref(), Some("2026-07-28"));
}

#[tokio::test]
async fn servers_cannot_send_requests_after_discovery() {
    let server = FakeServer::stateless(stateless);
    let client = server.client().await.unwrap();
    for method in ["elicitation/create", "sampling/createMessage", "roots/list", "ping"] {
        server.say(json!({"jsonrpc": "2.0", "id": method, "method": method, "params": {}})).await;
    }
    while server.heard.lock().unwrap().iter().filter(|said| said["error"]["code"] == -32601).count() < 4 {
        tokio::task::yield_now().await;
    }
    assert_eq!(client.skip_counts().refused, 4);
}

#[tokio::test]
async fn list_changes_arrive_through_a_subscription() {
    let server = FakeServer::stateless(stateless);
    let client = server.client().await.unwrap();
    while server.heard_of("subscriptions/listen").is_empty() {
        tokio::task::yield_now().await;
    }
    let sent = server.heard_of("subscriptions/listen")[0].clone();
    assert_eq!(sent["params"]["notifications"], json!({"toolsListChanged": true}));
    server
        .say(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed",
            "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": sent["id"]}}}))
        .await;
    while client.skip_counts().list_changes == 0 {
        tokio::task::yield_now().await;
    }
    client.refresh().await.unwrap();
    assert_eq!(server.heard_of("tools/list").len(), 2);
}

// A server that ends each subscription at once cannot make the client list in a loop.
#[tokio::test(start_paused = true)]
async fn subscriptions_that_end_at_once_are_opened_ever_more_rarely() {
    let server = FakeServer::stateless(|message| match message["method"].as_str() {
        Some("subscriptions/listen") => vec![
            acknowledge(message),
            answer(
                message,
                &json!({"resultType": "complete",
                "_meta": {"io.modelcontextprotocol/subscriptionId": message["id"]}}),
            ),
        ],
        _ => stateless(message),
    });
    let _client = server.client().await.unwrap();
    tokio::time::sleep(Duration::from_mins(10)).await;
    let count = server.heard_of("subscriptions/listen").len();
    assert!((5..=12).contains(&count), "{count}");
}

/// Returns the number of list requests to a server whose lists have a time to live, if the list is used once per
/// second.
async fn lists(ttl: Value, seconds: u64) -> usize {
    let server = FakeServer::stateless(move |message| stateless_list(message, &ttl));
    let client = server.client().await.unwrap();
    for _ in 0..seconds {
        tokio::time::advance(Duration::from_secs(1)).await;
        client.refresh().await.unwrap();
    }
    server.heard_of("tools/list").len()
}

#[tokio::test(start_paused = true)]
async fn lists_are_requested_again_after_their_time_with_bounds() {
    assert_eq!(lists(json!(90_000), 200).await, 3, "at 90 and 180 seconds");
    for short in [json!(0), json!(1), json!(-7)] {
        assert_eq!(lists(short, 130).await, 3, "at most once a minute");
    }
    for none in [json!(null), json!("soon"), json!(1.5), json!([0])] {
        assert_eq!(lists(none, 130).await, 1, "no time, so no end of it");
    }
    assert_eq!(lists(json!(u64::MAX), 130).await, 1);
}

#[tokio::test]
async fn older_servers_do_not_limit_the_age_of_a_list() {
    let server = FakeServer::new(|message| match message["method"].as_str() {
        Some("tools/list") => vec![answer(message, &json!({"tools": [tool("add")], "ttlMs": 0}))],
        _ => fake::polite(message, &json!([])),
    });
    let client = server.client().await.unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_mins(5)).await;
    client.refresh().await.unwrap();
    assert_eq!(server.heard_of("tools/list").len(), 1);
}

#[tokio::test]
async fn only_a_valid_traceparent_is_sent() {
    let trace = Arc::new(Mutex::new(None));
    let source = trace.clone();
    let options = ClientOptions::default().with_trace(move || source.lock().unwrap().clone());
    let server = FakeServer::stateless(stateless);
    let client = server.client_of("fake", McpLimits::default(), options).await.unwrap();
    for (given, is_sent) in [
        (None, false),
        (Some("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"), true),
        (Some("00-00000000000000000000000000000000-00f067aa0ba902b7-01"), false),
        (Some("00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01"), false),
        (Some("a secret"), false),
    ] {
        *trace.lock().unwrap() = given.map(str::to_owned);
        call(&client).await.unwrap();
        let sent = server.heard_of("tools/call").pop().unwrap()["params"]["_meta"]["traceparent"].clone();
        assert_eq!(sent.as_str(), given.filter(|_| is_sent));
    }
}

/// The answers of an HTTP server of 2026-07-28.
fn stateless_web(heard: &web::Heard) -> Reply {
    match heard.asks() {
        "server/discover" => json_of(&result(heard, &discovered(&json!(["2026-07-28"])))),
        "tools/list" => json_of(&result(heard, &json!({"resultType": "complete", "tools": [tool("add")]}))),
        "tools/call" => json_of(&result(heard, &json!({"resultType": "complete", "content": []}))),
        _ => error(heard, 404, -32601),
    }
}

/// A JSON-RPC error as the body of an HTTP error.
fn error(heard: &web::Heard, status: u16, code: i32) -> Reply {
    let body = json!({"jsonrpc": "2.0", "id": heard.body["id"], "error": {"code": code, "message": "no"}});
    let headers = vec![("content-type", "application/json".to_owned())];
    Reply::Whole { status, headers, body: body.to_string() }
}

async fn web_client(web: &WebServer) -> Result<McpClient, StartError> {
    McpClient::start(McpServer::http("web", &web.url).unwrap(), ClientOptions::default()).await
}

#[tokio::test]
async fn http_requests_carry_the_version_and_no_session_id() {
    let web = WebServer::start(stateless_web).await;
    let client = web_client(&web).await.unwrap();
    assert_eq!(client.protocol_version().as_deref(), Some("2026-07-28"));
    call(&client).await.unwrap();
    let resources = client.list_resources().await.unwrap();
    assert!(resources.is_empty(), "a JSON-RPC error in an HTTP error is read");
    for heard in web.heard() {
        assert_eq!((heard.method.as_str(), heard.header("mcp-session-id")), ("POST", ""), "{heard:?}");
        assert_eq!(heard.header("mcp-protocol-version"), "2026-07-28");
        assert_eq!(heard.header("mcp-method"), heard.asks());
    }
    assert_eq!(web.heard_of("tools/call")[0].header("mcp-name"), "add");
}

#[tokio::test]
async fn over_http_every_discovery_refusal_falls_back_to_initialize() {
    let refusals: Vec<fn(&web::Heard) -> Reply> = vec![
        |_| status(202),
        |_| status(400),
        |_| status(404),
        |_| status(405),
        |_| status(500),
        |heard| error(heard, 400, -32000),
        |heard| error(heard, 200, -32601),
        |_| Reply::Whole {
            status: 400,
            headers: vec![("content-type", "application/json".to_owned())],
            body: r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no session"}}"#
                .to_owned(),
        },
        |_| Reply::Whole {
            status: 200,
            headers: vec![("content-type", "text/html".to_owned())],
            body: "<p>".to_owned(),
        },
        |_| Reply::Whole {
            status: 200,
            headers: vec![("content-type", "application/json".to_owned())],
            body: "hello".to_owned(),
        },
    ];
    for (n, refuse) in refusals.into_iter().enumerate() {
        let web = WebServer::start(move |heard| {
            if heard.asks() == "server/discover" { refuse(heard) } else { web::polite(heard, "s-1") }
        })
        .await;
        let client = web_client(&web).await.unwrap_or_else(|error| panic!("{n}: {error}"));
        assert_eq!(client.protocol_version().as_deref(), Some("2025-06-18"), "{n}");
        assert_eq!(web.heard_of("tools/list")[0].header("mcp-session-id"), "s-1", "{n}");
        assert_eq!(call(&client).await.unwrap().status, ResultStatus::Ok, "{n}");
    }
}

#[tokio::test]
async fn over_http_an_unsupported_version_in_an_error_leads_to_initialize() {
    let web = WebServer::start(|heard| match heard.asks() {
        "server/discover" => Reply::Whole {
            status: 400,
            headers: vec![("content-type", "application/json".to_owned())],
            body: json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32022, "message": "version",
                "data": {"supported": ["2025-06-18"], "requested": "2026-07-28"}}})
            .to_string(),
        },
        _ => web::polite(heard, "s-1"),
    })
    .await;
    assert_eq!(web_client(&web).await.unwrap().protocol_version().as_deref(), Some("2025-06-18"));
}

#[tokio::test]
async fn over_http_a_sign_in_is_not_mistaken_for_an_older_server() {
    let web = WebServer::start(|_| Reply::Whole {
        status: 401,
        headers: vec![("www-authenticate", "Bearer realm=\"x\"".to_owned())],
        body: String::new(),
    })
    .await;
    assert!(matches!(web_client(&web).await, Err(StartError::SignIn { .. })));
    assert_eq!(web.heard().len(), 1);
}

/// A tool whose argument `a` is requested as a header of this name.
fn routed(name: &str, header: &str) -> Value {
    json!({"name": name, "description": "", "inputSchema": {"type": "object", "properties": {
        "a": {"type": "integer", "x-mcp-header": header}}}})
}

#[tokio::test]
async fn over_http_annotated_arguments_are_headers_too() {
    let web = WebServer::start(|heard| match heard.asks() {
        "tools/list" => {
            let tools = json!([routed("add", "Amount"), routed("bad", "Authorization: x")]);
            json_of(&result(heard, &json!({"resultType": "complete", "tools": tools})))
        }
        _ => stateless_web(heard),
    })
    .await;
    let client = web_client(&web).await.unwrap();
    assert_eq!(client.tools().len(), 1);
    let refused = client.list_refused_tools();
    assert!(refused[0].name == "bad" && refused[0].why.contains("not a valid name"), "{refused:?}");
    call(&client).await.unwrap();
    assert_eq!(web.heard_of("tools/call")[0].header("mcp-param-amount"), "12345678901234567890123");
}

#[tokio::test]
async fn older_servers_get_no_headers_of_arguments() {
    let web = WebServer::start(|heard| match heard.asks() {
        "tools/list" => json_of(&result(heard, &json!({"tools": [routed("add", "not a name")]}))),
        _ => web::polite(heard, "s-1"),
    })
    .await;
    let client = web_client(&web).await.unwrap();
    call(&client).await.unwrap();
    assert!(web.heard_of("tools/call")[0].headers.keys().all(|name| !name.starts_with("mcp-param")));
}
