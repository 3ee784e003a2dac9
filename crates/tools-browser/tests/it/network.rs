//! The addresses that a page reaches: only those that `web_fetch` would reach, whatever the page tries.

use std::net::SocketAddr;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};
use windlass_testkit::{Need, require};
use windlass_tools_browser::BrowserAction;

use crate::fake::{BrowseWeb as _, FakeWeb, act};
use crate::site::Site;

const PUBLIC: &str = "93.184.216.34";
const OTHER: &str = "93.184.216.35";

/// A page that tries every way to a hidden server, and reports when it is done.
fn hostile(hidden: &str, port: u16) -> String {
    format!(
        "<!doctype html><title>tries</title><body><img src='http://{hidden}/i'><iframe src='http://{hidden}/f'></iframe>\
         <script>(async()=>{{const late=()=>new Promise(d=>setTimeout(d,1500)),done=[];\
         for(const u of ['http://{hidden}/a','http://localhost:{port}/b','http://[::1]:{port}/c','http://inside.test/d','http://169.254.169.254/e'])\
           try{{const r=await fetch(u,{{mode:'no-cors'}});done.push(r.type)}}catch(e){{done.push('no')}}\
         await new Promise(d=>{{const w=new WebSocket('ws://{hidden}/w');w.onopen=()=>{{done.push('socket open');d()}};w.onerror=d;w.onclose=d}});\
         try{{const p=new RTCPeerConnection({{iceServers:[{{urls:'stun:{hidden}'}},{{urls:'turn:{hidden}?transport=tcp',username:'a',credential:'b'}}]}});\
           const q=new RTCPeerConnection();p.createDataChannel('x');await p.setLocalDescription();await q.setRemoteDescription(p.localDescription);\
           await q.setLocalDescription();await p.setRemoteDescription(q.localDescription);\
           p.onicecandidate=e=>{{if(e.candidate)done.push('address open')}};\
           await p.addIceCandidate({{candidate:'candidate:1 1 udp 2113937151 127.0.0.1 {port} typ host',sdpMid:'0',sdpMLineIndex:0}});\
           await late();done.push('peer tried')}}catch(e){{done.push('peer '+e)}}\
         if(typeof WebTransport=='function')try{{const t=new WebTransport('https://{hidden}/t',{{serverCertificateHashes:[{{algorithm:'sha-256',value:new Uint8Array(32)}}]}});\
           await Promise.race([t.ready.then(()=>done.push('transport open')),late()])}}catch(e){{done.push('transport tried')}}\
         new Worker(URL.createObjectURL(new Blob([\"fetch('http://{hidden}/thread',{{mode:'no-cors'}})\"])));\
         await late();console.log(done.join());document.title='tried all'}})()</script>"
    )
}

