//! What a page reaches: only what `web_fetch` would reach, whatever it tries.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};
use windlass_tools_browser::BrowserAction;

use crate::fake::{FakeWeb, act};
use crate::site::Site;

const PUBLIC: &str = "93.184.216.34";
const OTHER: &str = "93.184.216.35";

/// A page at a public name that tries every way to a hidden server, and says when it is through.
fn hostile(hidden: &str, port: u16) -> String {
    format!(
        "<!doctype html><title>tries</title><body><img src='http://{hidden}/i'><iframe src='http://{hidden}/f'></iframe>\
         <script>(async()=>{{const no=[];\
         for(const u of ['http://{hidden}/a','http://localhost:{port}/b','http://[::1]:{port}/c','http://inside.test/d','http://169.254.169.254/e'])\
           try{{await fetch(u,{{mode:'no-cors'}});no.push('got '+u)}}catch(e){{no.push('no')}}\
         await new Promise(d=>{{const w=new WebSocket('ws://{hidden}/w');w.onopen=()=>no.push('ws');w.onerror=d;w.onclose=d}});\
         try{{const p=new RTCPeerConnection({{iceServers:[{{urls:'stun:{hidden}'}}]}});p.createDataChannel('x');\
           await p.setLocalDescription();await new Promise(d=>setTimeout(d,500))}}catch(e){{}}\
         no.push('transport '+typeof WebTransport);document.title='tried '+no.length;console.log(no.join(','))}})()</script>"
    )
}

#[tokio::test]
async fn a_public_page_reaches_nothing_hidden() {
    let Some(_) = FakeWeb::default().browser(1) else { return };
    let hidden = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = hidden.local_addr().unwrap();
    let datagrams = UdpSocket::bind(address).await.unwrap();
    let site = Site::start(&[("/", &hostile(&address.to_string(), address.port()))]).await;
    let web = FakeWeb::default()
        .with_server("site.test", PUBLIC, site.address)
        .with_name("inside.test", &["10.0.0.1", PUBLIC]);
    // Named, and still not reached from a page of the public web.
    let browser = web.browser(1).unwrap().with_reachable("127.0.0.1", address.port()).unwrap();
    let tool = BrowserAction::new(browser);
    act(&tool, json!({"action": "launch", "url": "http://site.test/"})).await.unwrap();
    let mut told = String::new();
    for _ in 0..20 {
        let shown = act(&tool, json!({"action": "screenshot"})).await.unwrap();
        told.push_str(&shown.text);
        if told.contains("title: tried 6") {
            break;
        }
    }
    assert!(
        told.contains("transport undefined") && told.contains("no,no,no,no,no") || told.contains("tried 6"),
        "{told}"
    );
    assert_eq!(web.dialed_hidden(), []);
    assert!(web.dialed().iter().all(|dialed| dialed.ip().to_string() == PUBLIC), "{:?}", web.dialed());
    let nobody = tokio::time::timeout(std::time::Duration::from_millis(50), hidden.accept()).await;
    assert!(nobody.is_err(), "somebody came: {nobody:?}");
    let nothing = datagrams.try_recv(&mut [0; 10]);
    assert!(nothing.is_err(), "something came: {nothing:?}");
    act(&tool, json!({"action": "close"})).await.unwrap();
}

const LINKS: &str = "<!doctype html><title>links</title><style>a{position:absolute;left:0;width:200px;height:100px;display:block}</style>\
    <a href='http://127.0.0.1:9/hidden'>h</a><a style='top:100px' href='http://other.test/'>o</a>\
    <a style='top:200px' href='/next'>n</a><a style='top:300px' href='/redirect'>r</a>";
