//! Pictures within the limits of providers: decoding, resizing and encoding.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, imageops::FilterType};
use windlass_text::{Picture, PictureError, PictureFormat};

use crate::media_type::detect_media_type;
use crate::{AttachmentError, AttachmentLimits};

/// Quality of JPEG, from 1 to 100.
const QUALITY: u8 = 85;
/// Largest number of attempts to encode a picture within its limit. Each attempt has 9/16 of the pixels of the last.
const ATTEMPTS: usize = 8;

/// A picture and its limits.
struct Task<'a> {
    name: &'a str,
    format: PictureFormat,
    limits: &'a AttachmentLimits,
}

/// Returns the media type and the bytes of a picture within the limits. A picture that already is within the limits and
/// upright is returned unchanged, with all its frames and its metadata; of any other animation only the first frame
/// remains.
pub(crate) fn prepare_picture(
    name: &str,
    bytes: Vec<u8>,
    limits: &AttachmentLimits,
) -> Result<(&'static str, Vec<u8>), AttachmentError> {
    let format = PictureFormat::detect(&bytes).ok_or_else(|| refuse_type(name, &bytes))?;
    let task = Task { name, format, limits };
    let (width, height) = task.check_header(&bytes)?;
    let mut decoder = task.open(&bytes)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let side = limits.image_side;
    let fits = width.max(height) <= side && bytes.len() <= limits.encoded_image_bytes;
    if fits && orientation == Orientation::NoTransforms {
        drop(decoder);
        return Ok((format.media_type(), bytes));
    }
    let pixels = DynamicImage::from_decoder(decoder).map_err(|error| task.to_error(&error))?;
    // The file is not needed any more.
    drop(bytes);
    let mut pixels = shrink(pixels, side);
    pixels.apply_orientation(orientation);
    task.encode(to_eight_bits(pixels))
}

impl Task<'_> {
    /// Returns width and height from the header, and refuses more pixels than the limit before a decoder exists.
    fn check_header(&self, bytes: &[u8]) -> Result<(u32, u32), AttachmentError> {
        let (width, height) = match Picture::read(bytes) {
            Ok(picture) => (picture.width, picture.height),
            Err(PictureError::TooLarge { width, height, .. }) if width > 0 && height > 0 => (width, height),
            Err(error) => return Err(self.reject_picture(error.to_string())),
        };
        let limit = self.limits.image_pixels;
        if u64::from(width).saturating_mul(u64::from(height)) > limit {
            return Err(AttachmentError::TooManyPixels { name: self.name.to_owned(), width, height, limit });
        }
        Ok((width, height))
    }

    /// Returns a decoder whose memory is limited.
    fn open<'b>(&self, bytes: &'b [u8]) -> Result<impl ImageDecoder + 'b, AttachmentError> {
        let format = match self.format {
            PictureFormat::Png => ImageFormat::Png,
            PictureFormat::Jpeg => ImageFormat::Jpeg,
            PictureFormat::Gif => ImageFormat::Gif,
            PictureFormat::Webp => ImageFormat::WebP,
            _ => return Err(self.reject_picture("the format is not decoded".to_owned())),
        };
        let limit = self.limits.decode_memory;
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        let mut memory = image::Limits::default();
        memory.max_alloc = Some(limit);
        reader.limits(memory);
        let decoder = reader.into_decoder().map_err(|error| self.to_error(&error))?;
        // `DynamicImage::from_decoder` does not count its own buffer, and the decoder of JPEG does not count the
        // coefficients of a progressive picture: two bytes for each byte of its pixels.
        let copies = if self.format == PictureFormat::Jpeg && is_progressive(bytes) { 3 } else { 1 };
        if decoder.total_bytes().saturating_mul(copies) > limit {
            return Err(AttachmentError::DecodeMemory { name: self.name.to_owned(), limit });
        }
        Ok(decoder)
    }

    /// Encodes a picture, and reduces it until it is within the limit.
    fn encode(&self, mut pixels: DynamicImage) -> Result<(&'static str, Vec<u8>), AttachmentError> {
        let limit = self.limits.encoded_image_bytes;
        let failed = |reason: String| AttachmentError::Encode { name: self.name.to_owned(), limit, reason };
        let is_photo = matches!(self.format, PictureFormat::Jpeg | PictureFormat::Webp);
        for _ in 0..ATTEMPTS {
            if pixels.color().has_alpha() || !is_photo {
                let mut bytes = Vec::new();
                let written = pixels.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png);
                written.map_err(|error| failed(error.to_string()))?;
                if bytes.len() <= limit {
                    return Ok(("image/png", bytes));
                }
            }
            if !pixels.color().has_alpha() {
                let mut bytes = Vec::new();
                let written = JpegEncoder::new_with_quality(&mut bytes, QUALITY).encode_image(&pixels);
                written.map_err(|error| failed(error.to_string()))?;
                if bytes.len() <= limit {
                    return Ok(("image/jpeg", bytes));
                }
            }
            let side = pixels.width().max(pixels.height());
            pixels = shrink(pixels, (side / 4).saturating_mul(3).max(1));
        }
        Err(failed("it is larger after several reductions".to_owned()))
    }

    fn to_error(&self, error: &ImageError) -> AttachmentError {
        match error {
            ImageError::Limits(_) => {
                AttachmentError::DecodeMemory { name: self.name.to_owned(), limit: self.limits.decode_memory }
            }
            error => self.reject_picture(error.to_string()),
        }
    }

    fn reject_picture(&self, reason: String) -> AttachmentError {
        let media_type = self.format.media_type();
        AttachmentError::BrokenImage { name: self.name.to_owned(), media_type, reason }
    }
}

