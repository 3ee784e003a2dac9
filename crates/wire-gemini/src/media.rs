//! Pictures and documents that the API refuses. The check of a request and its encoding share the rules.

use windlass_protocol::{File, FileSource, Image, ImageSource, Part, RefusalKind};

/// Returns the reason for which the API does not take a picture or a document, or `None` if it takes it, and for all
/// other parts.
pub(crate) fn media_refusal(part: &Part) -> Option<(RefusalKind, String)> {
    let (media_type, has_bytes) = match part {
        Part::Image(Image { media_type, source, .. }) => {
            (media_type, matches!(source, ImageSource::Base64(_)))
        }
        Part::File(File { media_type, source, .. }) => (media_type, matches!(source, FileSource::Base64(_))),
        _ => return None,
    };
    // The API does not guess the media type of bytes.
    if has_bytes && media_type.is_empty() {
        return Some((RefusalKind::Parameter, "bytes without a media type".to_owned()));
    }
    // Guide to image understanding: PNG, JPEG, WEBP, HEIC, HEIF; else "Unsupported MIME type".
    let known = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
    let is_refused = has_bytes && media_type.starts_with("image/") && !known.contains(&media_type.as_str());
    let what = || format!("a picture of {media_type}; png, jpeg, webp, heic and heif are taken");
    is_refused.then(|| (RefusalKind::Unsupported, what()))
}
