//! Programming languages.

/// Programming language with a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Bash and other shells.
    Bash,
    /// C.
    C,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, with JSX.
    JavaScript,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 9] = [
        Self::Bash,
        Self::C,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Python,
        Self::Rust,
        Self::TypeScript,
        Self::Tsx,
    ];

    /// Returns the language of a name or of an extension, as in the first line of a fenced block.
    ///
    /// ```
    /// use windlass_screen::Language;
    /// assert_eq!(Language::from_name("rs"), Some(Language::Rust));
    /// assert_eq!(Language::from_name("Shell"), Some(Language::Bash));
    /// assert_eq!(Language::from_name("brainfuck"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "bash" | "sh" | "shell" | "zsh" | "shellscript" => Self::Bash,
            "c" | "h" => Self::C,
            "go" | "golang" => Self::Go,
            "java" => Self::Java,
            "javascript" | "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "python" | "py" | "pyi" | "python3" => Self::Python,
            "rust" | "rs" => Self::Rust,
            "typescript" | "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            _ => return None,
        })
    }

    /// Returns the language of a file by its extension.
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        name.rsplit_once('.').and_then(|(_, extension)| Self::from_name(extension))
    }
}
