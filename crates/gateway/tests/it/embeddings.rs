//! Requests for embeddings, which pass to an upstream of the same API.

use serde_json::{Value, json};
use windlass_gateway::{ClientKeys, ClientLimits, Front, Gateway, GatewayChain, Upstream};

use crate::canned::{ANTHROPIC_WORD, Canned};
use crate::formats::formats;
use crate::front::{Answer, send, start};

const OPENAI: &str = r#"{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.1,-2e-3]}],"model":"up","usage":{"prompt_tokens":12,"total_tokens":12}}"#;
const GEMINI: &str = r#"{"embedding":{"values":[0.1,-2e-3]}}"#;

fn openai() -> Canned {
    Canned::new(200, "application/json", OPENAI).with_header("openai-processing-ms", "3")
}

async fn embed(port: u16, headers: &str, body: &Value) -> Answer {
    send(port, "POST", "/v1/embeddings", headers, &body.to_string()).await
}

#[tokio::test]
async fn embeddings_of_openai_pass_unchanged_with_their_count() {
    let provider = openai();
    let front = Front::new(provider.gateway("openai-chat"));
    let port = start(front.clone()).await;
    let body = json!({"model": "e", "input": ["one", "two"], "dimensions": 2, "encoding_format": "float"});
    let answer = embed(port, "authorization: Bearer client\r\nuser-agent: a\r\n", &body).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, OPENAI), "{}", answer.head);
    assert!(answer.head.contains("openai-processing-ms: 3"), "{}", answer.head);
    let seen = provider.seen().pop().unwrap();
    assert_eq!(seen.url, "http://upstream.example/v1/embeddings");
    assert_eq!(seen.body, body.to_string());
    let keys: Vec<_> = seen.headers.iter().filter(|header| header.name == "authorization").collect();
    assert!(keys.len() == 1 && !format!("{seen:?}").contains("client"), "{seen:?}");
    let metrics = front.to_prometheus();
    assert!(metrics.contains("model=\"e\"") && metrics.contains("kind=\"input\"} 12\n"), "{metrics}");
}

#[tokio::test]
async fn embeddings_of_gemini_pass_with_the_model_of_the_path() {
    let provider = Canned::new(200, "application/json", GEMINI);
    let gateway = provider.gateway("gemini");
    let alias = upstream(&provider).with_name(Some("real".into()));
    let port = start(Front::new(gateway).with_route(["alias"], served(alias))).await;
    let one = json!({"model": "models/e", "content": {"parts": [{"text": "one"}]}});
    let answer = send(port, "POST", "/v1beta/models/e:embedContent?key=client", "", &one.to_string()).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, GEMINI), "{}", answer.head);
    let seen = provider.seen().pop().unwrap();
    assert!(seen.url.ends_with("/models/e:embedContent") && seen.body == one.to_string(), "{seen:?}");
    let batch = json!({"requests": [{"model": "models/alias", "content": {"parts": [{"text": "one"}]}}]});
    let answer = send(port, "POST", "/v1beta/models/alias:batchEmbedContents", "", &batch.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let seen = provider.seen().pop().unwrap();
    assert!(seen.url.ends_with("/models/real:batchEmbedContents"), "{}", seen.url);
    assert_eq!(provider.body()["requests"][0]["model"], "models/real");
    assert_eq!(provider.body()["requests"][0]["content"], batch["requests"][0]["content"]);
}

fn upstream(provider: &Canned) -> Upstream {
    let endpoint = windlass_client::Endpoint::custom("http://upstream.example/v1", "gemini");
    let builder = windlass_client::Client::builder(endpoint, crate::formats::format("gemini").wire.clone());
    Upstream::from_client(builder.transport(provider.clone()).build().unwrap())
}

fn served(upstream: Upstream) -> Gateway {
    formats().into_iter().fold(Gateway::new(upstream), |gateway, format| gateway.with_server(format.server))
}

#[tokio::test]
async fn an_alias_and_a_chain_hold_for_embeddings() {
    let (failing, good) = (Canned::new(500, "application/json", "{}"), openai());
    // An upstream of another API is passed over.
    let other = Canned::new(200, "application/json", ANTHROPIC_WORD);
    let chain = GatewayChain::new(failing.gateway("openai-chat"))
        .with_fallback(other.gateway("anthropic"))
        .with_fallback(good.gateway("openai-responses"));
    let port = start(Front::new(chain)).await;
    let answer = embed(port, "", &json!({"model": "e", "input": "x"})).await;
    assert_eq!((answer.status, failing.seen().len(), good.seen().len()), (200, 1, 1), "{}", answer.body);
    assert!(other.seen().is_empty());
    let port = start(Front::new(other.gateway("anthropic"))).await;
    let refused = embed(port, "", &json!({"model": "e", "input": "x"})).await;
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (404, &json!("model_not_found")));
    let refused = send(port, "POST", "/v1beta/models/e:embedContent", "", "{}").await;
    assert_eq!((refused.status, &refused.json()["error"]["status"]), (404, &json!("NOT_FOUND")));
}

#[tokio::test]
async fn keys_models_and_budgets_hold_for_embeddings() {
    let provider = openai();
    let mut keys = ClientKeys::default();
    let key = keys.create("ann", ["e"]).unwrap();
    keys.set_limits("ann", ClientLimits { tokens_per_day: Some(60), ..ClientLimits::default() });
    let front = Front::new(provider.gateway("openai-chat")).with_client_keys(keys);
    let port = start(front.clone()).await;
    let header = format!("x-api-key: {key}\r\n");
    assert_eq!(embed(port, "", &json!({"model": "e", "input": "x"})).await.status, 401);
    assert_eq!(embed(port, &header, &json!({"model": "f", "input": "x"})).await.status, 404);
    for (path, body) in [
        ("/v1/embeddings", r#"{"model":"e","model":"f","input":"x"}"#),
        ("/v1/embeddings", r#"{"model":"f","model":"e","input":"x"}"#),
        ("/v1/embeddings", r#"{"input":"x"}"#),
        ("/v1beta/models/e:embedContent", r#"{"model":"models/f","content":{}}"#),
        ("/v1beta/models/../files/e:embedContent", "{}"),
        ("/v1beta/models/%2e%2e/files/e:embedContent", "{}"),
        ("/v1beta/models/e:batchEmbedContents", r#"{"requests":[{"model":"models/f"}]}"#),
        ("/v1beta/models/e:batchEmbedContents", r#"{"requests":[{"model":"models/e","model":"models/f"}]}"#),
    ] {
        let refused = send(port, "POST", path, &header, body).await;
        assert!(matches!(refused.status, 400 | 404), "{path} {body}: {}", refused.status);
    }
    assert!(provider.seen().is_empty());
    let short = json!({"model": "e", "input": ["one two three"]});
    assert_eq!(embed(port, &header, &short).await.status, 200);
    assert_eq!(front.usage()[0].day_tokens, 12);
    let long = json!({"model": "e", "input": vec!["word "; 1_000]});
    assert_eq!(embed(port, &header, &long).await.status, 400);
    // Numbers are tokens.
    let tokens = json!({"model": "e", "input": [vec![7; 50]]});
    assert_eq!(embed(port, &header, &tokens).await.status, 429);
    assert_eq!(provider.seen().len(), 1);
}
