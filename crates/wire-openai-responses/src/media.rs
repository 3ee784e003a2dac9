//! Pictures and documents that the API refuses. The check of a request and its encoding share the rules.

use windlass_protocol::{ImageSource, Part, Role};

/// Returns the reason for which a message of this role cannot have a picture or a document, or `None` if it can, and for
/// all other parts.
pub(crate) fn media_refusal(role: Role, part: &Part) -> Option<String> {
    match part {
        // API reference: an output message consists of text and refusals.
        Part::Image(_) | Part::File(_) if role == Role::Assistant => {
            Some("an image or a document in an assistant message".to_owned())
        }
        // Guide to images and vision: "PNG, JPEG, WEBP, Non-animated GIF".
        Part::Image(image) => {
            let known = ["image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"];
            let media_type = image.media_type.as_str();
            let is_refused = matches!(image.source, ImageSource::Base64(_))
                && media_type.starts_with("image/")
                && !known.contains(&media_type);
            is_refused.then(|| format!("a picture of {media_type}; png, jpeg, webp and gif are taken"))
        }
        _ => None,
    }
}
