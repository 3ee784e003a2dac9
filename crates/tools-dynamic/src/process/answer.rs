//! Conversion of a process's answer to an output.

use windlass_protocol::{Content, Image, ResultStatus};
use windlass_tool::{Output, ToolError};

use super::message::{Answer, Piece};

/// Maximum number of parts and of images in an answer.
const PIECES: usize = 100;
const PICTURES: usize = 16;

/// Converts an answer to the output for the model. Joins all text into one part, so that the toolbox's length
/// limit (RULES R9) applies to the sum.
pub(crate) fn output(answer: Answer) -> Result<Output, ToolError> {
    match answer {
        Answer::Text(text) if text.is_empty() => Ok(Output::from(())),
        Answer::Text(text) => Ok(Output::text(text)),
        Answer::Error(text) if text.trim().is_empty() => {
            Err(ToolError::model("the tool failed without a reason")
                .with_advice("Check its effects before you call it again."))
        }
        Answer::Error(text) => Err(ToolError::model(text)),
        Answer::Content(pieces) => Ok(gather_output(pieces)),
        Answer::Tools(_) => {
            let text =
                "the tool's process answered with a list of tools; the effects of the call are not known";
            Ok(Output::text(text).with_status(ResultStatus::EffectsUnknown))
        }
    }
}

fn gather_output(pieces: Vec<Piece>) -> Output {
    let (mut words, mut images) = (Vec::new(), Vec::new());
    let more = pieces.len().saturating_sub(PIECES);
    for piece in pieces.into_iter().take(PIECES) {
        match (piece.kind.as_str(), piece.text, piece.mime, piece.data) {
            ("text", Some(text), ..) => words.push(text),
            ("image", _, Some(mime), Some(data)) if images.len() < PICTURES && is_picture(&mime, &data) => {
                images.push(Content::Image(Image::base64(mime, data)));
            }
            ("image", _, _, data) => {
                let bytes = data.map_or(0, |data| data.len());
                words.push(format!(
                    "[a picture of {bytes} bytes of base64 was left out: png, jpeg, gif and webp are taken, \
                     {PICTURES} at the most]"
                ));
            }
            _ => words.push("[a piece of an unknown kind was left out]".to_owned()),
        }
    }
    if more > 0 {
        words.push(format!("[{more} more pieces were left out]"));
    }
    if words.is_empty() && images.is_empty() {
        return Output::from(());
    }
    let words = (!words.is_empty()).then(|| Content::text(words.join("\n")));
    Output::from(words.into_iter().chain(images).collect::<Vec<_>>())
}

fn is_picture(mime: &str, data: &str) -> bool {
    let is_base64 = data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    matches!(mime, "image/png" | "image/jpeg" | "image/gif" | "image/webp") && is_base64 && !data.is_empty()
}
