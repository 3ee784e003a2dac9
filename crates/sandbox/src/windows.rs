//! How Windows would read a path: a pure look at its words, the same on every system.

/// What a text is to Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WindowsPath {
    /// Plain names below the folder at hand.
    Relative,
    /// A drive and a path from its root: `C:\x`.
    Absolute,
    /// A drive and a path from that drive's own folder: `C:x`.
    DriveRelative,
    /// A path from the root of the drive at hand: `\x`.
    Rooted,
    /// A folder of another machine: `\\server\share`.
    Share,
    /// The name space of devices: `\\?\`, `\\.\`, `\??\`.
    Device,
    /// `..` leads above the start.
    Climbs,
    /// A name that is a device in every folder: `NUL`, `con.txt`, `COM1`.
    Reserved,
    /// A stream of a file: `file:stream`, `file::$DATA`.
    Stream,
    /// A name whose last dots or spaces would be dropped: `.git.`, `.git `.
    Trailing,
    /// A name in the short form, which leads to another: `GIT~1`.
    Short,
    /// A character that no name has.
    Character,
}

impl WindowsPath {
    /// What the text is to Windows. Both `/` and `\` separate names.
    ///
    /// ```
    /// use windlass_sandbox::WindowsPath;
    /// assert_eq!(WindowsPath::of(r"src\main.rs"), WindowsPath::Relative);
    /// assert_eq!(WindowsPath::of("GIT~1/config"), WindowsPath::Short);
    /// assert!(!WindowsPath::of(r"\??\UNC\host\share").is_plain());
    /// ```
    pub fn of(text: &str) -> Self {
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

    /// Whether it is plain names below the folder at hand, and nothing that Windows reads in another way.
    pub fn is_plain(self) -> bool {
        self == Self::Relative
    }
}

/// What the names of a path are, the first odd one.
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
        let odd = of_name(name);
        if odd != WindowsPath::Relative {
            return odd;
        }
    }
    WindowsPath::Relative
}

fn of_name(name: &str) -> WindowsPath {
    if name.contains(':') {
        return WindowsPath::Stream;
    }
    if name.chars().any(|letter| letter < ' ' || r#"<>"|?*"#.contains(letter)) {
        return WindowsPath::Character;
    }
    // Also `...` and `. .`, which some calls read as `..`.
    if name.ends_with(['.', ' ']) || name.starts_with(' ') && is_reserved(name.trim()) {
        return WindowsPath::Trailing;
    }
    if is_reserved(name) {
        return WindowsPath::Reserved;
    }
    if is_short(name) { WindowsPath::Short } else { WindowsPath::Relative }
}

/// A device's name counts whatever follows its first dot, and with spaces before it.
fn is_reserved(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or(name).trim_end().to_uppercase();
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(&base.as_str()) {
        return true;
    }
    let Some(number) = base.strip_prefix("COM").or_else(|| base.strip_prefix("LPT")) else { return false };
    let mut digits = number.chars();
    // The raised digits count too.
    matches!((digits.next(), digits.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
}

/// At most eight letters of which the last are `~` and digits, and at most three behind a dot.
fn is_short(name: &str) -> bool {
    let (base, extension) = name.split_once('.').unwrap_or((name, ""));
    let Some((head, number)) = base.rsplit_once('~') else { return false };
    let digits = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    digits && !head.is_empty() && base.chars().count() <= 8 && extension.chars().count() <= 3
}

#[cfg(test)]
mod tests;
