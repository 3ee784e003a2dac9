//! Pictures: detection, resizing, orientation, limits.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use windlass_attachments::{AttachmentError, AttachmentLimits, AttachmentReader, image_bytes};
use windlass_protocol::{Image, ImageSource};

/// A picture whose left half is red and whose right half is blue.
fn halves(width: u32, height: u32) -> DynamicImage {
    let color = |x| if x < width / 2 { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) };
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |x, _| color(x)))
}

/// Noise that does not compress. The sequence is that of a linear congruential generator.
fn noise(width: u32, height: u32) -> RgbImage {
    let mut state = 1_u32;
    RgbImage::from_fn(width, height, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [_, red, green, blue] = state.to_be_bytes();
        Rgb([red, green, blue])
    })
}

fn encode(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
    bytes
}

fn bytes_of(image: &Image) -> Vec<u8> {
    match &image.source {
        ImageSource::Base64(data) => STANDARD.decode(data).unwrap(),
        source => panic!("{source:?}"),
    }
}

fn decode(image: &Image) -> DynamicImage {
    let format = ImageFormat::from_mime_type(&image.media_type).unwrap();
    image::load_from_memory_with_format(&bytes_of(image), format).unwrap()
}

fn reader(side: u32) -> AttachmentReader {
    AttachmentReader::new().with_limits(AttachmentLimits { image_side: side, ..AttachmentLimits::default() })
}

/// Inserts a segment with EXIF data, whose only entry is the orientation, after the start of a JPEG.
fn with_orientation(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    let len = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &len[..], &exif[..], &jpeg[2..]].concat()
}

#[test]
fn a_picture_within_the_limits_keeps_its_bytes_in_each_format() {
    for (format, media_type) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/gif"),
        (ImageFormat::WebP, "image/webp"),
    ] {
        let bytes = encode(&halves(64, 32), format);
        let image = image_bytes(bytes.clone(), "wrong.txt").unwrap();
        assert_eq!(image.media_type, media_type);
        assert_eq!(bytes_of(&image), bytes, "{media_type}");
    }
}

#[test]
fn a_large_picture_is_resized_in_its_aspect_ratio_in_each_format() {
    for (format, media_type) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/png"),
        (ImageFormat::WebP, "image/jpeg"),
    ] {
        // Below and above twice the limit, where the picture is reduced in two steps.
        for (width, height) in [(300, 150), (1_200, 600)] {
            let image = reader(200).read_image_bytes(encode(&halves(width, height), format), "a").unwrap();
            assert_eq!(image.media_type, media_type);
            let picture = decode(&image).into_rgb8();
            assert_eq!(picture.dimensions(), (200, 100), "{media_type}");
            let (left, right) = (picture.get_pixel(20, 50).0, picture.get_pixel(180, 50).0);
            assert!(left[0] > 240 && left[2] < 15, "{left:?}");
            assert!(right[2] > 240 && right[0] < 15, "{right:?}");
        }
    }
}

#[test]
fn a_very_flat_picture_keeps_one_row() {
    let image = reader(100).read_image_bytes(encode(&halves(3_000, 1), ImageFormat::Png), "a").unwrap();
    assert_eq!((decode(&image).width(), decode(&image).height()), (100, 1));
}

#[test]
fn the_orientation_of_a_photo_is_applied() {
    // Orientation 6: the camera was turned, so the picture has to be turned clockwise by 90 degrees.
    let turned = with_orientation(&encode(&halves(64, 32), ImageFormat::Jpeg), 6);
    let image = image_bytes(turned, "photo.jpg").unwrap();
    let picture = decode(&image).into_rgb8();
    assert_eq!(picture.dimensions(), (32, 64));
    assert!(picture.get_pixel(16, 5).0[0] > 200, "the left half is at the top");
    assert!(picture.get_pixel(16, 60).0[2] > 200);
    let upright = with_orientation(&encode(&halves(64, 32), ImageFormat::Jpeg), 1);
    assert_eq!(bytes_of(&image_bytes(upright.clone(), "photo.jpg").unwrap()), upright);
}

