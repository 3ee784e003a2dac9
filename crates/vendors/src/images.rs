//! Detection of images in encoded requests.

/// Returns true if a body contains images, in any wire format.
pub fn has_images(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    ["\"image_url\"", "\"input_image\"", "\"type\":\"image\"", "\"inlineData\"", "\"fileData\""]
        .iter()
        .any(|word| text.contains(word))
}
