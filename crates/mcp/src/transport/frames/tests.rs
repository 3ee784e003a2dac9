//! Lines out of bytes.

use super::{Frame, Frames};

#[derive(Debug, PartialEq)]
enum Met {
    Line(String),
    TooLong(Option<u64>, u64),
}

fn met(cap: usize, bytes: &[u8], step: usize) -> (Vec<Met>, bool) {
    let mut frames = Frames::new(cap);
    let mut met = Vec::new();
    for chunk in bytes.chunks(step) {
        frames.push(chunk, &mut |frame| {
            met.push(match frame {
                Frame::Line(line) => Met::Line(String::from_utf8_lossy(line).into_owned()),
                Frame::TooLong { id, bytes, head } => {
                    assert!(head.len() <= 8 * 1024, "only the beginning is kept");
                    Met::TooLong(id, bytes)
                }
            });
        });
        assert!(frames.line.len() <= cap, "never more than the cap is kept");
    }
    (met, frames.has_half())
}

#[track_caller]
fn check(bytes: &[u8], lines: &[&str], has_half: bool) {
    let lines: Vec<Met> = lines.iter().map(|line| Met::Line((*line).to_owned())).collect();
    for step in [1, 2, 3, 7, bytes.len()] {
        assert_eq!(met(100, bytes, step), (lines.iter().map(copy).collect(), has_half), "in steps of {step}");
    }
}

fn copy(met: &Met) -> Met {
    match met {
        Met::Line(line) => Met::Line(line.clone()),
        Met::TooLong(id, bytes) => Met::TooLong(*id, *bytes),
    }
}

// S14: any split of the same bytes gives the same lines.
#[test]
fn line_ends_marks_and_empty_lines_are_not_part_of_a_line() {
    check(b"{}\n", &["{}"], false);
    check(b"{}\r\n\r\n\n  {}  \n", &["{}", "{}"], false);
    check(b"\xef\xbb\xbf{}\n", &["{}"], false);
    check(b"{}\n{\"half", &["{}"], true);
    check(b"\n\xef\xbb\xbf\n ", &[], false);
}

#[test]
fn an_oversized_line_is_skipped_and_its_id_is_reported() {
    let long = format!("{{\"id\":12,\"result\":\"{}\"}}\n{{}}\n", "x".repeat(5_000));
    for step in [1, 64, 10_000] {
        let (met, has_half) = met(100, long.as_bytes(), step);
        let bytes = u64::try_from(long.len()).unwrap() - 4;
        assert_eq!(met, [Met::TooLong(Some(12), bytes), Met::Line("{}".into())]);
        assert!(!has_half);
    }
}