/// A page at this address tries everything, and only its own server was dialled.
async fn check_hostile(named: bool) {
    let browser = require!(Need::Browser, FakeWeb::default().browser());
    let hidden = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = hidden.local_addr().unwrap();
    let datagrams = UdpSocket::bind(address).await.unwrap();
    let site = Site::start(&[("/", &hostile(&address.to_string(), address.port()))]).await;
    let web = FakeWeb::default()
        .with_server("site.test", PUBLIC, site.address)
        .with_name("inside.test", &[&["10.0.0.1", PUBLIC]]);
    let marked = crate::ends::Marked::new(&browser, &web);
    // A page of the web must not reach the hidden server although the user named its address. A page at a named
    // address, which is a secure context with all features, must not reach a hidden server that the user did not
    // name.
    let (port, url) = if named {
        (site.address.port(), site.url("/"))
    } else {
        (address.port(), "http://site.test/".to_owned())
    };
    let tool = BrowserAction::new(marked.browser.clone().with_reachable("127.0.0.1", port).unwrap());
    let mut told = act(&tool, json!({"action": "launch", "url": url})).await.unwrap().text;
    for _ in 0..20 {
        let shown = act(&tool, json!({"action": "screenshot"})).await.unwrap();
        told.push_str(&shown.text);
        if told.contains("title: tried all") {
            break;
        }
    }
    assert!(told.contains("peer tried") && told.contains("transport tried") == named, "{told}");
    assert!(!told.contains(" open") && !told.contains("google"), "{told}");
    assert!(told.contains(&format!("not reached: port {} of localhost", address.port())), "{told}");
    let own = if named { site.address.ip().to_string() } else { PUBLIC.to_owned() };
    assert!(web.dials().iter().all(|dialed| dialed.ip().to_string() == own), "{:?}", web.dials());
    assert!(web.dials().iter().all(|dialed| *dialed != address), "{:?}", web.dials());
    let nobody = tokio::time::timeout(std::time::Duration::from_millis(50), hidden.accept()).await;
    assert!(nobody.is_err(), "somebody came: {nobody:?}");
    let nothing = datagrams.try_recv(&mut [0; 10]);
    assert!(nothing.is_err(), "something came: {nothing:?}");
    let proxy = marked.proxy().parse().unwrap();
    // WebRTC takes two ports that lead nowhere, and sends nothing from them: see the datagrams above.
    let is_elsewhere = |socket: &SocketAddr| *socket != proxy && !socket.ip().is_unspecified();
    let others: Vec<_> = marked.sockets().into_iter().filter(is_elsewhere).collect();
    assert!(others.is_empty(), "connected or bound elsewhere: {others:?}");
    act(&tool, json!({"action": "close"})).await.unwrap();
}

#[tokio::test]
async fn a_page_of_the_web_reaches_nothing_hidden() {
    check_hostile(false).await;
}

#[tokio::test]
async fn a_page_at_a_named_place_reaches_nothing_else_that_is_hidden() {
    check_hostile(true).await;
}

#[tokio::test]
async fn https_pages_are_tunnelled_through_the_proxy() {
    let browser = require!(Need::Browser, FakeWeb::default().browser());
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let web = FakeWeb::default().with_server("site.test", PUBLIC, server.local_addr().unwrap());
    let tool = BrowserAction::new(browser.with_resolver(web.clone()).with_dialer(web.clone()));
    let seen = std::sync::Mutex::new(Vec::new());
    let greeted = async {
        let mut first = [0; 3];
        loop {
            let (mut stream, _) = server.accept().await.unwrap();
            stream.read_exact(&mut first).await.unwrap();
            stream.write_all(b"no TLS here\r\n").await.unwrap();
            seen.lock().unwrap().push(first);
        }
    };
    let launched = act(&tool, json!({"action": "launch", "url": "https://site.test/"}));
    let told = tokio::select! {
        told = launched => told,
        () = greeted => panic!("the server ended"),
    };
    // A record of a handshake (RFC 8446, 5.1).
    let seen = seen.lock().unwrap();
    assert!(seen.first().is_some_and(|first| first[..2] == [22, 3]), "{seen:?}");
    assert!(told.as_ref().err().is_some_and(|text| text.contains("ERR_SSL")), "{:?}", told.err());
    assert!(web.dials().iter().all(|dialed| *dialed == format!("{PUBLIC}:443").parse().unwrap()));
}

const LINKS: &str = "<!doctype html><title>links</title><style>a{position:absolute;left:0;width:200px;height:100px;display:block}</style>\
    <a href='http://127.0.0.1:9/hidden'>h</a><a style='top:100px' href='http://other.test/'>o</a>\
    <a style='top:200px' href='/next'>n</a><a style='top:300px' href='/redirect'>r</a>";
