//! What each action does to the page, and the wait until it shows.

use std::time::Duration;

use serde_json::{Value, json};
use windlass_tool::ToolError;

use crate::action::Direction;
use crate::devtools::{DevToolsError, Target};
use crate::keys::{Point, Press};
use crate::session::Session;
use crate::sight::text;

/// How long a page may take to begin with what an action started, and to draw what came of it.
const STIR: Duration = Duration::from_millis(250);

/// Why an action gave nothing.
#[derive(Debug)]
pub(crate) enum StepError {
    /// The arguments do not fit the page.
    Model(ToolError),
    /// The browser cannot be talked with.
    DevTools(DevToolsError),
}

impl From<DevToolsError> for StepError {
    fn from(error: DevToolsError) -> Self {
        Self::DevTools(error)
    }
}

impl From<ToolError> for StepError {
    fn from(error: ToolError) -> Self {
        Self::Model(error)
    }
}

impl Session {
    /// Opens a URL and waits until it has loaded; what the browser says if there is nothing to show.
    pub(crate) async fn open(&self, url: &str) -> Result<Option<String>, StepError> {
        let limit = self.limits.load;
        let navigated = self.devtools.call(Target::Page, "Page.navigate", json!({"url": url}), limit).await;
        let failure = match navigated {
            Ok(answer) => text(&answer, "/errorText").to_owned(),
            // It has not begun to answer, and is shown as it is: empty.
            Err(DevToolsError::Late { .. }) => String::from("no answer came in time"),
            Err(error) => return Err(error.into()),
        };
        self.settle().await;
        Ok((!failure.is_empty()).then_some(failure))
    }

    pub(crate) async fn click(&self, coordinate: &str) -> Result<(), StepError> {
        let point = Point::parse(coordinate, self.size)?;
        self.mouse("mouseMoved", point, json!({})).await?;
        let left = |buttons: u8| json!({"button": "left", "buttons": buttons, "clickCount": 1});
        self.mouse("mousePressed", point, left(1)).await?;
        self.mouse("mouseReleased", point, left(0)).await?;
        self.settle().await;
        Ok(())
    }

    pub(crate) async fn hover(&self, coordinate: &str) -> Result<(), StepError> {
        self.mouse("mouseMoved", Point::parse(coordinate, self.size)?, json!({})).await?;
        self.settle().await;
        Ok(())
    }

    /// By one viewport, where the mouse would be.
    pub(crate) async fn scroll(&self, direction: Direction, at: Option<&str>) -> Result<(), StepError> {
        let point = at.map_or(Ok(self.size.centre()), |at| Point::parse(at, self.size))?;
        let height = i64::from(self.size.height);
        let delta = if direction == Direction::Down { height } else { -height };
        self.mouse("mouseWheel", point, json!({"deltaX": 0, "deltaY": delta})).await?;
        self.settle().await;
        Ok(())
    }

    /// Text as an input method gives it, line breaks and tabs as keys.
    pub(crate) async fn enter(&self, typed: &str) -> Result<(), StepError> {
        let typed = typed.replace("\r\n", "\n");
        for piece in typed.split_inclusive(['\n', '\t']) {
            let end = piece.chars().next_back().and_then(Press::of_control);
            let words = if end.is_some() { piece.get(..piece.len().saturating_sub(1)) } else { Some(piece) };
            if let Some(words) = words.filter(|words| !words.is_empty()) {
                self.ask("Input.insertText", json!({"text": words})).await?;
            }
            if let Some(press) = end {
                self.key(&press).await?;
            }
        }
        self.settle().await;
        Ok(())
    }

    pub(crate) async fn press(&self, press: &Press) -> Result<(), StepError> {
        self.key(press).await?;
        self.settle().await;
        Ok(())
    }

    /// Waits until the page has begun with what it was asked for, has loaded it and has drawn it, or until the time
    /// is over: it is shown as it is, then.
    pub(crate) async fn settle(&self) {
        tokio::time::sleep(STIR).await;
        let _ = tokio::time::timeout(self.limits.load, self.sight.has_loaded()).await;
        tokio::time::sleep(STIR).await;
    }

    async fn key(&self, press: &Press) -> Result<(), StepError> {
        for event in press.events() {
            self.ask("Input.dispatchKeyEvent", event).await?;
        }
        Ok(())
    }

    async fn mouse(&self, kind: &str, point: Point, more: Value) -> Result<(), StepError> {
        let mut event = json!({"type": kind, "x": point.x, "y": point.y});
        if let (Some(fields), Value::Object(more)) = (event.as_object_mut(), more) {
            fields.extend(more);
        }
        self.ask("Input.dispatchMouseEvent", event).await?;
        Ok(())
    }
}

/// An error in words, with all of its causes.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
