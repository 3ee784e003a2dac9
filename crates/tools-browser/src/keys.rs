//! Mouse and keyboard input of an action: `Point`, `Size` and `Press`.

use serde_json::{Value, json};
use windlass_tool::ToolError;

/// The allowed length of a side of the viewport, in pixels.
const SIDES: std::ops::RangeInclusive<u32> = 200..=2_000;

/// The protocol's modifier bit for Shift.
const SHIFT: u8 = 8;

/// The size of a viewport in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// A position in the viewport, in pixels from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) x: u32,
    pub(crate) y: u32,
}

/// A key press with modifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Press {
    modifiers: u8,
    key: String,
    code: String,
    number: u32,
    text: Option<String>,
}

/// The named keys: name, Windows virtual-key code (which the protocol uses), and text.
const NAMED: [(&str, u32, Option<&str>); 16] = [
    ("Enter", 13, Some("\r")),
    ("Tab", 9, None),
    ("Escape", 27, None),
    ("Backspace", 8, None),
    ("Delete", 46, None),
    ("Insert", 45, None),
    ("ArrowUp", 38, None),
    ("ArrowDown", 40, None),
    ("ArrowLeft", 37, None),
    ("ArrowRight", 39, None),
    ("Home", 36, None),
    ("End", 35, None),
    ("PageUp", 33, None),
    ("PageDown", 34, None),
    ("Space", 32, Some(" ")),
    ("F5", 116, None),
];

impl Size {
    pub(crate) const DEFAULT: Self = Self { width: 900, height: 600 };

    /// Parses `WIDTH,HEIGHT`.
    pub(crate) fn parse(text: &str) -> Result<Self, ToolError> {
        let (width, height) = pair(text, &[',', 'x', 'X']).ok_or_else(|| {
            ToolError::model(format!("size {text:?} is not WIDTH,HEIGHT in pixels, as \"1280,720\""))
        })?;
        if !SIDES.contains(&width) || !SIDES.contains(&height) {
            let (least, most) = (SIDES.start(), SIDES.end());
            return Err(ToolError::model(format!(
                "size {text:?}: each side has to be {least} to {most} pixels"
            )));
        }
        Ok(Self { width, height })
    }

    pub(crate) fn centre(self) -> Point {
        Point { x: self.width / 2, y: self.height / 2 }
    }
}

impl Point {
    /// Parses `X,Y`, or `X,Y@WIDTHxHEIGHT` for a screenshot that was scaled to another size. The position
    /// must be inside the viewport.
    pub(crate) fn parse(text: &str, view: Size) -> Result<Self, ToolError> {
        let wrong = || {
            ToolError::model(format!(
                "coordinate {text:?} is not X,Y in pixels of the viewport, as \"450,300\""
            ))
            .with_advice("Take it from the last screenshot.")
        };
        let (place, picture) = match text.split_once('@') {
            Some((place, picture)) => (place, pair(picture, &['x', 'X', ',']).ok_or_else(wrong)?),
            None => (text, (view.width, view.height)),
        };
        let (x, y) = pair(place, &[',']).ok_or_else(wrong)?;
        let x = scale(x, picture.0, view.width).ok_or_else(wrong)?;
        let y = scale(y, picture.1, view.height).ok_or_else(wrong)?;
        if x >= view.width || y >= view.height {
            return Err(ToolError::model(format!(
                "coordinate {text} is outside of the viewport, which is {}x{}",
                view.width, view.height
            ))
            .with_advice("Scroll or resize, then look at the screenshot again."));
        }
        Ok(Self { x, y })
    }
}

fn scale(place: u32, of: u32, to: u32) -> Option<u32> {
    u64::from(place).checked_mul(u64::from(to))?.checked_div(u64::from(of))?.try_into().ok()
}

fn pair(text: &str, between: &[char]) -> Option<(u32, u32)> {
    let (left, right) = text.trim().split_once(between)?;
    Some((left.trim().parse().ok()?, right.trim().parse().ok()?))
}

impl Press {
    /// Parses a key such as `Enter`, `a` or `Control+Shift+ArrowLeft`.
    pub(crate) fn parse(text: &str) -> Result<Self, ToolError> {
        let wrong = || {
            let names: Vec<_> = NAMED.iter().map(|(name, ..)| *name).collect();
            ToolError::model(format!("key {text:?} is not known")).with_advice(format!(
                "Give one character or one of {}, with Control+, Alt+, Shift+ or Meta+ before it.",
                names.join(", ")
            ))
        };
        let mut rest = text.trim();
        let mut modifiers = 0;
        while let Some((held, after)) = rest.split_once('+').filter(|(_, after)| !after.is_empty()) {
            modifiers |= match held.to_ascii_lowercase().as_str() {
                "alt" => 1,
                "control" | "ctrl" => 2,
                "meta" | "cmd" | "command" => 4,
                "shift" => SHIFT,
                _ => return Err(wrong()),
            };
            rest = after;
        }
        Self::from_name(rest, modifiers).ok_or_else(wrong)
    }

    /// Returns the key for a line break or a tab in typed text.
    pub(crate) fn from_control(character: char) -> Option<Self> {
        match character {
            '\n' => Self::from_name("Enter", 0),
            '\t' => Self::from_name("Tab", 0),
            _ => None,
        }
    }

    fn from_name(name: &str, modifiers: u8) -> Option<Self> {
        if let Some((known, number, text)) = NAMED.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name))
        {
            let key = if *known == "Space" { " " } else { known };
            let text = text.map(str::to_owned);
            return Some(Self {
                modifiers,
                key: key.to_owned(),
                code: (*known).to_owned(),
                number: *number,
                text,
            });
        }
        let mut characters = name.chars();
        let (character, None) = (characters.next()?, characters.next()) else { return None };
        let upper = character.to_ascii_uppercase();
        let (code, number) = match upper {
            'A'..='Z' => (format!("Key{upper}"), u32::from(upper)),
            '0'..='9' => (format!("Digit{upper}"), u32::from(upper)),
            _ => (String::new(), 0),
        };
        // With Control, Alt or Meta a key is a command to the page and not text.
        let is_text = modifiers == 0 || modifiers == SHIFT;
        let text = is_text.then(|| name.to_owned());
        Some(Self { modifiers, key: name.to_owned(), code, number, text })
    }

    /// Returns the key-down and key-up events for `Input.dispatchKeyEvent`.
    pub(crate) fn events(&self) -> [Value; 2] {
        let kind = if self.text.is_some() { "keyDown" } else { "rawKeyDown" };
        let base = |kind: &str| {
            json!({
                "type": kind, "modifiers": self.modifiers, "key": self.key, "code": self.code,
                "windowsVirtualKeyCode": self.number, "nativeVirtualKeyCode": self.number,
            })
        };
        let mut down = base(kind);
        if let (Some(text), Some(fields)) = (&self.text, down.as_object_mut()) {
            fields.insert("text".to_owned(), text.clone().into());
        }
        [down, base("keyUp")]
    }
}

#[cfg(test)]
mod tests;
