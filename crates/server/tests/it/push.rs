//! Web push against a push service of the test, which decrypts the messages as a browser does.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::SystemRandom;
use ring::signature::{self, ECDSA_P256_SHA256_FIXED};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use windlass_server::{ServerOptions, WebPush};
use windlass_web_reach::{CheckedClient, Reach, Scope};

use crate::place::{PATIENCE, Place};

/// One task with a call that needs an answer.
const ASKS: &str = r#"{"turns": [
    {"steps": [{"call": {"name": "write_file", "arguments": {"path": "secret-name.txt", "content": "hidden words"}}}]},
    {"steps": [{"call": {"name": "attempt_completion", "arguments": {"result": "Written."}}}]}]}"#;

/// A push service that answers every request with one status.
struct PushService {
    listener: TcpListener,
    status: u16,
}

/// A request to the push service: its head, with the names of headers in lower case, and its body.
struct Pushed {
    head: String,
    body: Vec<u8>,
}

/// A browser with a subscription.
struct Browser {
    private: EphemeralPrivateKey,
    public: Vec<u8>,
    auth: [u8; 16],
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn derive<const N: usize>(salt: &[u8], input: &[u8], info: &[&[u8]]) -> [u8; N] {
    let mut output = [0; N];
    Salt::new(HKDF_SHA256, salt).extract(input).expand(info, Length(N)).unwrap().fill(&mut output).unwrap();
    output
}

impl PushService {
    async fn start(status: u16) -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap(), status }
    }

    fn port(&self) -> u16 {
        self.listener.local_addr().unwrap().port()
    }

    fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    /// Waits for the next message.
    async fn next(&self) -> Pushed {
        let accepted = tokio::time::timeout(PATIENCE, self.listener.accept()).await;
        let (stream, _) = accepted.expect("a message arrives in time").unwrap();
        self.answer(stream).await
    }

    async fn answer(&self, mut stream: TcpStream) -> Pushed {
        let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
        loop {
            let count = stream.read(&mut buffer).await.unwrap();
            assert!(count > 0, "the request ends early");
            read.extend_from_slice(&buffer[..count]);
            let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
            let head = String::from_utf8(read[..end].to_vec()).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            if read.len() >= end + 4 + length.parse::<usize>().unwrap() {
                let answer = format!("HTTP/1.1 {} Answer\r\ncontent-length: 0\r\n\r\n", self.status);
                stream.write_all(answer.as_bytes()).await.unwrap();
                return Pushed { head, body: read[end + 4..].to_vec() };
            }
        }
    }
}

impl Browser {
    fn new() -> Self {
        let private = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
        let public = private.compute_public_key().unwrap().as_ref().to_vec();
        Self { private, public, auth: *b"sixteen secrets!" }
    }

    fn subscription(&self, endpoint: &str) -> String {
        let keys = json!({"p256dh": URL_SAFE_NO_PAD.encode(&self.public), "auth": URL_SAFE_NO_PAD.encode(self.auth)});
        json!({"endpoint": endpoint, "keys": keys}).to_string()
    }

    /// Decrypts a message.
    fn decrypt(self, body: &[u8]) -> Value {
        let (salt, rest) = body.split_at(16);
        let (sender, content) = rest[5..].split_at(usize::from(rest[4]));
        let info = [b"WebPush: info\0", self.public.as_slice(), sender];
        let peer = UnparsedPublicKey::new(&ECDH_P256, sender);
        let input =
            agree_ephemeral(self.private, &peer, |secret| derive::<32>(&self.auth, secret, &info)).unwrap();
        let key =
            UnboundKey::new(&AES_128_GCM, &derive::<16>(salt, &input, &[b"Content-Encoding: aes128gcm\0"]));
        let nonce = derive::<12>(salt, &input, &[b"Content-Encoding: nonce\0"]);
        let mut content = content.to_vec();
        let plain = LessSafeKey::new(key.unwrap())
            .open_in_place(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut content)
            .unwrap();
        let end = plain.iter().rposition(|byte| *byte != 0).unwrap();
        assert_eq!(plain[end], 2, "the delimiter of the last record");
        serde_json::from_slice(&plain[..end]).unwrap()
    }
}

/// Starts a server whose messages reach this push service.
async fn start(service: &PushService) -> Place {
    let reach = Reach::default().with_host("127.0.0.1", service.port(), Scope::Any).unwrap();
    Place::with_push(ASKS, ServerOptions::default(), |path| {
        WebPush::new(path).with_client(CheckedClient::default().with_reach(reach))
    })
    .await
}

async fn subscribe(place: &Place, body: &str) -> u16 {
    place.call("PUT", "/api/push", body).await.status
}

