//! Recognizes a provider's refusal of a picture by its text. Providers do not share an error code for such refusals.

/// Whole words, in lower case, that name a picture or a field that contains a picture. A `_` is part of a
/// word, so the name of a tool such as `view_image` does not match.
const WORDS: &[&str] = &[
    "image",
    "images",
    "picture",
    "pictures",
    "image_url",
    "image_urls",
    "input_image",
    "image_data",
    "inline_data",
    "inlinedata",
    "media",
    "multimodal",
    "vision",
];

/// Words that show that a refusal concerns a tool or a schema. Without this check, a property named `image`
/// would count as a picture.
const OTHER_SUBJECTS: &[&str] =
    &["tools.", "tools[", "schema", "function_declarations", "functiondeclarations"];

/// The fields of a request that contain the conversation.
const CONVERSATIONS: &[&str] = &["messages", "input", "contents", "content"];

/// Returns whether a provider's refusal names a picture. `code` and `parameter` are the fields of the
/// provider's error; pass `None` if the error consists of a message only. The function does not know the
/// request: the caller checks whether it contained a picture.
///
/// ```
/// use windlass_stream::names_image;
/// assert!(names_image(None, None, "Could not process image"));
/// assert!(names_image(Some("invalid_image_format"), None, "Bad request"));
/// assert!(!names_image(None, None, "Invalid schema for function 'view_image'"));
/// ```
pub fn names_image(code: Option<&str>, parameter: Option<&str>, message: &str) -> bool {
    let message = message.to_lowercase();
    let parameter = parameter.map(str::to_lowercase);
    let subjects = [Some(message.as_str()), parameter.as_deref()];
    if subjects.into_iter().flatten().any(|text| OTHER_SUBJECTS.iter().any(|word| text.contains(word))) {
        return false;
    }
    let code = code.unwrap_or_default().to_lowercase();
    let in_code =
        code.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| matches!(word, "image" | "images"));
    in_code || parameter.is_some_and(|path| path_names_image(&path)) || text_names_image(&message)
}

/// Returns whether a text names a picture. A word with a dot counts only as a path to a field of the request:
/// the name of a host or a file does not show a picture.
fn text_names_image(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
    let mut words = text.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let plain = word.trim_matches(['.', '-', '[', ']']);
        let is_path = plain.contains(['.', '[']);
        // "Unsupported media type" refers to the `Content-Type` header of the request.
        let is_header = plain == "media" && words.peek().is_some_and(|next| next.starts_with("type"));
        if is_path && path_names_image(plain) || !is_header && WORDS.contains(&plain) {
            return true;
        }
    }
    false
}

/// Returns whether a path leads to a picture of the conversation, as `messages[1].content.0.image_url` does.
fn path_names_image(path: &str) -> bool {
    let mut fields =
        path.split(['.', '[', ']']).filter(|field| !field.is_empty()).skip_while(|field| *field == "body");
    let is_conversation = fields.next().is_some_and(|root| CONVERSATIONS.contains(&root));
    is_conversation && fields.any(|field| WORDS.contains(&field))
}

#[cfg(test)]
mod tests {
    use super::names_image;

    #[track_caller]
    fn check(message: &str, expected: bool) {
        assert_eq!(names_image(None, None, message), expected, "{message}");
    }

    // The messages of OpenAI, Anthropic, Gemini, llama.cpp, vLLM, DeepSeek and OpenRouter.
    #[test]
    fn refusals_of_pictures_are_recognized() {
        check("You uploaded an unsupported image. Please make sure your image is valid.", true);
        check("Could not process image", true);
        check("messages.0.content.1.image.source.media_type: Input should be 'image/jpeg'", true);
        check("messages[2].content[0].image_url: field required", true);
        check("Unable to process input image.", true);
        check("Unsupported MIME type: image/bmp", true);
        check("Base64 decoding failed for \"inline_data\"", true);
        check("image input is not supported - hint: you may need to provide the mmproj", true);
        check("At most 1 image(s) may be provided in one request.", true);
        check("unknown variant `image_url`, expected `text`", true);
        check("The media file is broken.", true);
        check("127.0.0.1: status 400: invalid_request_error: the picture is broken", true);
        check("This model does not support vision.", true);
    }

    #[test]
    fn refusals_of_something_else_are_not() {
        check("Invalid schema for function 'view_image': 'image' is not of type 'object'", false);
        check("tools.3.custom.image: field required", false);
        check("Unsupported media type: application/json is wanted", false);
        check("The model `gpt-image-1` does not exist", false);
        check("images.example.com: status 400: bad request", false);
        check("the file image.png is not there", false);
        check("Unknown function: view_image", false);
        check("Invalid value for 'temperature'", false);
        check("", false);
    }

    #[test]
    fn code_and_parameter_count() {
        assert!(names_image(Some("image_parse_error"), None, "Bad request"));
        assert!(names_image(None, Some("messages[1].content[0].image_url"), "Bad request"));
        assert!(names_image(None, Some("input[3].output[0].input_image"), "Bad request"));
        assert!(!names_image(Some("invalid_request_error"), Some("input[3].output"), "Bad request"));
        assert!(!names_image(None, Some("tools[2].parameters.properties.image"), "Bad request"));
    }
}
