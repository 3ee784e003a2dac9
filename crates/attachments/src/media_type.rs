//! Detection of media types from the content of files.

/// Number of bytes at the start of a PDF in which its header may be. Readers of PDF tolerate bytes before it.
const PDF_HEAD: usize = 1_024;

/// Extensions of formats that share their first bytes with others, or have no typical first bytes.
const BY_EXTENSION: &[(&str, &str)] = &[
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("pdf", "application/pdf"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("wav", "audio/wav"),
    ("mp3", "audio/mpeg"),
    ("flac", "audio/flac"),
    ("ogg", "audio/ogg"),
    ("m4a", "audio/mp4"),
    ("mp4", "video/mp4"),
    ("mov", "video/quicktime"),
    ("webm", "video/webm"),
    ("txt", "text/plain"),
    ("md", "text/markdown"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("json", "application/json"),
];

/// Returns the media type of a file from its first bytes, or `None` for text and for unknown formats. The name decides
/// only between formats that begin with the same bytes, such as Office documents, which are ZIP archives.
///
/// ```
/// use windlass_attachments::detect_media_type;
/// assert_eq!(detect_media_type(b"%PDF-1.7\n", "page.png"), Some("application/pdf"));
/// assert_eq!(detect_media_type(b"just words", "page.pdf"), None);
/// ```
pub fn detect_media_type(bytes: &[u8], name: &str) -> Option<&'static str> {
    let by_name = media_type_of_name(name);
    Some(match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => "audio/wav",
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => "image/bmp",
        [b'I', b'I', 0x2a, 0, ..] | [b'M', b'M', 0, 0x2a, ..] => "image/tiff",
        [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => media_type_of_brand(brand),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => "video/webm",
        [b'f', b'L', b'a', b'C', ..] => "audio/flac",
        [b'O', b'g', b'g', b'S', ..] => "audio/ogg",
        [b'I', b'D', b'3', ..] | [0xff, 0xfb | 0xf3 | 0xf2, ..] => "audio/mpeg",
        [b'P', b'K', 3 | 5, 4 | 6, ..] => {
            by_name.filter(|name| name.contains("openxmlformats")).unwrap_or("application/zip")
        }
        [0x1f, 0x8b, ..] => "application/gzip",
        _ if contains_pdf_header(bytes) => "application/pdf",
        _ => return None,
    })
}

/// Returns the media type that a name or the path of an address indicates.
pub(crate) fn media_type_of_name(name: &str) -> Option<&'static str> {
    let extension = extension_of(name)?.to_ascii_lowercase();
    BY_EXTENSION.iter().find(|(known, _)| *known == extension).map(|(_, media_type)| *media_type)
}

/// Returns the extension of a name, without its dot.
pub(crate) fn extension_of(name: &str) -> Option<&str> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.rsplit_once('.').map(|(_, extension)| extension).filter(|extension| !extension.is_empty())
}

/// Returns the media type of a file of the ISO base media format, from its major brand.
fn media_type_of_brand(brand: &[u8]) -> &'static str {
    match brand {
        [b'h', b'e', b'i' | b'v', ..] | [b'm', b'i', b'f', b'1', ..] => "image/heic",
        [b'a', b'v', b'i', b'f' | b's', ..] => "image/avif",
        [b'M', b'4', b'A', ..] => "audio/mp4",
        [b'q', b't', ..] => "video/quicktime",
        _ => "video/mp4",
    }
}

fn contains_pdf_header(bytes: &[u8]) -> bool {
    bytes.get(..bytes.len().min(PDF_HEAD)).is_some_and(|head| head.windows(5).any(|part| part == b"%PDF-"))
}

#[cfg(test)]
mod tests;
