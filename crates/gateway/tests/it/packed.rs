//! Compressed bodies of requests, with a limit, and of answers.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::{GzEncoder, ZlibEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use windlass_gateway::{Front, ServeOptions, serve};

use crate::canned::{CHAT_WORD, Canned};
use crate::listener::{BODY, exchange, options, provider};

/// The body of a request, as Node packs it.
const BROTLI: &str = "1b3800401c07768cb385391c6ce7b5c85edad6686b169dae3ee09003a703656d817c5e67361d96847a823cb964964c0380c577ef06";
/// The body of a request, as the program zstd packs it, with a checksum.
const ZSTD: &str = "28b52ffd0458c901007b226d6f64656c223a226d222c226d65737361676573223a5b7b22726f6c65223a2275736572222c22636f6e74656e74223a226869227d5d7d24b48786";
/// Ten megabytes of blanks.
const BROTLI_BOMB: &str = "cbffff3ff82540e2b14020f7fe2fff2c31f04b00c46111808e2306";

fn bytes_of(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn packed_bodies_are_unpacked_with_a_bound() {
    let upstream = provider();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(serve(listener, upstream.gateway("openai-chat"), options()));
    let send = async |encoding: &str, body: &[u8]| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        exchange(&mut stream, &format!("content-encoding: {encoding}\r\n"), body).await
    };
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(BODY.as_bytes()).unwrap();
    let zlib = zlib.finish().unwrap();
    // Two frames, with one between them that decoders skip.
    let (first, second) = BODY.as_bytes().split_at(20);
    let pack = |bytes: &[u8]| compress_to_vec(bytes, CompressionLevel::Fastest);
    let frames = [pack(first), vec![0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7], pack(second)].concat();
    for (encoding, body) in [
        ("gzip", gzip(BODY.as_bytes())),
        ("X-GZIP", gzip(BODY.as_bytes())),
        ("deflate", zlib),
        ("br", bytes_of(BROTLI)),
        ("zstd", compress_to_vec(BODY.as_bytes(), CompressionLevel::Fastest)),
        ("zstd", frames),
        ("zstd", bytes_of(ZSTD)),
        ("identity", BODY.into()),
    ] {
        let answer = send(encoding, &body).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{encoding}: {answer}");
        let seen = upstream.seen().pop().unwrap();
        assert_eq!(seen.body, BODY, "{encoding}");
        assert!(seen.headers.iter().all(|header| header.name != "content-encoding"), "{encoding}");
    }
    let count = upstream.seen().len();
    // Ten megabytes in ten kilobytes.
    let bomb = gzip(&vec![b' '; 10_000_000]);
    assert!(bomb.len() < 20_000);
    let zstd_bomb = pack(&vec![b' '; 10_000_000]);
    assert!(zstd_bomb.len() < 20_000);
    for (encoding, body, status, words) in [
        ("gzip", bomb, "413", "more than 100000 bytes"),
        ("gzip", BODY.into(), "400", "does not have its content-encoding"),
        ("gzip", gzip(BODY.as_bytes())[..30].to_vec(), "400", "does not have its content-encoding"),
        ("br", bytes_of(BROTLI_BOMB), "413", "more than 100000 bytes"),
        ("br", BODY.into(), "400", "does not have its content-encoding"),
        ("br", bytes_of(BROTLI)[..20].to_vec(), "400", "does not have its content-encoding"),
        ("zstd", zstd_bomb, "413", "more than 100000 bytes"),
        ("zstd", BODY.into(), "400", "does not have its content-encoding"),
        ("zstd", Vec::new(), "400", "does not have its content-encoding"),
        // A window of 1 GiB, which a decoder would reserve.
        ("zstd", bytes_of("28b52ffd0080010000"), "400", "does not have its content-encoding"),
        // Two thousand empty frames.
        ("zstd", pack(b"").repeat(2_000), "400", "does not have its content-encoding"),
        ("compress", BODY.into(), "415", "accept-encoding: gzip, deflate, br, zstd"),
        ("gzip, gzip", gzip(&gzip(BODY.as_bytes())), "415", "are not read"),
    ] {
        let answer = send(encoding, &body).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{encoding}: {answer}");
        assert!(answer.contains(words), "{encoding}: {answer}");
    }
    assert_eq!(upstream.seen().len(), count);
}

/// Sends a request with a header, and returns the head and the body of the answer.
async fn ask(port: u16, path: &str, header: &str, body: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let request =
        format!("POST {path} HTTP/1.0\r\nhost: x\r\n{header}content-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    (String::from_utf8_lossy(&answer[..end]).to_lowercase(), answer[end + 4..].to_vec())
}

async fn start(provider: &Canned, compress: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let options = ServeOptions { compress, ..options() };
    tokio::spawn(serve(listener, Front::new(provider.gateway("openai-chat")), options));
    port
}

#[tokio::test]
async fn answers_are_compressed_for_clients_that_take_it_if_they_are_not_streams() {
    let chat = "/v1/chat/completions";
    let long = CHAT_WORD.replace("\"hi\"", &format!("\"{}\"", "word ".repeat(40_000)));
    let provider = Canned::new(200, "application/json", long.clone()).with_piece(90_000);
    let port = start(&provider, true).await;
    for accepted in ["gzip", "br;q=1, GZIP;q=0.5", "*"] {
        let (head, body) = ask(port, chat, &format!("accept-encoding: {accepted}\r\n"), BODY).await;
        assert!(head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"), "{head}");
        let mut text = String::new();
        GzDecoder::new(&body[..]).read_to_string(&mut text).unwrap();
        assert!(text == long && body.len() < long.len() / 10, "{accepted}: {}", body.len());
    }
    for accepted in ["", "accept-encoding: br, zstd\r\n", "accept-encoding: gzip;q=0\r\n"] {
        let (head, body) = ask(port, chat, accepted, BODY).await;
        assert!(!head.contains("content-encoding"), "{head}");
        assert_eq!(body, long.as_bytes(), "{accepted}");
    }
    let gzip_header = "accept-encoding: gzip\r\n";
    // Without the option, and for a stream and a short answer with it, the answer stays as it is.
    let (head, body) = ask(start(&provider, false).await, chat, gzip_header, BODY).await;
    assert!(!head.contains("content-encoding") && body == long.as_bytes(), "{head}");
    let (head, _) = ask(start(&self::provider(), true).await, chat, gzip_header, BODY).await;
    assert!(!head.contains("content-encoding"), "{head}");
    let stream = format!("data: {{\"x\":\"{}\"}}\n\n", "word ".repeat(1_000));
    let events = Canned::new(200, "text/event-stream", stream.clone()).with_piece(10_000);
    let streamed = BODY.replace("{\"model\"", "{\"stream\":true,\"model\"");
    let (head, body) = ask(start(&events, true).await, chat, gzip_header, &streamed).await;
    assert!(!head.contains("content-encoding") && body == stream.as_bytes(), "{head}");
    // An answer that the upstream compressed passes unchanged.
    let packed = gzip(long.as_bytes());
    let packing =
        Canned::new(200, "application/json", packed.clone()).with_header("content-encoding", "gzip");
    let (head, body) = ask(start(&packing, true).await, chat, gzip_header, BODY).await;
    assert!(head.contains("content-encoding: gzip") && body == packed, "{head}");
}
