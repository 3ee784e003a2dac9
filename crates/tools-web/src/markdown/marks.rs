//! `Marks`: inline formatting around words, such as emphasis and links.

/// Inline formatting. It is opened before the first word and closed before each line break.
#[derive(Debug)]
struct Mark {
    kind: Kind,
    is_written: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Nothing,
    Strong,
    Emphasis,
    Deleted,
    Superscript,
    Code,
    Link(String),
}

/// Open marks, the outermost first.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    list: Vec<Mark>,
    unwritten: usize,
}

impl Marks {
    pub(crate) fn open(&mut self, kind: Kind) {
        let is_link = |kind: &Kind| matches!(kind, Kind::Link(_));
        // Code contains no marks, a mark inside the same mark has no effect, and links cannot be nested.
        let is_held = |mark: &Mark| {
            mark.kind == kind || mark.kind == Kind::Code || (is_link(&mark.kind) && is_link(&kind))
        };
        let is_plain = self.list.iter().any(is_held);
        self.list.push(Mark { kind: if is_plain { Kind::Nothing } else { kind }, is_written: false });
        self.unwritten = self.unwritten.saturating_add(1);
    }

    pub(crate) fn close(&mut self, text: &mut String) {
        if let Some(mark) = self.list.pop() {
            if mark.is_written {
                text.push_str(&mark.end());
            } else {
                self.unwritten = self.unwritten.saturating_sub(1);
            }
        }
    }

    pub(crate) fn has_link(&self) -> bool {
        self.list.iter().any(|mark| matches!(mark.kind, Kind::Link(_)))
    }

    /// Opens the pending marks before a word.
    pub(crate) fn write(&mut self, text: &mut String) {
        if self.unwritten == 0 {
            return;
        }
        self.unwritten = 0;
        for mark in self.list.iter_mut().filter(|mark| !mark.is_written) {
            text.push_str(mark.start());
            mark.is_written = true;
        }
    }

    /// Closes the marks before a line break. They are opened again before the next word.
    pub(crate) fn end_line(&mut self, text: &mut String) {
        for mark in self.list.iter_mut().rev().filter(|mark| mark.is_written) {
            text.push_str(&mark.end());
            mark.is_written = false;
            self.unwritten = self.unwritten.saturating_add(1);
        }
    }
}

impl Mark {
    fn start(&self) -> &'static str {
        match self.kind {
            Kind::Nothing => "",
            Kind::Strong => "**",
            Kind::Emphasis => "*",
            Kind::Deleted => "~~",
            Kind::Superscript => "^",
            Kind::Code => "`",
            Kind::Link(_) => "[",
        }
    }

    fn end(&self) -> String {
        match &self.kind {
            Kind::Superscript => String::new(),
            Kind::Link(url) => format!("]({url})"),
            _ => self.start().to_owned(),
        }
    }
}
