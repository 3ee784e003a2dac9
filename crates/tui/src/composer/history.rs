//! Earlier texts of the composer.

/// Maximum number of texts.
const MAX: usize = 500;

/// Earlier texts, and the position while a person looks through them.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    texts: Vec<String>,
    /// The displayed text, and the draft that it replaced.
    position: Option<(usize, String)>,
}

impl History {
    /// Adds a text, unless it is equal to the newest one.
    pub(crate) fn push(&mut self, text: &str) {
        self.position = None;
        if text.trim().is_empty() || self.texts.last().is_some_and(|last| last == text) {
            return;
        }
        if self.texts.len() >= MAX {
            self.texts.remove(0);
        }
        self.texts.push(text.to_owned());
    }

    /// Puts texts of earlier processes before those of this one.
    pub(crate) fn begin_with(&mut self, mut texts: Vec<String>) {
        self.position = None;
        texts.append(&mut self.texts);
        let surplus = texts.len().saturating_sub(MAX);
        texts.drain(..surplus);
        self.texts = texts;
    }

    /// Ends the look, because the text was changed.
    pub(crate) fn leave(&mut self) {
        self.position = None;
    }

    /// Returns the text before the displayed one.
    pub(crate) fn older(&mut self, draft: &str) -> Option<String> {
        let at = match &self.position {
            Some((at, _)) => at.checked_sub(1)?,
            None => self.texts.len().checked_sub(1)?,
        };
        let draft = self.position.take().map_or_else(|| draft.to_owned(), |(_, draft)| draft);
        self.position = Some((at, draft));
        self.texts.get(at).cloned()
    }

    /// Returns the text after the displayed one, or the draft after the newest one.
    pub(crate) fn newer(&mut self) -> Option<String> {
        let (at, draft) = self.position.take()?;
        match self.texts.get(at.saturating_add(1)) {
            Some(text) => {
                self.position = Some((at.saturating_add(1), draft));
                Some(text.clone())
            }
            None => Some(draft),
        }
    }
}
