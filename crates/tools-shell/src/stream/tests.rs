//! Streams in pieces, and streams that are too long.

use std::sync::Arc;

use tokio::io::duplex;
use windlass_protocol::CallId;

use super::*;

/// A context whose progress is collected.
fn context() -> (Context, Arc<Mutex<Vec<String>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    let ctx = Context::new(CallId::new("call_1").unwrap()).with_progress(move |progress| {
        if let Progress::Output(text) = progress {
            listener.lock().unwrap().push(text);
        }
    });
    (ctx, told)
}

// correctness "suspicions": progress had replacement characters where a read ended inside a character.
#[tokio::test]
async fn a_character_split_over_two_reads_is_reported_whole() {
    let text = "aß€😀é\n";
    for size in 1..text.len() {
        let (ctx, told) = context();
        let (mut writer, reader) = duplex(size);
        let stream = Stream::new("stdout", 1000);
        let writing = async {
            writer.write_all(text.as_bytes()).await.unwrap();
            drop(writer);
        };
        tokio::join!(writing, stream.read(&ctx, Some(reader)));
        assert_eq!(told.lock().unwrap().concat(), text, "in pieces of {size}");
        assert_eq!(stream.show().1, text);
    }
}

#[tokio::test]
async fn output_that_is_not_utf8_is_reported_completely() {
    for bytes in
        [&b"a\xe2\x82"[..], b"\xff\xe2", b"\xe2\x82a", b"\xf0\x9f\x98\xf0\x9f", b"\x80\x80\x80", b"\xc0"]
    {
        for size in 1..=bytes.len() {
            let (ctx, told) = context();
            let (mut writer, reader) = duplex(size);
            let stream = Stream::new("stdout", 1000);
            let writing = async {
                writer.write_all(bytes).await.unwrap();
                drop(writer);
            };
            tokio::join!(writing, stream.read(&ctx, Some(reader)));
            let told = told.lock().unwrap().concat();
            assert_eq!(told, visible(&String::from_utf8_lossy(bytes)), "{bytes:x?} in pieces of {size}");
        }
    }
}

// correctness "suspicions": a server in the background got SIGPIPE when it had logged enough.
#[tokio::test]
async fn a_drained_flood_can_always_be_written() {
    for flood in [Flood::Drained, Flood::Closed] {
        let (ctx, _) = context();
        let folder = tempfile::tempdir().unwrap();
        let ctx = ctx.with_outputs(folder.path());
        let (mut writer, reader) = duplex(1000);
        let mut stream = Stream::new("stdout", 100).with_flood(flood);
        stream.most = 4500;
        let writing = async {
            let mut is_taken = true;
            for _ in 0..20 {
                is_taken &= writer.write_all(&[b'x'; 999]).await.is_ok();
            }
            is_taken &= writer.write_all(b"the end\n").await.is_ok();
            drop(writer);
            is_taken
        };
        let (is_taken, ()) = tokio::join!(writing, stream.read(&ctx, Some(reader)));
        assert_eq!(is_taken, flood == Flood::Drained);
        let (notice, text) = stream.show();
        assert_eq!(text.ends_with("the end\n"), is_taken, "{text}");
        assert_eq!(notice.contains("the rest was not read"), !is_taken, "{notice}");
        assert_eq!(notice.contains("its first 4500 bytes: "), is_taken, "{notice}");
        assert_eq!(stream.total().0 == 19_988, is_taken);
        let file = folder.path().join("call_1-stdout-1.txt");
        assert_eq!(std::fs::metadata(file).unwrap().len(), 4500);
    }
}

// A command that prints faster than it is read fills each read to its last byte, so that the reads add up to
// exactly the length of the file. The notice then stated that the file holds everything, although the pipe
// was closed.
#[tokio::test]
async fn a_stream_as_long_as_its_file_is_whole_only_where_it_ended_there() {
    for (pieces, is_whole) in [(4, true), (5, false), (20, false)] {
        let (ctx, _) = context();
        let folder = tempfile::tempdir().unwrap();
        let ctx = ctx.with_outputs(folder.path());
        let (mut writer, reader) = duplex(1000);
        let mut stream = Stream::new("stdout", 100);
        stream.most = 4000;
        let writing = async {
            for _ in 0..pieces {
                if writer.write_all(&[b'x'; 1000]).await.is_err() {
                    break;
                }
            }
            drop(writer);
        };
        tokio::join!(writing, stream.read(&ctx, Some(reader)));
        let (notice, _) = stream.show();
        assert_eq!(notice.contains("all of it: "), is_whole, "{pieces}: {notice}");
        assert_eq!(notice.contains("the rest was not read"), !is_whole, "{pieces}: {notice}");
        let file = folder.path().join("call_1-stdout-1.txt");
        assert_eq!(std::fs::metadata(file).unwrap().len(), 4000);
    }
}
