//! Classifies paths as Windows would interpret them. The check is lexical and the same on every system.

/// The interpretation of a path on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WindowsPath {
    /// Plain names below the current folder.
    Relative,
    /// A drive and a path from its root: `C:\x`.
    Absolute,
    /// A drive and a path from that drive's current folder: `C:x`.
    DriveRelative,
    /// A path from the root of the current drive: `\x`.
    Rooted,
    /// A folder of another machine: `\\server\share`.
    Share,
    /// The device namespace: `\\?\`, `\\.\`, `\??\`.
    Device,
    /// `..` leads above the start.
    Climbs,
    /// A name that is a device in every folder: `NUL`, `con.txt`, `COM1`.
    Reserved,
    /// A stream of a file: `file:stream`, `file::$DATA`.
    Stream,
    /// A name whose trailing dots or spaces Windows would remove: `.git.`, `.git `.
    Trailing,
    /// A short (8.3) name, which leads to another name: `GIT~1`.
    Short,
    /// A character that a name cannot have.
    Character,
}

impl WindowsPath {
    /// Classifies a path. Both `/` and `\` separate names.
    ///
    /// ```
    /// use windlass_sandbox::WindowsPath;
    /// assert_eq!(WindowsPath::classify(r"src\main.rs"), WindowsPath::Relative);
    /// assert_eq!(WindowsPath::classify("GIT~1/config"), WindowsPath::Short);
    /// assert!(!WindowsPath::classify(r"\??\UNC\host\share").is_plain());
    /// ```
    pub fn classify(text: &str) -> Self {
        let separated = text.replace('/', "\\");
        if separated.starts_with(r"\\?\") || separated.starts_with(r"\\.\") || separated.starts_with(r"\??\")
        {
            return Self::Device;
        }
        if separated.starts_with(r"\\") {
            return Self::Share;
        }
        let drive = separated.split_once(':').filter(|(drive, _)| {
            drive.chars().count() == 1 && drive.starts_with(|letter: char| letter.is_alphabetic())
        });
        match drive {
            Some((_, rest)) if rest.starts_with('\\') => match names(rest) {
                Self::Relative => Self::Absolute,
                odd => odd,
            },
            Some(_) => Self::DriveRelative,
            None if separated.starts_with('\\') => Self::Rooted,
            None => names(&separated),
        }
    }

    /// Returns true if the path has only plain names below the current folder.
    pub fn is_plain(self) -> bool {
        self == Self::Relative
    }
}

/// Returns the classification of the first unusual name, or `Relative`.
fn names(path: &str) -> WindowsPath {
    let mut depth = 0_usize;
    for name in path.split('\\').filter(|name| !name.is_empty() && *name != ".") {
        if name == ".." {
            match depth.checked_sub(1) {
                Some(up) => depth = up,
                None => return WindowsPath::Climbs,
            }
            continue;
        }
        depth = depth.saturating_add(1);
        let odd = classify_name(name);
        if odd != WindowsPath::Relative {
            return odd;
        }
    }
    WindowsPath::Relative
}

fn classify_name(name: &str) -> WindowsPath {
    if name.contains(':') {
        return WindowsPath::Stream;
    }
    if name.chars().any(|letter| letter < ' ' || r#"<>"|?*"#.contains(letter)) {
        return WindowsPath::Character;
    }
    // This includes `...` and `. .`, which some calls interpret as `..`.
    if name.ends_with(['.', ' ']) || name.starts_with(' ') && is_reserved(name.trim()) {
        return WindowsPath::Trailing;
    }
    if is_reserved(name) {
        return WindowsPath::Reserved;
    }
    if is_short(name) { WindowsPath::Short } else { WindowsPath::Relative }
}

/// Returns true for a device name. Text after the first dot is ignored, and so are spaces before it.
fn is_reserved(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or(name).trim_end().to_uppercase();
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(&base.as_str()) {
        return true;
    }
    let Some(number) = base.strip_prefix("COM").or_else(|| base.strip_prefix("LPT")) else { return false };
    let mut digits = number.chars();
    // The superscript digits count too.
    matches!((digits.next(), digits.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
}

/// Returns true for an 8.3 name: at most eight characters that end in `~` and digits, and at most three after
/// a dot.
fn is_short(name: &str) -> bool {
    let (base, extension) = name.split_once('.').unwrap_or((name, ""));
    let Some((head, number)) = base.rsplit_once('~') else { return false };
    let digits = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    digits && !head.is_empty() && base.chars().count() <= 8 && extension.chars().count() <= 3
}

#[cfg(test)]
mod tests;
