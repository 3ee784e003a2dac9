//! Inner programs of wrappers: the positions where their words begin, and the words that are executed as
//! texts.

use super::tokens::Word;
use crate::kind;

const KEYWORDS: &[&str] =
    &["if", "then", "elif", "else", "while", "until", "do", "time", "!", "coproc", "-p", "function", "{"];

/// Returns the words after any reserved words at the start.
pub(super) fn skip_keywords(mut words: &[Word]) -> &[Word] {
    while let Some((_, rest)) =
        words.split_first().filter(|(first, _)| KEYWORDS.contains(&first.text.as_str()))
    {
        words = rest;
    }
    words
}

/// Returns the value of `NAME=value` or `NAME+=value`, or `None` if the word is not an assignment.
pub(super) fn assignment_value(word: &str) -> Option<&str> {
    let (name, value) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    let is_name = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    is_name.then_some(value)
}

/// Returns the positions in the words of a wrapper where the inner program may begin. An unknown option may
/// or may not consume the next word, so both positions are returned.
pub(super) fn inner(program: &str, words: &[String]) -> Vec<usize> {
    let Some(wrapper) = kind::wrapper(program) else { return Vec::new() };
    let (mut places, mut skip, mut operands, mut unsure) = (Vec::new(), false, wrapper.operands, false);
    for (index, word) in words.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        if word.starts_with('-') && word.len() > 1 {
            skip = wrapper.valued.contains(&word.as_str());
            unsure = !skip && word != "--";
        } else if assignment_value(word).is_some() {
            unsure = false;
        } else if operands > 0 {
            operands = operands.saturating_sub(1);
            // As the option is unknown, this word may be the operand, the option's value, or the program.
            if std::mem::take(&mut unsure) {
                places.push(index);
            }
        } else {
            places.push(index);
            if !std::mem::take(&mut unsure) {
                break;
            }
        }
    }
    places
}

/// Returns the positions of programs after options and sub-commands that start one: `find -exec`, `fd -x`,
/// `cargo run`.
pub(super) fn find_option_starts(program: &str, words: &[String]) -> Vec<usize> {
    let options: &[&str] = match program {
        "find" | "gfind" => &["-exec", "-execdir", "-ok", "-okdir"],
        "fd" | "fdfind" => &["-x", "-X", "--exec", "--exec-batch"],
        "gdb" | "lldb" | "gdbserver" => &["--args", "--"],
        "cargo" | "npm" | "pnpm" | "yarn" | "poetry" | "pipenv" | "uv" | "bundle" | "conda" | "pdm"
        | "hatch" | "mise" | "direnv" | "nix" | "docker" | "podman" | "kubectl" | "rbenv" | "pyenv"
        | "asdf" | "op" | "doppler" | "aws-vault" | "ip" => {
            &["exec", "run", "x", "dlx", "--", "-c", "--command"]
        }
        _ => return Vec::new(),
    };
    let starts = |word: &String| options.contains(&word.as_str());
    words.iter().enumerate().filter(|(_, word)| starts(word)).map(|(at, _)| at.saturating_add(1)).collect()
}

/// Returns the words of a program that are commands themselves. One pass over the words finds all of them, so
/// the cost is linear.
pub(super) fn texts(program: &str, words: &[String]) -> Vec<String> {
    if let Some(wrapper) = kind::wrapper(program) {
        let mut texts: Vec<String> = match program {
            "env" | "genv" => split_strings(words),
            "su" | "script" | "flock" | "runuser" | "sg" => {
                shell_texts(words).chain(option_values(words, &["-c", "--command", "-qc"])).collect()
            }
            "coreutils" | "uutils" => words
                .iter()
                .filter_map(|word| {
                    word.strip_prefix("--coreutils-prog").and_then(|rest| rest.split_once('='))
                })
                .map(|(_, program)| program.to_owned())
                .collect(),
            _ => option_values(words, &["--run", "--command", "--exec"]),
        };
        if wrapper.texts {
            texts.extend(words.iter().filter(|word| word.contains(' ')).cloned());
        }
        return texts;
    }
    match program {
        "eval" => vec![words.join(" ")],
        "tmux" | "screen" | "dtach" | "at" | "just" | "task" => {
            words.iter().filter(|word| word.contains(' ')).cloned().collect()
        }
        "alias" => words.iter().filter_map(|word| Some(word.split_once('=')?.1.to_owned())).collect(),
        "git" => git_texts(words),
        "mapfile" | "readarray" | "compgen" | "complete" => option_values(words, &["-C"]),
        "vim" | "vi" | "nvim" | "ex" | "view" | "less" | "more" => {
            words.iter().filter_map(|word| Some(word.split_once('!')?.1.to_owned())).collect()
        }
        "man" => option_values(words, &["-P", "--pager", "-H", "--html"]),
        "make" | "gmake" => {
            let assigned = words.iter().filter_map(|word| assignment_value(word)).map(str::to_owned);
            assigned.chain(option_values(words, &["--eval"])).collect()
        }
        "rsync" => option_values(words, &["-e", "--rsh", "--rsync-path"]),
        "scp" | "sftp" => option_values(words, &["-S", "-o"]),
        "zip" => option_values(words, &["-TT", "--unzip-command"]),
        "gdb" | "expect" => {
            words.iter().map(|word| word.replace(['!', '"'], " ").replace("spawn ", "")).collect()
        }
        "tar" | "gtar" | "bsdtar" => {
            let actions = words.iter().filter_map(|word| Some(word.split_once("exec=")?.1.to_owned()));
            let options =
                ["--to-command", "-I", "--use-compress-program", "--rsh-command", "-F", "--info-script"];
            actions.chain(option_values(words, &options)).collect()
        }
        _ if kind::is_shell(program) => shell_texts(words).collect(),
        _ => Vec::new(),
    }
}

