//! Literal lexer: it accepts only text that bash can read in one way, and refuses all other text.

use crate::error::{Error, ErrorKind};
use crate::{CommandLimits, Operator, Redirection, Simple, Stream};

/// Words that open or join a compound command if they are in the position of a program (bash manual,
/// "Reserved Words"). `in` is reserved only inside `for` and `case`, but it does not name a program either.
const KEYWORDS: &[&str] = &[
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select",
    "then", "time", "until", "while",
];

/// Returns whether a byte of an unquoted word is literal at every position after the program.
pub(crate) fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_./:=,@%+-".contains(&byte)
}

pub(crate) fn lex(text: &str, limits: CommandLimits) -> Result<Vec<Simple>, Error> {
    if text.len() > limits.bytes {
        return Err(Error::new(ErrorKind::TooLong, limits.bytes));
    }
    only_printable_ascii(text)?;
    let mut lexer = Lexer { bytes: text.as_bytes(), at: 0 };
    let mut commands = Vec::new();
    loop {
        if commands.len() >= limits.commands {
            return Err(lexer.refuse(ErrorKind::TooManyCommands));
        }
        let mut simple = lexer.simple()?;
        simple.next = lexer.operator()?;
        let more = simple.next.is_some();
        commands.push(simple);
        if !more {
            return Ok(commands);
        }
    }
}

fn only_printable_ascii(text: &str) -> Result<(), Error> {
    let odd = text.char_indices().find(|(_, char)| !matches!(char, ' '..='~'));
    let Some((offset, char)) = odd else { return Ok(()) };
    let kind = match char {
        '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => ErrorKind::LineBreak,
        _ if char.is_ascii() => ErrorKind::Control,
        _ => ErrorKind::NotAscii,
    };
    Err(Error::new(kind, offset))
}

/// Cursor over a text of printable ASCII.
struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
}

/// A word without its quotes, its offset, and whether a part of it was quoted.
struct Word {
    text: String,
    start: usize,
    quoted: bool,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn eat(&mut self, byte: u8) -> bool {
        let met = self.peek() == Some(byte);
        if met {
            self.step();
        }
        met
    }

    fn skip_spaces(&mut self) {
        while self.eat(b' ') {}
    }

