//! Programs that start other ones: where the inner words begin, and which words are texts that run.

use super::tokens::Word;

/// Wrappers with the options that take the next word, and how many operands stand before the inner program.
const WRAPPERS: &[(&str, &[&str], usize)] = &[
    ("env", &["-u", "-C", "--unset", "--chdir"], 0),
    ("command", &[], 0),
    ("builtin", &[], 0),
    ("exec", &["-a"], 0),
    (
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir"],
        0,
    ),
    ("doas", &["-u", "-C"], 0),
    ("pkexec", &["--user"], 0),
    ("nohup", &[], 0),
    ("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-c", "-n"], 0),
    ("chrt", &[], 1),
    ("taskset", &[], 1),
    ("setsid", &[], 0),
    ("setpriv", &[], 0),
    (
        "xargs",
        &["-I", "-n", "-P", "-d", "-a", "-L", "-s", "-E", "--max-args", "--max-procs", "--delimiter"],
        0,
    ),
    ("parallel", &["-j", "--jobs"], 0),
    ("busybox", &[], 0),
    ("toybox", &[], 0),
    ("time", &["-f", "-o"], 0),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("unbuffer", &[], 0),
    ("strace", &["-o", "-e", "-p", "-s", "-u"], 0),
    ("ltrace", &["-o", "-e", "-p", "-s", "-u"], 0),
    ("chroot", &[], 1),
    ("unshare", &[], 0),
    ("nsenter", &["-t"], 0),
    ("flock", &["-w", "-E"], 1),
    ("watch", &["-n"], 0),
    ("script", &["-c", "--command"], 0),
    ("fakeroot", &[], 0),
    ("systemd-run", &["-p", "-u"], 0),
    ("firejail", &[], 0),
    ("bwrap", &[], 0),
    ("ssh", &["-p", "-i", "-l", "-o", "-F", "-J"], 1),
    ("coproc", &[], 0),
    ("runuser", &["-u", "-g"], 0),
    ("chronic", &[], 0),
    ("dbus-launch", &[], 0),
    ("dbus-run-session", &[], 0),
    ("xvfb-run", &["-s", "-n", "-f"], 0),
    ("npx", &["-p", "--package"], 0),
];

const KEYWORDS: &[&str] =
    &["if", "then", "elif", "else", "while", "until", "do", "time", "!", "coproc", "-p", "function", "{"];

pub(super) const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash", "mksh"];

pub(super) const INTERPRETERS: &[&str] = &[
    "python", "python2", "python3", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "awk",
    "gawk", "mawk",
];

/// The rest of the words behind reserved ones.
pub(super) fn behind_keywords(mut words: &[Word]) -> &[Word] {
    while let Some((_, rest)) =
        words.split_first().filter(|(first, _)| KEYWORDS.contains(&first.text.as_str()))
    {
        words = rest;
    }
    words
}

/// The value of `NAME=value` or `NAME+=value`, if a word is one.
pub(super) fn assigned(word: &str) -> Option<&str> {
    let (name, value) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    let is_name = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    is_name.then_some(value)
}

