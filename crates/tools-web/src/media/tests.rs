//! Types and characters.

use super::{Declared, Media};

#[track_caller]
fn check(header: &str, body: &[u8], expected: Option<(Media, &str)>) {
    let declared = Declared::parse(header);
    let media = declared.media(body).filter(|_| !declared.is_binary(body));
    let read = media.map(|media| (media, declared.decode(body, media)));
    assert_eq!(read.as_ref().map(|(media, text)| (*media, text.as_str())), expected, "{header} {body:?}");
}

#[test]
fn only_text_is_read() {
    check("text/html; charset=utf-8", b"a", Some((Media::Html, "a")));
    check("Application/XHTML+XML", b"a", Some((Media::Html, "a")));
    for text in
        ["text/plain", "application/json", "application/ld+json", "image/svg+xml", "application/x-yaml"]
    {
        check(text, b"a", Some((Media::Text, "a")));
    }
    for other in ["image/png", "application/pdf", "application/octet-stream", "video/mp4", "font/woff2"] {
        check(other, b"a", None);
    }
    // A type that lies, and one that is missing.
    check("text/plain", b"a\0b", None);
    check("", b"\x7fELF\0", None);
    check("", b" <!DOCTYPE html><p>", Some((Media::Html, " <!DOCTYPE html><p>")));
    check("", b"a", Some((Media::Text, "a")));
    check("text/<b>", b"a", Some((Media::Text, "a")));
}

#[test]
fn characters_follow_mark_then_header_then_page() {
    check("text/plain", "ä".as_bytes(), Some((Media::Text, "ä")));
    check("text/plain", b"\xe4 ", Some((Media::Text, "ä ")));
    check("text/plain; charset=\"ISO-8859-1\"", b"\xe4", Some((Media::Text, "ä")));
    check("text/plain; charset=none", b"a", Some((Media::Text, "a")));
    check("text/plain; charset=latin1", b"\xef\xbb\xbf\xc3\xa4", Some((Media::Text, "ä")));
    check("text/plain", b"\xff\xfea\0b\0", Some((Media::Text, "ab")));
    check("text/plain; charset=utf-16le", b"a\0b\0", Some((Media::Text, "ab")));
    check("text/html", b"<meta charset='koi8-r'>\xc1", Some((Media::Html, "<meta charset='koi8-r'>а")));
    let older = b"<meta content=\"text/html; charset=windows-1251\">\xe0";
    check("text/html", older, Some((Media::Html, "<meta content=\"text/html; charset=windows-1251\">а")));
    // A cut through a character is no sign of another encoding.
    check("text/plain", b"\xc3\xa4\xc3", Some((Media::Text, "ä\u{fffd}")));
}
