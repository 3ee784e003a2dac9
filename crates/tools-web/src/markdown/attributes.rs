//! `Attributes`: the attributes of an element that affect its conversion.

/// Maximum size of a value, in bytes. Longer values are data rather than URLs and are ignored.
const MAX_VALUE: usize = 2_000;

/// Attributes of the current start tag. Of duplicate names the first counts (WHATWG HTML, 13.2.5.33).
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    current: Option<Slot>,
    href: Option<String>,
    source: Option<String>,
    alternative: Option<String>,
    class: Option<String>,
    role: Option<String>,
    start: Option<String>,
    style: Option<String>,
    aria_hidden: Option<String>,
    hidden: Option<String>,
}

#[derive(Clone, Copy, Debug)]
enum Slot {
    Href,
    Source,
    Alternative,
    Class,
    Role,
    Start,
    Style,
    AriaHidden,
    Hidden,
}

impl Attributes {
    pub(crate) fn name(&mut self, name: &[u8]) {
        let slot = match name {
            b"href" => Slot::Href,
            b"src" => Slot::Source,
            b"alt" => Slot::Alternative,
            b"class" => Slot::Class,
            b"role" => Slot::Role,
            b"start" => Slot::Start,
            b"style" => Slot::Style,
            b"aria-hidden" => Slot::AriaHidden,
            b"hidden" => Slot::Hidden,
            _ => {
                self.current = None;
                return;
            }
        };
        let held = self.slot(slot);
        let is_first = held.is_none();
        held.get_or_insert_default();
        self.current = is_first.then_some(slot);
    }

    pub(crate) fn value(&mut self, value: &[u8]) {
        if let Some(slot) = self.current.take()
            && value.len() <= MAX_VALUE
        {
            *self.slot(slot) = Some(String::from_utf8_lossy(value).into_owned());
        }
    }

    fn slot(&mut self, slot: Slot) -> &mut Option<String> {
        match slot {
            Slot::Href => &mut self.href,
            Slot::Source => &mut self.source,
            Slot::Alternative => &mut self.alternative,
            Slot::Class => &mut self.class,
            Slot::Role => &mut self.role,
            Slot::Start => &mut self.start,
            Slot::Style => &mut self.style,
            Slot::AriaHidden => &mut self.aria_hidden,
            Slot::Hidden => &mut self.hidden,
        }
    }

    pub(crate) fn take_href(&mut self) -> Option<String> {
        self.href.take()
    }

    pub(crate) fn href(&self) -> Option<&str> {
        self.href.as_deref()
    }

    pub(crate) fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    pub(crate) fn alternative(&self) -> &str {
        self.alternative.as_deref().unwrap_or_default()
    }

    pub(crate) fn first_number(&self) -> u32 {
        self.start.as_deref().and_then(|start| start.trim().parse().ok()).unwrap_or(1)
    }

    pub(crate) fn is_main(&self) -> bool {
        self.role.as_deref() == Some("main")
    }

    pub(crate) fn is_navigation(&self) -> bool {
        matches!(self.role.as_deref(), Some("navigation" | "contentinfo" | "complementary"))
    }

    /// Returns true if the element is invisible to human readers. Hidden content is a place for prompt
    /// injection.
    pub(crate) fn is_hidden(&self) -> bool {
        let styled = self.style.as_deref().is_some_and(|style| {
            let style: String = style.chars().filter(|character| !character.is_whitespace()).collect();
            let style = style.to_ascii_lowercase();
            style.contains("display:none") || style.contains("visibility:hidden")
        });
        styled || self.hidden.is_some() || self.aria_hidden.as_deref() == Some("true")
    }

    /// Returns the language of a code block from its class, if given.
    pub(crate) fn language(&self) -> Option<&str> {
        let mut names = self.class.as_deref()?.split_ascii_whitespace();
        let language =
            names.find_map(|name| name.strip_prefix("language-").or(name.strip_prefix("lang-")))?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+#-_.".contains(&byte);
        (language.len() <= 20 && language.bytes().all(is_plain)).then_some(language)
    }
}