#[test]
fn transparency_is_kept_and_a_useless_alpha_channel_is_removed() {
    let clear = RgbaImage::from_fn(300, 300, |x, _| Rgba([0, 200, 0, if x < 150 { 0 } else { 255 }]));
    let bytes = encode(&DynamicImage::ImageRgba8(clear), ImageFormat::WebP);
    let image = reader(100).read_image_bytes(bytes, "a.webp").unwrap();
    assert_eq!(image.media_type, "image/png");
    assert_eq!(decode(&image).into_rgba8().get_pixel(10, 10).0[3], 0);
    let opaque = DynamicImage::ImageRgba8(halves(300, 300).into_rgba8());
    let image = reader(100).read_image_bytes(encode(&opaque, ImageFormat::Png), "a.png").unwrap();
    assert!(!decode(&image).color().has_alpha());
}

#[test]
fn a_picture_that_does_not_compress_ends_within_the_limit_of_bytes() {
    let limits = AttachmentLimits { encoded_image_bytes: 20_000, ..AttachmentLimits::default() };
    let reader = AttachmentReader::new().with_limits(limits);
    let png = encode(&DynamicImage::ImageRgb8(noise(600, 600)), ImageFormat::Png);
    assert!(png.len() > 1_000_000);
    let image = reader.read_image_bytes(png, "noise.png").unwrap();
    assert!(bytes_of(&image).len() <= 20_000);
    let clear = RgbaImage::from_fn(600, 600, |x, y| {
        let [red, green, blue, alpha] = x.wrapping_mul(y).wrapping_mul(2_654_435_761).to_be_bytes();
        Rgba([red, green, blue, alpha])
    });
    let png = encode(&DynamicImage::ImageRgba8(clear), ImageFormat::Png);
    assert!(bytes_of(&reader.read_image_bytes(png, "clear.png").unwrap()).len() <= 20_000);
    let limits = AttachmentLimits { encoded_image_bytes: 10, ..AttachmentLimits::default() };
    let png = encode(&halves(64, 64), ImageFormat::Png);
    let error = AttachmentReader::new().with_limits(limits).read_image_bytes(png, "a.png").unwrap_err();
    assert!(matches!(error, AttachmentError::Encode { limit: 10, .. }), "{error}");
}

/// A PNG whose header states the size, with almost no data.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = encode(&halves(8, 8), ImageFormat::Png);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    bytes
}

#[test]
fn a_decompression_bomb_is_refused_before_it_is_decoded() {
    let error = image_bytes(png_header(50_000, 50_000), "bomb.png").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`bomb.png` is a picture of 50000x50000 pixels, and at most 120000000 pixels are decoded; reduce it first"
    );
    // Within the limit of pixels, but not of memory.
    let limits = AttachmentLimits { decode_memory: 1_000_000, ..AttachmentLimits::default() };
    let reader = AttachmentReader::new().with_limits(limits);
    let error =
        reader.read_image_bytes(encode(&halves(2_400, 1_000), ImageFormat::Png), "a.png").unwrap_err();
    assert!(matches!(error, AttachmentError::DecodeMemory { .. }), "{error}");
}

#[test]
fn a_progressive_photo_counts_three_times_for_the_limit_of_memory() {
    let mut jpeg = encode(&halves(400, 400), ImageFormat::Jpeg);
    let limits = AttachmentLimits { decode_memory: 500_000, image_side: 100, ..AttachmentLimits::default() };
    let reader = AttachmentReader::new().with_limits(limits);
    reader.read_image_bytes(jpeg.clone(), "a.jpg").unwrap();
    let start = jpeg.windows(2).position(|marker| marker == [0xff, 0xc0]).unwrap();
    jpeg[start + 1] = 0xc2;
    let error = reader.read_image_bytes(jpeg, "a.jpg").unwrap_err();
    assert!(matches!(error, AttachmentError::DecodeMemory { .. }), "{error}");
}

#[test]
fn a_cut_picture_and_an_unsupported_format_are_refused_with_a_remedy() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
        let bytes = encode(&halves(3_000, 20), format);
        let cut = bytes[..bytes.len() / 2].to_vec();
        let error = image_bytes(cut, "cut").unwrap_err();
        assert!(matches!(error, AttachmentError::BrokenImage { .. }), "{format:?}: {error}");
    }
    let error = image_bytes(b"\0\0\0\x18ftypheic".to_vec(), "photo.heic").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`photo.heic` is a picture of type image/heic, which models do not take; convert it to PNG or JPEG"
    );
    let error = image_bytes(b"%PDF-1.7".to_vec(), "a.png").unwrap_err();
    assert_eq!(error.to_string(), "`a.png` is not a picture (application/pdf); attach it as a file");
}
