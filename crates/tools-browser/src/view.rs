//! Snapshot of the page after an action: its URL, title, scroll position and screenshot.

use serde_json::{Value, json};
use windlass_protocol::Image;

use crate::devtools::DevToolsError;
use crate::session::Session;
use crate::sight::text;

/// A snapshot of the page.
pub(crate) struct View {
    pub(crate) url: String,
    pub(crate) title: String,
    /// The scroll position and the height of the page, in CSS pixels.
    pub(crate) scrolled: Option<(u64, u64)>,
    pub(crate) picture: Option<Image>,
}

/// Formats from the best to the smallest. A screenshot with too many bytes is repeated in the next format.
const FORMATS: [(&str, &str, u8); 3] =
    [("png", "image/png", 100), ("jpeg", "image/jpeg", 60), ("jpeg", "image/jpeg", 15)];

impl Session {
    pub(crate) async fn view(&self) -> Result<View, DevToolsError> {
        let history = self.ask("Page.getNavigationHistory", json!({})).await?;
        let entry = history
            .pointer("/currentIndex")
            .and_then(Value::as_u64)
            .and_then(|index| history.pointer(&format!("/entries/{index}")))
            .cloned()
            .unwrap_or_default();
        let metrics = self.ask("Page.getLayoutMetrics", json!({})).await?;
        let number = |pointer| metrics.pointer(pointer).and_then(whole);
        let scrolled = number("/cssVisualViewport/pageY").zip(number("/cssContentSize/height"));
        Ok(View {
            url: text(&entry, "/url").to_owned(),
            title: text(&entry, "/title").to_owned(),
            scrolled,
            picture: self.picture().await?,
        })
    }

    async fn picture(&self) -> Result<Option<Image>, DevToolsError> {
        for (format, media_type, quality) in FORMATS {
            let mut asked = json!({"format": format, "optimizeForSpeed": false});
            if let (true, Some(fields)) = (format == "jpeg", asked.as_object_mut()) {
                fields.insert("quality".to_owned(), quality.into());
            }
            let mut taken = self.ask("Page.captureScreenshot", asked).await?;
            let Some(Value::String(data)) = taken.get_mut("data").map(Value::take) else { return Ok(None) };
            // Four base64 characters encode three bytes.
            if data.len() / 4 * 3 <= self.limits.image_bytes {
                return Ok(Some(Image::base64(media_type, data)));
            }
        }
        Ok(None)
    }
}

/// Returns a length in CSS pixels, rounded to an integer.
fn whole(value: &Value) -> Option<u64> {
    let number = value.as_f64().filter(|number| (0.0..1e9).contains(number))?;
    format!("{number:.0}").parse().ok()
}
