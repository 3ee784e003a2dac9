//! `Marks`: what stands around words, as emphasis and links.

/// Something around words: it is written when the first word comes, and ended before each line break.
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

/// The marks that are open, the outermost first.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    list: Vec<Mark>,
    unwritten: usize,
}

impl Marks {
    pub(crate) fn open(&mut self, kind: Kind) {
        let is_link = |kind: &Kind| matches!(kind, Kind::Link(_));
        // In code nothing is marked, twice strong is strong, and no link is in a link.
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

    /// Before a word.
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

    /// Before a line break: what goes on behind it is written there again.
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
