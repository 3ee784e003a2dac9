//! Types and characters.

use super::{DeclaredMedia, Media};

#[track_caller]
fn check(header: &str, body: &[u8], expected: Option<(Media, &str)>) {
    let declared = DeclaredMedia::parse(header);
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
    // A declared type that is wrong, and a missing one.
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
    // A cut through a character does not indicate another encoding.
    check("text/plain", b"\xc3\xa4\xc3", Some((Media::Text, "ä\u{fffd}")));
}

// Only a `meta` element declares the encoding of a page.
#[test]
fn the_charset_of_scripts_comments_and_text_does_not_count() {
    let decode = |page: &str| {
        let body = [page.as_bytes(), b"<p>caf\xe9</p>"].concat();
        DeclaredMedia::parse("text/html").decode(&body, Media::Html)
    };
    for page in [
        "<script charset=\"utf-8\" src=x></script>",
        "<!-- <meta charset=utf-8> -->",
        "<p>charset is a word</p><p>charset=utf-8</p>",
        "<script charset=utf-8></script><meta charset=windows-1252>",
        "the charset <meta name=x content='charset=utf-8'><meta http-equiv=Content-Type content='text/html; charset of = charset=\"iso-8859-1\"'>",
        "<meta charset=nonsense><meta charset='latin1'>",
    ] {
        assert!(decode(page).ends_with("<p>caf\u{e9}</p>"), "{page}");
    }
    assert!(decode("<META CHARSET=UTF-8>").ends_with("<p>caf\u{fffd}</p>"));
}
