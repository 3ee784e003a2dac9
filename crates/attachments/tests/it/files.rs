//! Files and texts.

use std::fs;

use windlass_attachments::{Attach, AttachmentError, AttachmentReader, file, file_bytes, image};
use windlass_protocol::{FileSource, Message, Part};

fn text_of(part: &Part) -> &str {
    match part {
        Part::Text(text) => &text.text,
        part => panic!("{part:?}"),
    }
}

#[test]
fn a_pdf_becomes_a_file_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    // The extension does not decide.
    let path = folder.path().join("report.txt");
    fs::write(&path, b"%PDF-1.7\n").unwrap();
    let Part::File(report) = file(&path).unwrap() else { panic!("not a file") };
    assert_eq!((report.media_type.as_str(), report.name.as_deref()), ("application/pdf", Some("report.txt")));
    assert_eq!(report.source, FileSource::Base64("JVBERi0xLjcK".to_owned()));
}

#[test]
fn a_text_becomes_text_in_a_fence_that_it_cannot_end() {
    let part = file_bytes(b"a\n````\nb".to_vec(), "notes.md").unwrap();
    assert_eq!(text_of(&part), "File `notes.md`:\n\n`````md\na\n````\nb\n`````\n");
    // Another encoding, and a name that would leave its line.
    let part = file_bytes(b"\xff\xfeh\0i\0".to_vec(), "a`\n.txt").unwrap();
    assert_eq!(text_of(&part), "File `a  .txt`:\n\n```txt\nhi\n```\n");
}

#[test]
fn a_message_gets_parts_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    fs::write(&path, "x,y\n").unwrap();
    let message = Message::user("read").attach(&path).unwrap().attach_url("https://a.example/b.png").unwrap();
    assert!(matches!(message.parts.as_slice(), [Part::Text(_), Part::Text(_), Part::Image(_)]));
}

#[test]
fn an_unknown_type_can_be_stated() {
    let bytes = b"\0\x01\x02\x03\0\0".to_vec();
    let error = file_bytes(bytes.clone(), "data.bin").unwrap_err();
    assert!(matches!(error, AttachmentError::UnknownType { .. }), "{error}");
    let reader = AttachmentReader::new().with_media_type("application/x-parquet");
    let Part::File(file) = reader.read_file_bytes(bytes, "data.bin").unwrap() else { panic!("not a file") };
    assert_eq!(file.media_type, "application/x-parquet");
}

#[test]
fn files_beyond_the_limits_are_refused_without_being_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse");
    fs::File::create(&path).unwrap().set_len(10 << 30).unwrap();
    let error = file(&path).unwrap_err();
    assert!(matches!(error, AttachmentError::TooLarge { len: 10_737_418_240, .. }), "{error}");
    let error = file_bytes(vec![b'a'; 2_000_000], "a.txt").unwrap_err();
    assert!(matches!(error, AttachmentError::TooLarge { kind: "a text", limit: 1_048_576, .. }), "{error}");
    assert!(matches!(file_bytes(Vec::new(), "a").unwrap_err(), AttachmentError::Empty { .. }));
    assert!(matches!(file(folder.path()).unwrap_err(), AttachmentError::NotAFile { .. }));
    let error = image(folder.path().join("absent.png")).unwrap_err();
    assert!(error.to_string().contains("absent.png` cannot be read"), "{error}");
}
