//! Files that a task takes along: pictures and documents, which the text mentions as `@path`.

use super::State;

/// Extensions of files whose content the model cannot read with a tool for texts.
const ATTACHED: [&str; 6] = ["png", "jpg", "jpeg", "gif", "webp", "pdf"];
/// Maximum number of files of one task.
const MAX_FILES: usize = 20;

impl State {
    /// Returns the mention of a pasted path. Terminals paste the path of a file that is dropped on them.
    pub(super) fn mention_path(&self, pasted: &str) -> Option<String> {
        let path = unquote(pasted.trim())?;
        if !is_attached(&path) || self.composer.text_before_caret().starts_with('!') {
            return None;
        }
        let is_apart = self.composer.text_before_caret().chars().next_back().is_none_or(char::is_whitespace);
        let space = if is_apart { "" } else { " " };
        let is_plain = !path.contains(|character: char| character.is_whitespace() || character == '"');
        Some(if is_plain { format!("{space}@{path} ") } else { format!("{space}@\"{path}\" ") })
    }
}

/// Returns the paths of the mentioned files that a task takes along: `@shot.png` and `@"my shot.png"`.
pub(super) fn find_files(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before = None;
    for (at, character) in text.char_indices() {
        let is_start = before.is_none_or(char::is_whitespace);
        before = Some(character);
        if character != '@' || !is_start {
            continue;
        }
        let rest = text.get(at.saturating_add(1)..).unwrap_or_default();
        let path = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest.split(char::is_whitespace).next(),
        };
        let path = path.unwrap_or_default().trim_end_matches([',', ';', ':', ')', '?', '!', '.']);
        if is_attached(path) && found.len() < MAX_FILES && !found.iter().any(|known| known == path) {
            found.push(path.to_owned());
        }
    }
    found
}

fn is_attached(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| ATTACHED.contains(&extension.as_str()))
}

/// Returns the path in a pasted text: a `file:` URL, a path in quotes, or one with escaped spaces. `None` if the
/// text is not one path.
fn unquote(pasted: &str) -> Option<String> {
    if pasted.contains('\n') || pasted.len() > 4_096 {
        return None;
    }
    if let Some(path) = pasted.strip_prefix("file://") {
        return path.starts_with('/').then(|| decode(path)).flatten();
    }
    for quote in ['\'', '"'] {
        if let Some(inner) = pasted.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return (!inner.contains(quote)).then(|| inner.to_owned()).filter(|path| is_path(path));
        }
    }
    let (mut path, mut is_escaped) = (String::new(), false);
    for character in pasted.chars() {
        match character {
            '\\' if !is_escaped => is_escaped = true,
            // Words after the path belong to a sentence.
            ' ' | '\t' if !is_escaped => return None,
            _ => {
                path.push(character);
                is_escaped = false;
            }
        }
    }
    is_path(&path).then_some(path)
}

fn is_path(text: &str) -> bool {
    ["/", "~/", "./", "../"].iter().any(|start| text.starts_with(start))
}

/// Decodes the percent signs of a URL's path.
fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?.to_owned();
            bytes.push(u8::from_str_radix(&digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{find_files, unquote};

    #[test]
    fn image_files_in_a_message_are_found() {
        let text = "compare @a.png, @\"my shot.JPG\" and @src/lib.rs (me@b.png)";
        assert_eq!(find_files(text), ["a.png", "my shot.JPG"]);
        assert_eq!(find_files("@a.png @a.png"), ["a.png"]);
        assert_eq!(find_files("日本@x.png @"), Vec::<String>::new());
    }

    #[test]
    fn a_pasted_path_is_recognized() {
        for (pasted, path) in [
            ("/tmp/a.png", Some("/tmp/a.png")),
            ("'/tmp/my shot.png'", Some("/tmp/my shot.png")),
            ("/tmp/my\\ shot.png", Some("/tmp/my shot.png")),
            ("file:///tmp/my%20shot.png", Some("/tmp/my shot.png")),
            ("/tmp/a.png is wrong", None),
            ("a.png", None),
            ("file://host/a.png", None),
            ("/tmp/a.png\n/tmp/b.png", None),
        ] {
            assert_eq!(unquote(pasted).as_deref(), path, "{pasted}");
        }
    }
}
