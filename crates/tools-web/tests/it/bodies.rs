//! Bodies that are large, compressed, slow, cut, or not text.

use std::io::Write;
use std::time::Duration;

use windlass_tools_web::{Ending, FetchError, FetchResult, Page, SendError, WebLimits, WebUrl};

use crate::fake::{FakeWeb, FetchWeb as _};
use crate::server::{Server, Step, answer};

const PLAIN: &str = "content-type: text/plain\r\n";
const GZIP: &str = "content-type: text/plain\r\ncontent-encoding: gzip\r\n";

async fn get(server: &Server, limits: WebLimits) -> Result<Page, FetchError> {
    let fetch = FakeWeb::open().fetch().with_limits(limits);
    let fetch = fetch.with_reachable("127.0.0.1", server.address.port()).unwrap();
    match fetch.get(&WebUrl::parse(&server.url("/")).unwrap()).await? {
        FetchResult::Page(page) => Ok(page),
        other => panic!("{other:?}"),
    }
}

async fn check(
    steps: impl Fn() -> Vec<Step> + Send + Sync + 'static,
    limits: WebLimits,
    ending: Ending,
    text: &str,
) {
    let server = Server::start(move |_| steps()).await;
    let page = get(&server, limits).await.unwrap();
    assert_eq!((page.ending, page.text.as_str()), (ending, text));
}

async fn fails(answer: impl Into<Vec<u8>>, is_expected: impl Fn(&FetchError) -> bool) {
    let answer = answer.into();
    let said: String = String::from_utf8_lossy(&answer).chars().take(200).collect();
    let server = Server::saying(answer).await;
    match get(&server, WebLimits::default()).await {
        Err(error) => assert!(is_expected(&error), "{error:?}"),
        Ok(page) => panic!("{said}: {page:?}"),
    }
}

fn sends(bytes: impl Into<Vec<u8>>) -> impl Fn() -> Vec<Step> {
    let bytes = bytes.into();
    move || vec![Step::Send(bytes.clone())]
}

