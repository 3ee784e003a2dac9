//! Pictures and documents that the API refuses. The check of a request and its encoding share the rules.

use windlass_protocol::{File, FileSource, Image, ImageSource, Part, Role};

use crate::names::NAME;

/// Returns the reason for which a message of this role cannot have a picture or a document, or `None` if it can, and for
/// all other parts.
pub(crate) fn media_refusal(role: Role, part: &Part) -> Option<String> {
    match part {
        // API reference: the content of these two roles consists of text parts and refusals.
        Part::Image(_) | Part::File(_) if matches!(role, Role::Assistant | Role::System) => {
            Some("an image or a document in a message that is not the user's".to_owned())
        }
        Part::Image(image) => picture_refusal(image),
        Part::File(file) => document_refusal(file),
        _ => None,
    }
}

/// Checks an image's media type. Images and vision: "PNG, JPEG, WEBP, non-animated GIF".
fn picture_refusal(image: &Image) -> Option<String> {
    let known = ["image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"];
    let is_refused =
        matches!(image.source, ImageSource::Base64(_)) && !known.contains(&image.media_type.as_str());
    is_refused
        .then(|| format!("a picture of {:?}; image/png, jpeg, webp and gif are taken", image.media_type))
}

/// Checks a file: a recording has to be WAV or MP3, and a document has to come as bytes or as the id of an upload. A URL
/// is accepted only from a client of this format.
fn document_refusal(file: &File) -> Option<String> {
    let what = match &file.source {
        _ if file.media_type.starts_with("audio/") && audio_format(&file.media_type).is_none() => {
            return Some(format!("a recording of {:?}; WAV and MP3 are taken", file.media_type));
        }
        FileSource::Id(_) if file.media_type.starts_with("image/") => {
            "an upload of a picture; its bytes or its URL are taken"
        }
        FileSource::Url(_) if !is_of_this_format(file) => {
            "a document at a URL; its bytes or the id of an upload are taken"
        }
        _ => return None,
    };
    Some(what.to_owned())
}

fn is_of_this_format(file: &File) -> bool {
    file.opaque.as_ref().is_some_and(|opaque| opaque.for_wire(NAME).is_some())
}

/// Returns the audio format of a media type, or `None` if the API does not accept it.
pub(crate) fn audio_format(media_type: &str) -> Option<&'static str> {
    match media_type {
        "audio/wav" | "audio/x-wav" | "audio/wave" => Some("wav"),
        "audio/mp3" | "audio/mpeg" => Some("mp3"),
        _ => None,
    }
}