    fn refuse(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.at)
    }

    fn at_angle(&self) -> bool {
        matches!(self.peek(), Some(b'<' | b'>'))
    }

    fn simple(&mut self) -> Result<Simple, Error> {
        self.skip_spaces();
        match self.peek() {
            None | Some(b';' | b'|') => return Err(self.refuse(ErrorKind::MissingCommand)),
            Some(b'&') => return Err(self.refuse(ErrorKind::Background)),
            Some(b'<' | b'>') => return Err(self.refuse(ErrorKind::Redirection)),
            Some(_) => {}
        }
        let program = self.word()?;
        if self.at_angle() && descriptor(&program).is_some() {
            return Err(Error::new(ErrorKind::Redirection, program.start));
        }
        check_program(&program)?;
        let mut simple = Simple { argv: vec![program.text], redirections: Vec::new(), next: None };
        loop {
            self.skip_spaces();
            match self.peek() {
                None | Some(b';' | b'|' | b'&') => return Ok(simple),
                Some(b'<' | b'>') => simple.redirections.push(self.redirection(None)?),
                Some(_) => {
                    let word = self.word()?;
                    match descriptor(&word) {
                        Some(number) if self.at_angle() => {
                            simple.redirections.push(self.redirection(Some(number))?);
                        }
                        _ => simple.argv.push(word.text),
                    }
                }
            }
        }
    }

    fn operator(&mut self) -> Result<Option<Operator>, Error> {
        let start = self.at;
        let Some(byte) = self.peek() else { return Ok(None) };
        self.step();
        let doubled = byte != b';' && self.eat(byte);
        match (byte, doubled) {
            (b';', _) => Ok(Some(Operator::Then)),
            (b'|', true) => Ok(Some(Operator::Or)),
            (b'|', false) => Ok(Some(Operator::Pipe)),
            (b'&', true) => Ok(Some(Operator::And)),
            _ => Err(Error::new(ErrorKind::Background, start)),
        }
    }

    /// Reads a redirection. The cursor is at `<` or `>`, after the descriptor's number if the text has one.
    fn redirection(&mut self, number: Option<&'static str>) -> Result<Redirection, Error> {
        let start = self.at;
        let not_simple = Error::new(ErrorKind::Redirection, start);
        if self.eat(b'<') {
            let path = self.target(not_simple)?;
            return if matches!(number, None | Some("0")) {
                Ok(Redirection::Read { path })
            } else {
                Err(not_simple)
            };
        }
        self.step();
        let stream = match number {
            None | Some("1") => Stream::Output,
            Some("2") => Stream::Error,
            Some(_) => return Err(not_simple),
        };
        if self.eat(b'&') {
            let onto = match self.peek() {
                Some(b'1') => Stream::Output,
                Some(b'2') => Stream::Error,
                _ => return Err(not_simple),
            };
            self.step();
            // `>&2x` sends both streams to the file `2x`, and bash parses `>&2>` differently again.
            return match self.peek() {
                None | Some(b' ' | b';' | b'|' | b'&') => Ok(Redirection::Duplicate { stream, onto }),
                Some(_) => Err(not_simple),
            };
        }
        if self.eat(b'>') {
            return Ok(Redirection::Append { stream, path: self.target(not_simple)? });
        }
        Ok(Redirection::Write { stream, path: self.target(not_simple)? })
    }

    fn target(&mut self, not_simple: Error) -> Result<String, Error> {
        self.skip_spaces();
        if matches!(self.peek(), None | Some(b'<' | b'>' | b'&' | b'|' | b';')) {
            return Err(not_simple);
        }
        let word = self.word()?;
        // Bash gives some names below /dev a special meaning in redirections: /dev/tcp opens a connection.
        let device = word.text.starts_with("/dev/") && word.text != "/dev/null";
        if word.text.is_empty() || device || self.at_angle() {
            return Err(not_simple);
        }
        Ok(word.text)
    }

    /// Reads a word. The cursor is at a byte that is neither a space nor an operator.
    fn word(&mut self) -> Result<Word, Error> {
        let mut word = Word { text: String::new(), start: self.at, quoted: false };
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' | b'"' => {
                    word.quoted = true;
                    self.read_quoted(byte, &mut word.text)?;
                }
                b' ' | b';' | b'|' | b'&' | b'<' | b'>' => break,
                _ if is_plain(byte) => {
                    word.text.push(char::from(byte));
                    self.step();
                }
                _ => return Err(self.refuse(meaning(byte))),
            }
        }
        Ok(word)
    }

    fn read_quoted(&mut self, quote: u8, text: &mut String) -> Result<(), Error> {
        let start = self.at;
        self.step();
        while let Some(byte) = self.peek() {
            match byte {
                _ if byte == quote => {
                    self.step();
                    return Ok(());
                }
                b'$' | b'`' | b'\\' | b'!' if quote == b'"' => return Err(self.refuse(meaning(byte))),
                _ => text.push(char::from(byte)),
            }
            self.step();
        }
        Err(Error::new(ErrorKind::UnclosedQuote, start))
    }
}

/// Returns the digits of an unquoted word: bash reads them as a descriptor if `<` or `>` follows directly.
fn descriptor(word: &Word) -> Option<&'static str> {
    let digits = !word.quoted && word.text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then_some(match word.text.as_str() {
        "0" => "0",
        "1" => "1",
        "2" => "2",
        _ => "other",
    })
}

fn check_program(word: &Word) -> Result<(), Error> {
    let refuse = |kind| Err(Error::new(kind, word.start));
    if word.quoted {
        return refuse(ErrorKind::ProgramName);
    }
    if KEYWORDS.contains(&word.text.as_str()) {
        return refuse(ErrorKind::Keyword);
    }
    if word.text.contains('=') {
        return refuse(ErrorKind::Assignment);
    }
    let named = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte);
    let begins = word.text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if begins && word.text.bytes().all(named) { Ok(()) } else { refuse(ErrorKind::ProgramName) }
}

/// Returns the reason for refusing an unquoted byte outside the plain set: the meaning of this byte to the
/// shell.
fn meaning(byte: u8) -> ErrorKind {
    match byte {
        b'$' | b'`' => ErrorKind::Expansion,
        b'\\' => ErrorKind::Escape,
        b'*' | b'?' | b'[' | b']' => ErrorKind::Glob,
        b'{' | b'}' => ErrorKind::Brace,
        b'~' => ErrorKind::Tilde,
        b'!' => ErrorKind::Exclamation,
        b'#' => ErrorKind::Comment,
        b'(' | b')' => ErrorKind::Parenthesis,
        _ => ErrorKind::Character,
    }
}