fn short() -> WebLimits {
    WebLimits::default().with_total(Duration::from_millis(300))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_complete_body_ends_as_whole() {
    check(sends(answer("200 OK", PLAIN, b"abc")), WebLimits::default(), Ending::Whole, "abc").await;
    check(sends(answer("204 No Content", "", b"")), WebLimits::default(), Ending::Whole, "").await;
    let chunked =
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\nx: y\r\n\r\n";
    check(sends(chunked), WebLimits::default(), Ending::Whole, "abc").await;
    check(
        sends("HTTP/1.1 200 OK\r\n\r\nuntil the end"),
        WebLimits::default(),
        Ending::Whole,
        "until the end",
    )
    .await;
    check(sends("HTTP/1.0 200 OK\r\n\r\nold"), WebLimits::default(), Ending::Whole, "old").await;
}

#[tokio::test]
async fn content_before_a_cut_is_kept() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nabc";
    check(sends(cut), WebLimits::default(), Ending::Cut, "abc").await;
    let cut = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n";
    check(sends(cut), WebLimits::default(), Ending::Cut, "abc").await;
    let waits = || vec![Step::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc".to_vec()), Step::Hang];
    check(waits, short(), Ending::OutOfTime, "abc").await;
}

#[tokio::test]
async fn the_wire_has_a_limit() {
    let limits = WebLimits::default().with_wire_bytes(4);
    check(sends(answer("200 OK", PLAIN, b"abcdef")), limits, Ending::WireLimit, "abcd").await;
    check(sends(answer("200 OK", PLAIN, b"abcd")), limits, Ending::Whole, "abcd").await;
    let endless = || {
        vec![
            Step::Send(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n".to_vec()),
            Step::Endless(vec![b'a'; 999]),
        ]
    };
    let server = Server::start(move |_| endless()).await;
    let page = get(&server, WebLimits::default()).await.unwrap();
    assert_eq!((page.ending, page.wire_bytes, page.decoded_bytes), (Ending::WireLimit, 5_000_000, 5_000_000));
}

#[tokio::test]
async fn packed_bodies_are_unpacked_to_a_limit() {
    check(sends(answer("200 OK", GZIP, &gzip(b"abc"))), WebLimits::default(), Ending::Whole, "abc").await;
    let two = [gzip(b"abc"), gzip(b"def")].concat();
    check(sends(answer("200 OK", GZIP, &two)), WebLimits::default(), Ending::Whole, "abcdef").await;
    check(sends(answer("200 OK", GZIP, b"")), WebLimits::default(), Ending::Whole, "").await;
    let limits = WebLimits::default().with_decoded_bytes(4);
    check(sends(answer("200 OK", GZIP, &gzip(b"abcdef"))), limits, Ending::DecodedLimit, "abcd").await;
    check(sends(answer("200 OK", GZIP, &gzip(b"abcd"))), limits, Ending::Whole, "abcd").await;
    let bomb = gzip(&vec![b' '; 200_000_000]);
    assert!(bomb.len() < 400_000);
    let server = Server::saying(answer("200 OK", GZIP, &bomb)).await;
    let page = get(&server, WebLimits::default()).await.unwrap();
    assert_eq!((page.ending, page.decoded_bytes), (Ending::DecodedLimit, 20_000_000));
}

#[tokio::test]
async fn broken_compression_is_reported() {
    let mut packed = gzip(b"abc");
    check(
        sends(answer("200 OK", GZIP, &packed[..packed.len() - 4])),
        WebLimits::default(),
        Ending::Broken,
        "abc",
    )
    .await;
    check(sends(answer("200 OK", GZIP, b"no gzip at all")), WebLimits::default(), Ending::Broken, "").await;
    let last = packed.len() - 5;
    packed[last] ^= 1;
    check(sends(answer("200 OK", GZIP, &packed)), WebLimits::default(), Ending::Broken, "abc").await;
    for encoding in ["br", "zstd", "gzip, gzip", "gzip\r\ncontent-encoding: gzip"] {
        let headers = format!("{PLAIN}content-encoding: {encoding}\r\n");
        fails(answer("200 OK", &headers, b"x"), |error| matches!(error, FetchError::Packing { .. })).await;
    }
}

#[tokio::test]
async fn only_text_is_taken() {
    for kind in ["image/png", "application/octet-stream", "application/pdf", "video/mp4"] {
        let endless = move |_: &str| {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n\r\n").into_bytes();
            vec![Step::Send(head), Step::Endless(vec![0; 999])]
        };
        let server = Server::start(endless).await;
        let error = get(&server, WebLimits::default()).await.unwrap_err();
        assert!(matches!(&error, FetchError::Media { status: 200, media } if media == kind), "{error:?}");
    }
    fails(answer("200 OK", PLAIN, b"a\0b"), |error| matches!(error, FetchError::Media { .. })).await;
    fails(answer("200 OK", "", b"\x7fELF\0\0"), |error| matches!(error, FetchError::Media { .. })).await;
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_an_error() {
    let is_protocol = |error: &FetchError| matches!(error, FetchError::Send(SendError::Protocol { .. }));
    fails("", is_protocol).await;
    fails("SSH-2.0-OpenSSH_9.9\r\n", is_protocol).await;
    fails("HTTP/1.1 200 OK\r\ncontent-le", is_protocol).await;
    fails("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab", is_protocol).await;
    fails(format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(100_000)), is_protocol).await;
    let many = "x: y\r\n".repeat(1_000);
    fails(format!("HTTP/1.1 200 OK\r\n{many}\r\n"), is_protocol).await;
}

#[tokio::test]
async fn silence_ends_with_the_time() {
    let server = Server::start(|_| vec![Step::Hang]).await;
    let error = get(&server, short()).await.unwrap_err();
    assert!(matches!(error, FetchError::Send(SendError::TimedOut { .. })), "{error:?}");
    assert!(error.is_retryable());
    // A head that does not end counts as silence, however many of its bytes arrive.
    let server = Server::start(|_| {
        vec![Step::Send(b"HTTP/1.1 200 OK\r\nx: ".to_vec()), Step::Drip(Duration::from_millis(20))]
    })
    .await;
    let error = get(&server, short()).await.unwrap_err();
    assert!(matches!(error, FetchError::Send(SendError::TimedOut { .. })), "{error:?}");
}
