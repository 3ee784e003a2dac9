//! Whole pictures, and every way to cut them.

use super::*;

/// A gray dot, as encoders write it.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\xdacd\xf8\xcfP\x0f\0\x03\x86\x01\x80Z4}k\0\0\0\0IEND\xaeB`\x82";
const GIF: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
const WEBP: &[u8] = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0/\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0";
/// A frame header, a scan with a stuffed byte and a restart, and the end.
const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x04\0\0\xff\xc0\0\x0b\x08\0\x01\0\x01\x01\x01\x11\0\xff\xda\0\x08\x01\x01\0\0?\0\x12\xff\0\xff\xd0\x34\xff\xd9";

#[test]
fn whole_pictures_are_read_and_no_cut_or_damaged_one_is() {
    for (bytes, format) in [
        (PNG, PictureFormat::Png),
        (GIF, PictureFormat::Gif),
        (WEBP, PictureFormat::Webp),
        (JPEG, PictureFormat::Jpeg),
    ] {
        assert_eq!(Picture::read(bytes), Ok(Picture { format, width: 1, height: 1 }));
        // Bytes after the end are ignored, as decoders do.
        assert!(Picture::read(&[bytes, b"\0more"].concat()).is_ok(), "{format}");
        // A GIF may lack its last byte, and a WebP file the padding of its last chunk, but not bytes that its
        // length counts.
        let least = bytes.len() - usize::from(format == PictureFormat::Gif);
        for end in 0..least {
            let met = Picture::read(&bytes[..end]);
            assert!(
                matches!(met, Err(PictureError::Broken(_) | PictureError::Other)),
                "{format} {end} {met:?}"
            );
        }
    }
    let mut damaged = PNG.to_vec();
    damaged[45] ^= 1;
    assert_eq!(Picture::read(&damaged), Err(PictureError::Broken(PictureFormat::Png)));
    assert_eq!(Picture::read(b"text"), Err(PictureError::Other));
}

#[test]
fn sides_and_bytes_have_limits() {
    let mut wide = GIF.to_vec();
    wide[7] = 0x20;
    let met = Picture::read(&wide).unwrap_err().to_string();
    assert!(met.starts_with("is a picture of 8193x1 and 35 bytes; at most 8000x8000"), "{met}");
    wide[6..8].fill(0);
    assert!(matches!(Picture::read(&wide), Err(PictureError::TooLarge { width: 0, .. })));
    let long = [GIF, &vec![0; MAX_PICTURE_BYTES]].concat();
    assert!(matches!(Picture::read(&long), Err(PictureError::TooLarge { width: 1, .. })));
}
