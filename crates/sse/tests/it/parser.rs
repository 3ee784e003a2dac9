//! The format, line by line.

use windlass_sse::{Ending, Parser, Signal};

/// Checks the signals of a stream, written as text, for several splits of the stream.
#[track_caller]
fn check(stream: &[u8], expected: &[&str]) {
    for step in [1, 2, 3, stream.len().max(1)] {
        let mut parser = Parser::new();
        let mut seen = Vec::new();
        for chunk in stream.chunks(step) {
            parser
                .push_signals(chunk, |signal| {
                    seen.push(match signal {
                        Signal::Event(event) => format!("{}|{}|{}", event.event, event.data, event.id),
                        Signal::Comment(text) => format!("#{text}"),
                        Signal::Retry(wait) => format!("retry {wait}"),
                        other => format!("{other:?}"),
                    });
                })
                .unwrap();
        }
        assert_eq!(seen, expected, "in steps of {step}");
    }
}

#[test]
fn an_event_ends_at_a_blank_line() {
    check(b"data: a\n\ndata: b\n\n", &["message|a|", "message|b|"]);
    check(b"\n\n\ndata: a\n\n\n\n", &["message|a|"]);
    check(b"event: ping\ndata: {}\n\n", &["ping|{}|"]);
    check(b"", &[]);
}

#[test]
fn all_three_line_ends_end_lines() {
    check(b"data: a\r\n\r\n", &["message|a|"]);
    check(b"data: a\r\r", &["message|a|"]);
    check(b"data: a\r\ndata: b\rdata: c\n\r\n", &["message|a\nb\nc|"]);
    check(b"data: a\n\rdata: b\r\r\n", &["message|a|", "message|b|"]);
}

#[test]
fn a_carriage_return_ends_its_line_without_lookahead() {
    let mut parser = Parser::new();
    let mut events = 0;
    parser.push(b"data: a\r\n\r", |_| events += 1).unwrap();
    assert_eq!(events, 1);
    parser.push(b"\n", |_| events += 1).unwrap();
    parser.push(b"\n", |_| events += 1).unwrap();
    assert_eq!(events, 1);
}

#[test]
fn data_lines_are_joined() {
    check(b"data: a\ndata\ndata:b\n\n", &["message|a\n\nb|"]);
    check(b"data\n\n", &["message||"]);
    check(b"data:\ndata:\n\n", &["message|\n|"]);
}

#[test]
fn an_event_without_data_is_not_dispatched() {
    check(b"event: a\n\ndata: b\n\n", &["message|b|"]);
    check(b"id: 1\n\ndata: b\n\n", &["message|b|1"]);
}

#[test]
fn one_space_after_the_colon_is_not_data() {
    check(b"data:a\n\n", &["message|a|"]);
    check(b"data:  a\n\n", &["message| a|"]);
    check(b"data:\ta\n\n", &["message|\ta|"]);
}

#[test]
fn the_last_type_wins_and_an_empty_one_is_message() {
    check(b"event: a\nevent: b\ndata: x\n\n", &["b|x|"]);
    check(b"event: a\nevent\ndata: x\n\n", &["message|x|"]);
    check(b"event: a\ndata: x\n\ndata: y\n\n", &["a|x|", "message|y|"]);
}

#[test]
fn ids_last_until_they_change() {
    check(b"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", &["message|a|1", "message|b|1", "message|c|"]);
    check(b"id: 1\nid: 2\0\ndata: a\n\n", &["message|a|1"]);
}

#[test]
fn an_id_counts_for_reconnecting_after_its_blank_line() {
    let mut parser = Parser::new();
    parser.push(b"id: 1\n\nid: 2\n", |_| ()).unwrap();
    assert_eq!(parser.last_event_id(), "1");
}

#[test]
fn retry_is_digits_only() {
    check(b"retry: 250\n", &["retry 250"]);
    check(b"retry: 2s\nretry:\nretry: -1\nretry: 99999999999999999999999\n", &[]);
    let mut parser = Parser::new();
    parser.push(b"retry: 5\nretry: x\n", |_| ()).unwrap();
    assert_eq!(parser.retry(), Some(5));
}

#[test]
fn comments_and_unknown_fields_emit_no_events() {
    check(
        b": OPENROUTER PROCESSING\n\ndata: a\n:\nfoo: b\nDATA: c\n data: d\n\n",
        &["# OPENROUTER PROCESSING", "#", "message|a|"],
    );
}

#[test]
fn one_leading_byte_order_mark_is_passed_over() {
    check(b"\xEF\xBB\xBFdata: a\n\n", &["message|a|"]);
    check(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\ndata: b\n\n", &["message|b|"]);
    check(b"\n\xEF\xBB\xBFdata: a\ndata: b\n\n", &["message|b|"]);
    check(b"data: \xEF\xBB\xBFa\n\n", &["message|\u{FEFF}a|"]);
}

#[test]
fn invalid_utf8_is_replaced_and_the_stream_continues() {
    check(b"data: a\xFFb\xE2\x82\n\ndata: \xE2\x82\xAC\n\n", &["message|a\u{FFFD}b\u{FFFD}|", "message|€|"]);
    check(b"event: \xFF\nid: \xFE\n: \xFD\ndata: x\n\n", &["# \u{FFFD}", "\u{FFFD}|x|\u{FFFD}"]);
}

#[test]
fn an_unfinished_event_is_discarded_and_reported() {
    #[track_caller]
    fn check(stream: &[u8], ending: Ending) {
        let mut parser = Parser::new();
        let mut events = 0;
        parser.push(stream, |_| events += 1).unwrap();
        assert_eq!((parser.finish(), events), (ending, 1));
    }
    check(b"data: a\n\n", Ending::Clean);
    check(b"data: a\n\n: comment\n", Ending::Clean);
    check(b"data: a\n\ndata: b\n", Ending::Cut);
    check(b"data: a\n\ndata: b", Ending::Cut);
    check(b"data: a\n\nevent: b\n", Ending::Cut);
}

#[test]
fn a_whole_event_is_lent_out_of_the_pushed_bytes() {
    let stream = b"event: delta\ndata: {\"text\": \"hello\"}\n\n";
    let range = stream.as_ptr_range();
    let mut lent = 0;
    Parser::new()
        .push(stream, |event| {
            lent += usize::from(range.contains(&event.data.as_ptr()));
        })
        .unwrap();
    assert_eq!(lent, 1);
}
