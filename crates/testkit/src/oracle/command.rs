//! Properties of `windlass-command`.

use windlass_command::{Command, Effects, Operator, Redirection, Scan, Simple};

/// A command that is accepted is printable ASCII, has the words of a naive reading, parses to the same value
/// after it is formatted, and contains nothing that the scan misses.
///
/// # Panics
/// A property is violated.
pub fn command(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let scan = Scan::scan(&text);
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let (alone, _) = (Effects::from_argv(&words), Scan::scan_argv(&words));
    assert!(!alone.programs().is_empty(), "a program is lost");
    let command = match Command::parse(&text) {
        Ok(command) => command,
        Err(error) => {
            assert!(error.offset() <= text.len(), "{error} is beyond the end");
            return;
        }
    };
    assert!(text.bytes().all(|byte| matches!(byte, b' '..=b'~')), "accepted beyond printable ASCII");
    let again = command.to_string();
    assert_eq!(Command::parse(&again).as_ref(), Ok(&command), "written again it is {again:?}");
    let ours: Vec<String> = command.commands().iter().flat_map(pieces).collect();
    assert_eq!(ours, plain_reading(&text), "another reading than the plain one");
    for simple in command.commands() {
        assert!(scan.runs(&[simple.program()]), "the scan misses {:?}", simple.program());
        for redirection in simple.redirections() {
            if let Redirection::Write { path, .. } | Redirection::Append { path, .. } = redirection {
                assert!(scan.writes().contains(path), "the scan misses the file {path:?}");
            }
        }
    }
    assert!(command.effects().programs().len() >= command.commands().len(), "a program is lost");
}

/// Returns the words and operators of a simple command, with the targets of its redirections at the end.
fn pieces(simple: &Simple) -> Vec<String> {
    let mut pieces: Vec<String> = simple.argv().iter().map(|word| format!("w{word}")).collect();
    pieces.extend(simple.redirections().iter().filter_map(|redirection| match redirection {
        Redirection::Read { path } => Some(format!("<{path}")),
        Redirection::Write { path, .. } | Redirection::Append { path, .. } => Some(format!(">{path}")),
        Redirection::Duplicate { .. } => None,
    }));
    pieces.extend(simple.next().map(|operator| match operator {
        Operator::And => "&&".to_owned(),
        Operator::Or => "||".to_owned(),
        Operator::Then => ";".to_owned(),
        Operator::Pipe => "|".to_owned(),
    }));
    pieces
}

/// Parses accepted text a second time without validation: removes quotes and splits at spaces and operators.
fn plain_reading(text: &str) -> Vec<String> {
    let (mut all, mut words, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let (mut word, mut bare, mut angle): (Option<String>, bool, Option<char>) = (None, true, None);
    let mut chars = text.chars().chain([' ']).peekable();
    while let Some(char) = chars.next() {
        match char {
            '\'' | '"' => {
                bare = false;
                word.get_or_insert_default().extend(chars.by_ref().take_while(|next| *next != char));
            }
            ' ' | ';' | '|' | '&' | '<' | '>' => {
                let ended = word.take();
                let number =
                    bare && matches!(char, '<' | '>') && ended.as_ref().is_some_and(|word| is_number(word));
                bare = true;
                match (ended.filter(|_| !number), angle) {
                    (Some(word), Some(angle_before)) => {
                        files.push(format!("{angle_before}{word}"));
                        angle = None;
                    }
                    (Some(word), None) => words.push(format!("w{word}")),
                    (None, _) => {}
                }
                if matches!(char, '<' | '>') {
                    let _ = chars.next_if_eq(&'>');
                    angle = Some(char);
                    if chars.next_if_eq(&'&').is_some() {
                        let _ = chars.next();
                        angle = None;
                    }
                } else if char != ' ' {
                    all.append(&mut words);
                    all.append(&mut files);
                    let doubled = chars.next_if_eq(&char).is_some();
                    all.push(if doubled { format!("{char}{char}") } else { char.to_string() });
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    all.append(&mut words);
    all.append(&mut files);
    all
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}
