//! Addresses that the provider fetches, and data URLs.

use windlass_attachments::{AttachmentError, AttachmentLimits, AttachmentReader, url};
use windlass_protocol::{File, Image, Part};

#[test]
fn the_extension_of_an_address_decides_between_picture_and_file() {
    let address = "https://a.example/x/shot.PNG?size=2#top";
    assert_eq!(url(address).unwrap(), Part::Image(Image::url("image/png", address)));
    let address = "gs://bucket/report.pdf";
    let file = File::url("application/pdf", address).with_name(Some("report.pdf".to_owned()));
    assert_eq!(url(address).unwrap(), Part::File(file));
}

#[test]
fn other_addresses_are_refused_with_a_remedy() {
    for (address, reason) in [
        ("file:///etc/passwd", "only http, https, gs and data addresses can be attached"),
        (
            "https://a.example",
            "its type is not known; state the type with `AttachmentReader::with_media_type`",
        ),
        (
            "https://a.example.png",
            "its type is not known; state the type with `AttachmentReader::with_media_type`",
        ),
        ("data:text/plain", "a data address needs a comma before its data"),
        ("data:text/plain,hi", "only base64 data addresses are read; encode the data with base64"),
        ("data:;base64,%", "the data is not valid base64; encode it with standard base64"),
    ] {
        let error = url(address).unwrap_err();
        assert_eq!(error.to_string(), format!("`{address}` cannot be attached: {reason}"));
    }
    let long = format!("https://a.example/{}.png", "a".repeat(10_000));
    let error = url(&long).unwrap_err().to_string();
    assert!(error.len() < 300, "{error}");
    let reader = AttachmentReader::new().with_media_type("image/webp");
    assert!(matches!(reader.read_url("https://a.example/shot").unwrap(), Part::Image(_)));
}

#[test]
fn a_data_address_is_read_like_a_file_within_the_limit() {
    let part = url("data:text/plain;charset=utf-8;base64,aGk=").unwrap();
    assert_eq!(part, Part::text("File `data.txt`:\n\n```txt\nhi\n```\n"));
    assert!(matches!(url("data:application/pdf;base64,JVBERi0xLjcK").unwrap(), Part::File(_)));
    let limits = AttachmentLimits { file_bytes: 3_000, ..AttachmentLimits::default() };
    let reader = AttachmentReader::new().with_limits(limits);
    let long = format!("data:text/plain;base64,{}", "YWFh".repeat(1_001));
    assert!(matches!(reader.read_url(&long).unwrap_err(), AttachmentError::Url { .. }));
}