const REDIRECT: &str =
    "HTTP/1.1 302 Found\r\nlocation: http://other.test/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn links_to_another_host_are_not_followed_and_are_reported() {
    require!(Need::Browser, FakeWeb::default().browser());
    let site = Site::start(&[("/", LINKS), ("/next", "<title>next</title>"), ("/redirect", REDIRECT)]).await;
    let web = FakeWeb::default().with_server("site.test", PUBLIC, site.address).with_server(
        "other.test",
        OTHER,
        site.address,
    );
    let tool = BrowserAction::new(web.browser().unwrap());
    act(&tool, json!({"action": "launch", "url": "http://site.test/"})).await.unwrap();
    for place in ["100,50", "100,150", "100,350"] {
        let shown = act(&tool, json!({"action": "click", "coordinate": place})).await.unwrap();
        assert!(
            shown.text.contains("that was not followed") && shown.text.contains("title: links"),
            "{}",
            shown.text
        );
    }
    assert!(web.dials().iter().all(|dialed| dialed.ip().to_string() == PUBLIC), "{:?}", web.dials());
    let shown = act(&tool, json!({"action": "click", "coordinate": "100,250"})).await.unwrap();
    assert!(shown.text.contains("title: next"), "{}", shown.text);
    act(&tool, json!({"action": "close"})).await.unwrap();
}

#[tokio::test]
async fn followed_links_undergo_the_same_address_checks() {
    require!(Need::Browser, FakeWeb::default().browser());
    let site = Site::start(&[("/", LINKS)]).await;
    let web = FakeWeb::default()
        .with_server("site.test", PUBLIC, site.address)
        .with_name("other.test", &[&["192.168.0.1"]]);
    let tool = BrowserAction::new(web.browser().unwrap().with_may_follow(|_| true));
    act(&tool, json!({"action": "launch", "url": "http://site.test/"})).await.unwrap();
    let shown = act(&tool, json!({"action": "click", "coordinate": "100,150"})).await.unwrap();
    assert!(shown.text.contains("not reached: other.test leads to 192.168.0.1"), "{}", shown.text);
    assert_eq!(web.hidden_dials(), []);
    let told = act(&tool, json!({"action": "launch", "url": "http://other.test/"})).await.err().unwrap();
    assert!(told.contains("other.test leads to 192.168.0.1"), "{told}");
    assert_eq!(web.hidden_dials(), []);
}

#[tokio::test]
async fn proxy_credentials_are_not_sent_to_pages() {
    require!(Need::Browser, FakeWeb::default().browser());
    let asks = "HTTP/1.1 407 No\r\nproxy-authenticate: Basic realm=\"windlass\"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let wants = "HTTP/1.1 401 No\r\nwww-authenticate: Basic realm=\"windlass\"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let page = "<title>asks</title><img src=/asks><iframe src=/wants></iframe>";
    let site = Site::start(&[("/", page), ("/asks", asks), ("/wants", wants)]).await;
    let web = FakeWeb::default().with_server("site.test", PUBLIC, site.address);
    let tool = BrowserAction::new(web.browser().unwrap());
    let shown = act(&tool, json!({"action": "launch", "url": "http://site.test/"})).await.unwrap();
    assert!(shown.text.contains("title: asks"), "{}", shown.text);
    let heads = site.heads().concat().to_ascii_lowercase();
    assert!(heads.contains("get /asks") && heads.contains("get /wants"), "{heads}");
    assert!(!heads.contains("authorization"), "{heads}");
    act(&tool, json!({"action": "close"})).await.unwrap();
}

#[tokio::test]
async fn the_proxy_answers_407_without_credentials() {
    let browser = require!(Need::Browser, FakeWeb::default().browser());
    let site = Site::start(&[("/", "<title>here</title>")]).await;
    let web = FakeWeb::default().with_server("site.test", PUBLIC, site.address);
    let marked = crate::ends::Marked::new(&browser, &web);
    let tool = BrowserAction::new(marked.browser.clone());
    act(&tool, json!({"action": "launch", "url": "http://site.test/"})).await.unwrap();
    let proxy = marked.proxy();
    let dialed = web.dials().len();
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
    assert_eq!(web.dials().len(), dialed);
    act(&tool, json!({"action": "close"})).await.unwrap();
}
