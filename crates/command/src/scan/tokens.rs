//! Tolerant tokenizer: splits any text into words, command separators and redirections, and never refuses a
//! text.

use super::nested;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    /// A separator of commands.
    Break,
    Pipe,
    /// `>` and its variants: the next word is a file that is written.
    Write,
    /// `<` and its variants: the next word is read.
    Read,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The text without quotes and without expansions.
    pub(super) text: String,
    /// Set if an expansion or a file pattern determines the value of the word.
    pub(super) dynamic: bool,
    quoted: bool,
}

/// The tokens of a text, the nested texts that the shell would execute, and whether a closing delimiter was
/// missing.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) list: Vec<Token>,
    pub(super) nested: Vec<String>,
    pub(super) broken: bool,
    word: Option<Word>,
    braces: usize,
}

pub(super) fn cut(text: &str) -> Tokens {
    let mut tokens = Tokens::default();
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let behind = rest.get(char.len_utf8()..).unwrap_or_default();
        rest = tokens.take(char, behind);
    }
    tokens.end_word();
    tokens
}

impl Tokens {
    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn push(&mut self, char: char) {
        self.word().text.push(char);
    }

    fn end_word(&mut self) {
        self.list.extend(self.word.take().map(Token::Word));
    }

    fn end_with(&mut self, token: Token) {
        self.end_word();
        self.list.push(token);
    }

