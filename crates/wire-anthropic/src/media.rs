//! Pictures and documents that the API refuses. The check of a request and its encoding share the rules.

use windlass_protocol::{FileSource, ImageSource, Part, Role};

/// Returns the reason for which a message of this role cannot have a picture or a document, or `None` if it can, and for
/// all other parts.
pub(crate) fn media_refusal(role: Role, part: &Part) -> Option<String> {
    match part {
        // API reference: the content of the assistant has no blocks of these types.
        Part::Image(_) | Part::File(_) if role == Role::Assistant => {
            Some("an image or a document in an assistant message".to_owned())
        }
        // Vision documentation: "JPEG, PNG, GIF and WebP".
        Part::Image(image) => {
            let media_type = image.media_type.as_str();
            let is_known = matches!(media_type, "image/jpeg" | "image/png" | "image/gif" | "image/webp");
            let is_refused = matches!(image.source, ImageSource::Base64(_)) && !is_known;
            is_refused
                .then(|| format!("a picture of {media_type:?}; image/jpeg, png, gif and webp are taken"))
        }
        // The API documents PDF and plain text.
        Part::File(file) => {
            let is_known = file.media_type == "application/pdf" || file.media_type.starts_with("text/");
            let is_refused = matches!(file.source, FileSource::Base64(_)) && !is_known;
            is_refused.then(|| format!("a document of {:?}; PDF and plain text are taken", file.media_type))
        }
        _ => None,
    }
}
