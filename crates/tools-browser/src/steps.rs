//! Actions on the page, and waiting for their effect.

use std::time::Duration;

use serde_json::{Value, json};
use windlass_tool::ToolError;

use crate::action::Direction;
use crate::devtools::{DevToolsError, Target};
use crate::keys::{Point, Press};
use crate::session::Session;
use crate::sight::text;

/// The time that a page has to react to an action, and the time that it has to draw the result.
const STIR: Duration = Duration::from_millis(250);

/// The reason why an action failed.
#[derive(Debug)]
pub(crate) enum StepError {
    /// The arguments are not valid for the page.
    Model(ToolError),
    /// The browser did not answer, refused the command, or has ended.
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
    /// Opens a URL and waits until it has loaded. Returns the browser's error if the page cannot be shown.
    pub(crate) async fn open(&self, url: &str) -> Result<Option<String>, StepError> {
        let limit = self.limits.load;
        let navigated = self.devtools.call(Target::Page, "Page.navigate", json!({"url": url}), limit).await;
        let failure = match navigated {
            Ok(answer) => text(&answer, "/errorText").to_owned(),
            // The page has not answered yet and is shown in its current state, which is empty.
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

    /// Scrolls by the height of the viewport, at the given position or in the middle.
    pub(crate) async fn scroll(&self, direction: Direction, at: Option<&str>) -> Result<(), StepError> {
        let point = at.map_or(Ok(self.size.centre()), |at| Point::parse(at, self.size))?;
        let height = i64::from(self.size.height);
        let delta = if direction == Direction::Down { height } else { -height };
        self.mouse("mouseWheel", point, json!({"deltaX": 0, "deltaY": delta})).await?;
        self.settle().await;
        Ok(())
    }

    /// Enters text like an input method; line breaks and tabs become key presses.
    pub(crate) async fn enter(&self, typed: &str) -> Result<(), StepError> {
        let typed = typed.replace("\r\n", "\n");
        for piece in typed.split_inclusive(['\n', '\t']) {
            let end = piece.chars().next_back().and_then(Press::from_control);
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

    /// Waits until the page has reacted, loaded and drawn its content, or until the time limit for loading.
    /// After the limit the page is shown in its current state.
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