    /// Consumes a character and returns the rest of the text after it.
    fn take<'t>(&mut self, char: char, behind: &'t str) -> &'t str {
        match char {
            '&' if behind.starts_with('>') => {}
            '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' | ';' | '(' | ')' | '&' => {
                self.end_with(Token::Break);
            }
            '|' if behind.starts_with('|') => {
                self.end_with(Token::Break);
                return strip_prefix_of(behind, "|");
            }
            '|' => {
                self.end_with(Token::Pipe);
                return strip_prefix_of(behind, "&");
            }
            '<' | '>' => return self.angle(char, behind),
            '\\' => return self.backslash(behind),
            '\'' => return self.single(behind),
            '"' => return self.double(behind),
            '`' => return self.backtick(behind),
            '$' => return self.dollar(behind, QuoteKind::No),
            '#' if self.word.is_none() => return self.comment(behind),
            '{' | '}' | ',' => return self.brace(char, behind),
            '*' | '?' | '[' => {
                self.word().dynamic = true;
                self.push(char);
            }
            _ if is_invisible(char) => {}
            _ if char.is_whitespace() => self.end_word(),
            _ => self.push(char),
        }
        behind
    }

    fn angle<'t>(&mut self, char: char, behind: &'t str) -> &'t str {
        if let Some(inner) = behind.strip_prefix('(') {
            return self.substitution(nested::split_at_close(inner, Some('('), ')'));
        }
        // A number directly before `<` or `>` is a descriptor.
        let digits = |word: &Word| !word.quoted && word.text.bytes().all(|byte| byte.is_ascii_digit());
        if self.word.as_ref().is_some_and(digits) {
            self.word = None;
        }
        self.end_word();
        let writes = char == '>' || behind.starts_with('>');
        self.list.push(if writes { Token::Write } else { Token::Read });
        let behind = behind.trim_start_matches(['<', '>', '|']);
        match behind.strip_prefix('&') {
            // `2>&1` and `>&-` do not write to a file; `>& file` does.
            Some(duplicate) if duplicate.starts_with(|next: char| next.is_ascii_digit() || next == '-') => {
                let file = duplicate.trim_start_matches(|next: char| next.is_ascii_digit() || next == '-');
                let word_goes_on =
                    file.starts_with(|next: char| !next.is_whitespace() && !"|&;()<>".contains(next));
                if word_goes_on {
                    return duplicate;
                }
                self.list.pop();
                file
            }
            Some(target) => target,
            None => behind,
        }
    }

    fn backslash<'t>(&mut self, behind: &'t str) -> &'t str {
        if let Some(behind) = behind.strip_prefix('\n') {
            return behind;
        }
        let Some(char) = behind.chars().next() else { return behind };
        self.word().quoted = true;
        self.push(char);
        behind.get(char.len_utf8()..).unwrap_or_default()
    }

    fn single<'t>(&mut self, behind: &'t str) -> &'t str {
        let (inner, behind) =
            behind.split_once('\'').map_or((behind, None), |(inner, rest)| (inner, Some(rest)));
        self.broken |= behind.is_none();
        self.word().quoted = true;
        self.word().text.push_str(inner);
        behind.unwrap_or_default()
    }

    fn double<'t>(&mut self, behind: &'t str) -> &'t str {
        self.word().quoted = true;
        let mut rest = behind;
        while let Some(char) = rest.chars().next() {
            let next = rest.get(char.len_utf8()..).unwrap_or_default();
            rest = match char {
                '"' => return next,
                '\\' => match next.chars().next() {
                    Some('\n') => next.get(1..).unwrap_or_default(),
                    Some(escaped @ ('$' | '`' | '"' | '\\')) => {
                        self.push(escaped);
                        next.get(1..).unwrap_or_default()
                    }
                    _ => {
                        self.push(char);
                        next
                    }
                },
                '`' => self.backtick(next),
                '$' => self.dollar(next, QuoteKind::Yes),
                _ => {
                    self.push(char);
                    next
                }
            };
        }
        self.broken = true;
        rest
    }

    /// Backticks inside backticks are escaped once per level.
    fn backtick<'t>(&mut self, behind: &'t str) -> &'t str {
        let (inner, behind) = nested::split_at_close(behind, None, '`');
        let inner = inner.replace("\\`", "`").replace("\\\\", "\\");
        self.substitution((&inner, behind))
    }

    /// Records a substitution: its text is executed by itself, and it determines the value of the word.
    fn substitution<'t>(&mut self, (inner, behind): (&str, Option<&'t str>)) -> &'t str {
        self.word().dynamic = true;
        // The `)` of a `case` pattern looks like the end of the substitution.
        self.broken |= behind.is_none() || inner.split_whitespace().any(|word| word == "case");
        self.nested.push(inner.to_owned());
        behind.unwrap_or_default()
    }

    fn dollar<'t>(&mut self, behind: &'t str, quoted: QuoteKind) -> &'t str {
        if let Some(inner) = behind.strip_prefix('(') {
            return self.substitution(nested::split_at_close(inner, Some('('), ')'));
        }
        if let Some(inner) = behind.strip_prefix('{') {
            let (name, rest) = nested::split_at_close(inner, Some('{'), '}');
            if name == "IFS" && quoted == QuoteKind::No {
                self.end_word();
                return rest.unwrap_or_default();
            }
            // The default value inside the braces may be a command.
            let value =
                name.trim_start_matches(|char: char| char.is_alphanumeric() || "_@#!:-+=?".contains(char));
            let _ = self.substitution((name, rest));
            self.nested.push(value.to_owned());
            self.nested.extend(name.split_once(['-', '=', '+', '?']).map(|(_, value)| value.to_owned()));
            return rest.unwrap_or_default();
        }
        if quoted == QuoteKind::No {
            if let Some(inner) = behind.strip_prefix('\'') {
                let (text, rest) = nested::ansi(inner);
                self.broken |= rest.is_none();
                self.word().quoted = true;
                self.word().text.push_str(&text);
                return rest.unwrap_or_default();
            }
            if behind.starts_with('"') {
                return behind;
            }
            if let Some(rest) = behind.strip_prefix("IFS") {
                self.end_word();
                return rest;
            }
        }
        let name = behind.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_');
        if name.len() < behind.len() {
            self.word().dynamic = true;
            return name;
        }
        if let Some(special @ ('@' | '*' | '#' | '?' | '-' | '$' | '!')) = behind.chars().next() {
            self.word().dynamic = true;
            behind.get(special.len_utf8()..).unwrap_or_default()
        } else {
            self.push('$');
            behind
        }
    }

    /// Skips a comment. A quote in a comment would invert the quoting of all text after it, so the comment is
    /// scanned as a text of its own.
    fn comment<'t>(&mut self, behind: &'t str) -> &'t str {
        let end = behind.find(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).unwrap_or(behind.len());
        self.nested.push(behind.get(..end).unwrap_or_default().to_owned());
        behind.get(end..).unwrap_or_default()
    }

    fn brace<'t>(&mut self, char: char, behind: &'t str) -> &'t str {
        match char {
            '{' if behind.starts_with('}') => {
                self.word().text.push_str("{}");
                return strip_prefix_of(behind, "}");
            }
            '{' if self.word.is_none() && behind.starts_with(char::is_whitespace) => {
                self.end_with(Token::Break);
            }
            '{' => {
                self.braces = self.braces.saturating_add(1);
                // The text before the brace is a prefix of each word inside it.
                if let Some(word) = &mut self.word {
                    word.dynamic = true;
                }
                self.end_word();
            }
            ',' if self.braces > 0 => self.end_word(),
            '}' if self.braces > 0 => {
                self.braces = self.braces.saturating_sub(1);
                self.end_word();
            }
            '}' if self.word.is_none() => self.end_with(Token::Break),
            other => self.push(other),
        }
        behind
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteKind {
    Yes,
    No,
}

fn strip_prefix_of<'t>(text: &'t str, prefix: &str) -> &'t str {
    text.strip_prefix(prefix).unwrap_or(text)
}

/// Returns whether a character is invisible and can split a name: zero-width characters, direction marks and
/// tags.
fn is_invisible(char: char) -> bool {
    matches!(char, '\0' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