/// Checks the signature of a request, and returns its claims.
fn verify(head: &str, key: &str) -> Value {
    let authorization = head.lines().find_map(|line| line.strip_prefix("authorization: vapid t=")).unwrap();
    let (token, sent) = authorization.split_once(", k=").unwrap();
    assert_eq!(sent, key);
    let (signed, signed_by) = token.rsplit_once('.').unwrap();
    let key = URL_SAFE_NO_PAD.decode(key).unwrap();
    signature::UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key)
        .verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signed_by).unwrap())
        .unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(signed.split_once('.').unwrap().1).unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_reaches_a_closed_browser_with_the_name_of_the_tool_only() {
    let service = PushService::start(201).await;
    let place = start(&service).await;
    let key = place.call("GET", "/api/push", "").await.json()["key"].as_str().unwrap().to_owned();
    let browser = Browser::new();
    assert_eq!(subscribe(&place, &browser.subscription(&format!("{}/abc", service.origin()))).await, 204);
    assert_eq!(place.call("GET", "/api/push", "").await.json()["is_subscribed"], true);

    let session = place.start("ask").await;
    let opened = place.feed_until(&session, 0, "question_opened").await.pop().unwrap();
    let pushed = service.next().await;
    assert!(pushed.head.starts_with("POST /abc HTTP/1.1\r\n"), "{}", pushed.head);
    for header in ["content-encoding: aes128gcm", "ttl: 3600", "urgency: high"] {
        assert!(pushed.head.contains(header), "{}", pushed.head);
    }
    let claims = verify(&pushed.head, &key);
    assert_eq!(claims["aud"], service.origin().as_str());
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    assert!((now..now + 86_400).contains(&claims["exp"].as_u64().unwrap()), "{claims}");
    assert!(!String::from_utf8_lossy(&pushed.body).contains("write_file"), "the message is not encrypted");
    let content = browser.decrypt(&pushed.body);
    assert_eq!(content, json!({"question": opened["question"], "tool": "write_file"}));

    // A question is announced once, and the metrics count it.
    let metrics = place.call("GET", "/metrics", "").await.body;
    assert!(metrics.contains("windlass_pushes_total 1\n"), "{metrics}");
    let again = tokio::time::timeout(std::time::Duration::from_secs(3), service.listener.accept()).await;
    assert!(again.is_err(), "the question was announced twice");
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_ends_with_its_browser_and_with_its_device() {
    let service = PushService::start(410).await;
    let place = start(&service).await;
    let address = format!("{}/gone", service.origin());
    assert_eq!(subscribe(&place, &Browser::new().subscription(&address)).await, 204);
    let session = place.start("ask").await;
    place.feed_until(&session, 0, "question_opened").await;
    service.next().await;
    let is_subscribed = async {
        while place.call("GET", "/api/push", "").await.json()["is_subscribed"] == true {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, is_subscribed).await.expect("the ended subscription is removed");

    // A revoked device gets no announcement: its subscription leaves the file.
    let file = place.folder.path().join("state/push.json");
    assert_eq!(subscribe(&place, &Browser::new().subscription(&address)).await, 204);
    assert!(std::fs::read_to_string(&file).unwrap().contains("/gone"));
    let device = place.call("GET", "/api/me", "").await.json()["device"].as_str().unwrap().to_owned();
    assert_eq!(place.call("DELETE", &format!("/api/devices/{device}"), "").await.status, 204);
    let is_removed = async {
        while std::fs::read_to_string(&file).unwrap().contains("/gone") {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, is_removed).await.expect("the revoked device is removed");
    place.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_cannot_direct_messages_to_this_machine_or_network() {
    let service = PushService::start(201).await;
    let place = start(&service).await;
    for address in [
        "http://push.example/1",
        "https://127.0.0.1/1",
        "https://localhost/1",
        "https://192.168.1.1/1",
        "https://169.254.169.254/latest",
        "https://[::1]/1",
        "https://push.example:8443/1",
        "file:///etc/passwd",
        "not an address",
    ] {
        assert_eq!(subscribe(&place, &Browser::new().subscription(address)).await, 400, "{address}");
    }
    assert_eq!(subscribe(&place, &Browser::new().subscription("https://push.example/1")).await, 204);
    assert_eq!(place.call("DELETE", "/api/push", "").await.status, 204);
    assert_eq!(place.call("GET", "/api/push", "").await.json()["is_subscribed"], false);
    let headers = ["content-type: application/json"];
    assert_eq!(place.request("PUT", "/api/push", &headers, "{}").await.status, 401);
    place.shutdown().await;
}