/// Returns the values of options: the next word, and text that is glued to the option.
fn option_values(words: &[String], options: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if options.contains(&word.as_str()) {
            texts.extend(words.get(index.saturating_add(1)).cloned());
        }
        let glued = options.iter().filter_map(|option| word.strip_prefix(option));
        texts.extend(glued.map(|text| text.strip_prefix('=').unwrap_or(text).to_owned()));
    }
    texts
}

/// Returns the text that `env -S` splits into words: the option's value, alone or after other letters, and
/// the words after it.
fn split_strings(words: &[String]) -> Vec<String> {
    let mut texts = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let long = word.strip_prefix("--split-string").or_else(|| word.strip_prefix("--s"));
        let short = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        let Some(value) = long.or_else(|| short.and_then(|letters| Some(letters.split_once('S')?.1))) else {
            continue;
        };
        let value = value.strip_prefix('=').unwrap_or(value);
        let rest = words.get(index.saturating_add(1)..).unwrap_or_default();
        // In this text `\_` is a space, and `\c` ends it. Both become spaces here, so the words after `\c`
        // are scanned as well.
        let rest = if value.is_empty() { rest.join(" ") } else { format!("{value} {}", rest.join(" ")) };
        texts.push(rest.replace("\\_", " ").replace("\\c", " "));
        // All later words are part of this text.
        break;
    }
    texts
}

/// Returns the command text of a shell: the first word that is not an option after an option with the letter
/// `c`, such as `-c`, `-lc` or `-xec`.
fn shell_texts(words: &[String]) -> impl Iterator<Item = String> {
    let at = words.iter().position(|word| {
        word.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains('c'))
    });
    let behind = at.and_then(|at| words.get(at.saturating_add(1)..)).unwrap_or_default();
    behind.iter().find(|word| !word.starts_with('-') && !word.starts_with('+')).cloned().into_iter()
}

/// Returns the commands that git would run: values of configuration, aliases, and the commands of some
/// sub-commands.
fn git_texts(words: &[String]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut joined = false;
    let mut after_alias = false;
    for (index, word) in words.iter().enumerate() {
        let next = || words.get(index.saturating_add(1));
        if std::mem::take(&mut after_alias) {
            record_setting("alias.", word, &mut texts);
        }
        match word.as_str() {
            "foreach" | "run" if !joined => {
                // The words after the sub-command form one command. After an option, this word may be the
                // option's value, so the search for the sub-command continues.
                joined = index > 0
                    && words.get(index.saturating_sub(1)).is_some_and(|before| !before.starts_with('-'));
                let rest = words.get(index.saturating_add(1)..).unwrap_or_default().iter();
                let rest: Vec<&str> =
                    rest.map(String::as_str).skip_while(|word| word.starts_with('-')).collect();
                texts.push(rest.join(" "));
            }
            "--exec" | "-x" | "--upload-pack" | "--receive-pack" | "--extcmd" | "-O" => {
                texts.extend(next().map(|text| bare(text)));
            }
            other if other.starts_with('!') => texts.push(bare(other)),
            // The key of `git config`; the next word is its value.
            other if is_alias(other) && !other.contains('=') => after_alias = true,
            other => {
                let glued = ["--exec=", "--upload-pack=", "--receive-pack=", "--extcmd="];
                let option = glued.iter().find_map(|option| other.strip_prefix(option));
                match (option, other.trim_start_matches("-c").split_once('=')) {
                    (Some(text), _) => texts.push(bare(text)),
                    (None, Some((key, value))) if key.contains('.') && !key.starts_with('-') => {
                        record_setting(key, value, &mut texts);
                    }
                    _ => {}
                }
            }
        }
    }
    texts
}

/// Records the value of a setting as a command for a shell, and also as a git command if the setting is an
/// alias.
pub(super) fn record_setting(key: &str, value: &str, texts: &mut Vec<String>) {
    texts.push(bare(value));
    if is_alias(key) && !value.starts_with('!') {
        texts.push(format!("git {value}"));
    }
}

fn is_alias(key: &str) -> bool {
    key.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("alias."))
}

fn bare(text: &str) -> String {
    text.trim_start_matches('!').to_owned()
}