const REDIRECT: &str =
    "HTTP/1.1 302 Found\r\nlocation: http://other.test/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn a_link_stays_at_the_host_of_the_launch_and_is_told_otherwise() {
    let Some(_) = FakeWeb::default().browser(1) else { return };
    let site = Site::start(&[("/", LINKS), ("/next", "<title>next</title>"), ("/redirect", REDIRECT)]).await;
    let web = FakeWeb::default().with_server("site.test", PUBLIC, site.address).with_server(
        "other.test",
        OTHER,
        site.address,
    );
    let tool = BrowserAction::new(web.browser(1).unwrap());
    act(&tool, json!({"action": "launch", "url": "http://site.test/"})).await.unwrap();
    for place in ["100,50", "100,150", "100,350"] {
        let shown = act(&tool, json!({"action": "click", "coordinate": place})).await.unwrap();
        assert!(
            shown.text.contains("that was not followed") && shown.text.contains("title: links"),
            "{}",
            shown.text
        );
    }
    assert!(web.dialed().iter().all(|dialed| dialed.ip().to_string() == PUBLIC), "{:?}", web.dialed());
    let shown = act(&tool, json!({"action": "click", "coordinate": "100,250"})).await.unwrap();
    assert!(shown.text.contains("title: next"), "{}", shown.text);
    act(&tool, json!({"action": "close"})).await.unwrap();
}

#[tokio::test]
async fn a_link_that_may_be_followed_meets_the_same_checks_of_addresses() {
    let Some(_) = FakeWeb::default().browser(1) else { return };
    let site = Site::start(&[("/", LINKS)]).await;
    let web = FakeWeb::default()
        .with_server("site.test", PUBLIC, site.address)
        .with_name("other.test", &["192.168.0.1"]);
    let tool = BrowserAction::new(web.browser(1).unwrap().with_may_follow(|_| true));
    act(&tool, json!({"action": "launch", "url": "http://site.test/"})).await.unwrap();
    let shown = act(&tool, json!({"action": "click", "coordinate": "100,150"})).await.unwrap();
    assert!(shown.text.contains("not reached: other.test leads to 192.168.0.1"), "{}", shown.text);
    assert_eq!(web.dialed_hidden(), []);
    let told = act(&tool, json!({"action": "launch", "url": "http://other.test/"})).await.err().unwrap();
    assert!(told.contains("other.test leads to 192.168.0.1"), "{told}");
    assert_eq!(web.dialed_hidden(), []);
}

#[tokio::test]
async fn the_secret_of_the_proxy_goes_to_nobody_else() {
    let Some(_) = FakeWeb::default().browser(1) else { return };
    let asks = "HTTP/1.1 407 No\r\nproxy-authenticate: Basic realm=\"windlass\"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let wants = "HTTP/1.1 401 No\r\nwww-authenticate: Basic realm=\"windlass\"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let page = "<title>asks</title><img src=/asks><iframe src=/wants></iframe>";
    let site = Site::start(&[("/", page), ("/asks", asks), ("/wants", wants)]).await;
    let web = FakeWeb::default().with_server("site.test", PUBLIC, site.address);
    let tool = BrowserAction::new(web.browser(1).unwrap());
    let shown = act(&tool, json!({"action": "launch", "url": "http://site.test/"})).await.unwrap();
    assert!(shown.text.contains("title: asks"), "{}", shown.text);
    let heads = site.heads().concat().to_ascii_lowercase();
    assert!(heads.contains("get /asks") && heads.contains("get /wants"), "{heads}");
    assert!(!heads.contains("authorization"), "{heads}");
    act(&tool, json!({"action": "close"})).await.unwrap();
}

#[tokio::test]
async fn a_stranger_who_knocks_at_the_proxy_is_sent_away() {
    let Some(browser) = FakeWeb::default().browser(1) else { return };
    let site = Site::start(&[("/", "<title>here</title>")]).await;
    let web = FakeWeb::default().with_server("site.test", PUBLIC, site.address);
    let marked = crate::ends::Marked::new(&browser, &web);
    let tool = BrowserAction::new(marked.browser.clone());
    act(&tool, json!({"action": "launch", "url": "http://site.test/"})).await.unwrap();
    let proxy = marked.proxy();
    let dialed = web.dialed().len();
    for head in [
        "GET http://site.test/ HTTP/1.1\r\nhost: site.test\r\n\r\n",
        "CONNECT site.test:443 HTTP/1.1\r\nhost: site.test\r\n\r\n",
    ] {
        let mut stream = tokio::net::TcpStream::connect(&proxy).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 407");
    }
    assert_eq!(web.dialed().len(), dialed);
    act(&tool, json!({"action": "close"})).await.unwrap();
}