/// Returns true if the frame header of a JPEG states progressive coding.
fn is_progressive(jpeg: &[u8]) -> bool {
    let mut rest = jpeg.get(2..).unwrap_or_default();
    loop {
        match rest {
            [0xff, 0xff, ..] => rest = rest.get(1..).unwrap_or_default(),
            // Frame headers are SOF0 to SOF15; C4, C8 and CC are other segments.
            [0xff, 0xc2 | 0xc6 | 0xca | 0xce, ..] => return true,
            [0xff, marker, high, low, ..] if !matches!(marker, 0xc0..=0xc3 | 0xc5..=0xc7 | 0xda) => {
                let len = usize::from(u16::from_be_bytes([*high, *low])).saturating_add(2);
                rest = rest.get(len..).unwrap_or_default();
            }
            _ => return false,
        }
    }
}

/// Returns a picture whose sides are at most `side`, in the same aspect ratio.
fn shrink(mut pixels: DynamicImage, side: u32) -> DynamicImage {
    let (width, height) = (pixels.width(), pixels.height());
    let longest = width.max(height);
    if longest <= side {
        return pixels;
    }
    let scale = |length: u32, side: u32| {
        let scaled = u64::from(length).saturating_mul(u64::from(side)).div_ceil(u64::from(longest));
        u32::try_from(scaled).unwrap_or(side).clamp(1, side)
    };
    // The precise filter holds four floats for each pixel of an intermediate picture. An average of whole pixels reduces
    // a very large picture to twice the size first.
    let twice = side.saturating_mul(2);
    if longest > twice {
        pixels = pixels.thumbnail_exact(scale(width, twice), scale(height, twice));
    }
    pixels.resize_exact(scale(width, side), scale(height, side), FilterType::CatmullRom)
}

/// Returns the picture with eight bits per channel, without an alpha channel if all its pixels are opaque.
fn to_eight_bits(pixels: DynamicImage) -> DynamicImage {
    if pixels.color().has_alpha() {
        let pixels = pixels.into_rgba8();
        if pixels.pixels().any(|pixel| pixel.0[3] < u8::MAX) {
            return DynamicImage::ImageRgba8(pixels);
        }
        return DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(pixels).into_rgb8());
    }
    if pixels.color().has_color() {
        DynamicImage::ImageRgb8(pixels.into_rgb8())
    } else {
        DynamicImage::ImageLuma8(pixels.into_luma8())
    }
}

fn refuse_type(name: &str, bytes: &[u8]) -> AttachmentError {
    let name = name.to_owned();
    match detect_media_type(bytes, &name) {
        Some(media_type) if media_type.starts_with("image/") => {
            AttachmentError::UnsupportedImage { name, media_type: media_type.to_owned() }
        }
        media_type => {
            let media_type = media_type.unwrap_or("text or unknown").to_owned();
            AttachmentError::NotAnImage { name, media_type }
        }
    }
}
