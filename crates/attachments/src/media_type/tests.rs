//! Tests of the detection of media types.

use super::{detect_media_type, extension_of, media_type_of_name};

#[test]
fn the_content_decides_and_the_name_only_between_equal_beginnings() {
    for (bytes, name, expected) in [
        (&b"\x89PNG\r\n\x1a\n...."[..], "a.txt", Some("image/png")),
        (b"\xff\xd8\xff\xe0", "a.png", Some("image/jpeg")),
        (b"RIFF....WEBPVP8 ", "a", Some("image/webp")),
        (b"RIFF....WAVEfmt ", "a", Some("audio/wav")),
        (b"\0\0\0\x18ftypheic", "a.jpg", Some("image/heic")),
        (b"\0\0\0\x18ftypM4A ", "a", Some("audio/mp4")),
        (b"\0\0\0\x18ftypisom", "a", Some("video/mp4")),
        (b"ID3\x04", "a", Some("audio/mpeg")),
        (b"II*\0", "a", Some("image/tiff")),
        (b"\n\n%PDF-1.4", "a", Some("application/pdf")),
        (b"PK\x03\x04", "a.pdf", Some("application/zip")),
        (b"plain words about %PDF", "a.pdf", None),
        (b"", "a.pdf", None),
    ] {
        assert_eq!(detect_media_type(bytes, name), expected, "{name}: {bytes:?}");
    }
    let document = detect_media_type(b"PK\x03\x04", "report.docx");
    assert!(document.is_some_and(|media_type| media_type.ends_with("wordprocessingml.document")));
}

#[test]
fn an_extension_is_read_from_the_last_part_of_a_path() {
    assert_eq!(extension_of("a.b/c"), None);
    assert_eq!(extension_of("a/b.tar.gz"), Some("gz"));
    assert_eq!(media_type_of_name("https://example.com/a/SHOT.PNG"), Some("image/png"));
    assert_eq!(media_type_of_name("shot"), None);
}
