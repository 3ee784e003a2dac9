//! Tests of the reader of lines.

use tokio::io::BufReader;

use super::{Line, next_line};

#[tokio::test]
async fn lines_end_at_any_boundary_of_reads() {
    for size in 1..12 {
        let mut reader = BufReader::with_capacity(size, &b"one\r\n\nlonger than ten\nend"[..]);
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut reader, 10).await.unwrap() {
            lines.push(line);
        }
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(lines, [whole("one"), whole(""), Line::TooLong, whole("end")], "buffer of {size}");
    }
}