/// The places in the words of a wrapper where the inner program may stand. An unknown option may take the word
/// behind it or not, so both places are given.
pub(super) fn inner(program: &str, words: &[String]) -> Vec<usize> {
    let Some((_, valued, operands)) = WRAPPERS.iter().find(|(name, ..)| *name == program) else {
        return Vec::new();
    };
    let (mut places, mut skip, mut operands, mut unsure) = (Vec::new(), false, *operands, false);
    for (index, word) in words.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        if word.starts_with('-') && word.len() > 1 {
            skip = valued.contains(&word.as_str());
            unsure = !skip && word != "--";
        } else if assigned(word).is_some() {
            unsure = false;
        } else if operands > 0 {
            operands = operands.saturating_sub(1);
            // Without knowing the options, what looks like the operand may be an option's value or the program.
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

/// The words of a program that are themselves commands.
pub(super) fn texts(program: &str, words: &[String]) -> Vec<String> {
    let behind = |options: &[&str]| {
        let mut texts = Vec::new();
        for (index, word) in words.iter().enumerate() {
            if options.contains(&word.as_str()) {
                texts.extend(words.get(index.saturating_add(1)).cloned());
            }
            texts.extend(
                options
                    .iter()
                    .filter_map(|option| word.strip_prefix(option))
                    .map(|text| text.strip_prefix('=').unwrap_or(text).to_owned()),
            );
        }
        texts
    };
    match program {
        "eval" => vec![words.join(" ")],
        "trap" | "watch" | "parallel" | "ssh" | "xargs" => {
            words.iter().filter(|word| word.contains(' ')).cloned().collect()
        }
        "alias" => words.iter().filter_map(|word| Some(word.split_once('=')?.1.to_owned())).collect(),
        "env" => behind(&["-S", "--split-string"]),
        "su" | "script" | "flock" | "runuser" | "sg" => {
            shell_texts(words).chain(behind(&["-c", "--command", "-qc"])).collect()
        }
        "git" => git_texts(words),
        "mapfile" | "readarray" | "compgen" | "complete" => behind(&["-C"]),
        "vim" | "vi" | "nvim" | "ex" | "view" => {
            words.iter().filter_map(|word| Some(word.split_once('!')?.1.to_owned())).collect()
        }
        "make" => {
            let assigned = words.iter().filter_map(|word| assigned(word)).map(str::to_owned);
            assigned.chain(behind(&["--eval"])).collect()
        }
        "rsync" => behind(&["-e", "--rsh"]),
        "gdb" | "expect" => {
            words.iter().map(|word| word.replace(['!', '"'], " ").replace("spawn ", "")).collect()
        }
        "tar" => {
            let actions = words.iter().filter_map(|word| Some(word.split_once("exec=")?.1.to_owned()));
            actions
                .chain(behind(&["--to-command", "-I", "--use-compress-program", "--rsh-command"]))
                .collect()
        }
        _ if SHELLS.contains(&program) => shell_texts(words).collect(),
        _ => Vec::new(),
    }
}

/// The words behind options that hold a `c`: `-c`, `-lc`, `-xec`.
fn shell_texts(words: &[String]) -> impl Iterator<Item = String> {
    let at = words.iter().position(|word| {
        word.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains('c'))
    });
    let behind = at.and_then(|at| words.get(at.saturating_add(1)..)).unwrap_or_default();
    behind.iter().find(|word| !word.starts_with('-') && !word.starts_with('+')).cloned().into_iter()
}

/// Where the programs stand that an option names: `find -exec`, `fd -x`.
pub(super) fn started_by_option(program: &str, words: &[String]) -> Vec<usize> {
    let options: &[&str] = match program {
        "find" => &["-exec", "-execdir", "-ok", "-okdir"],
        "fd" | "fdfind" => &["-x", "-X", "--exec", "--exec-batch"],
        _ => return Vec::new(),
    };
    let starts = |word: &String| options.contains(&word.as_str());
    words.iter().enumerate().filter(|(_, word)| starts(word)).map(|(at, _)| at.saturating_add(1)).collect()
}

/// What git is told to run: values of `-c`, aliases, and the commands of some sub-commands.
fn git_texts(words: &[String]) -> Vec<String> {
    let mut texts = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let rest = words.get(index.saturating_add(1)..).unwrap_or_default();
        match word.as_str() {
            "-c" | "config" => {
                texts.extend(
                    rest.iter().filter_map(|value| value.split_once('=')).map(|(_, value)| value.to_owned()),
                );
                texts.extend(rest.iter().filter(|value| value.starts_with('!')).cloned());
            }
            "foreach" | "run" => texts.push(rest.join(" ")),
            "--exec" | "-x" | "--upload-pack" | "--receive-pack" | "--extcmd" => {
                texts.extend(rest.first().cloned());
            }
            other => {
                let glued = ["--exec=", "--upload-pack=", "--receive-pack=", "--extcmd="];
                texts.extend(glued.iter().filter_map(|option| other.strip_prefix(option)).map(str::to_owned));
            }
        }
    }
    texts.iter().map(|text| text.trim_start_matches('!').to_owned()).collect()
}
