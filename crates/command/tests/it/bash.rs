//! Bash as the oracle: text that the lexer accepted runs in a real bash in which every program is a recording
//! stub, and the recorded words and the new files must be the predicted ones.
//!
//! `WINDLASS_COMMAND_STRINGS` sets how many strings are made, `WINDLASS_COMMAND_SEED` from which seed.
#![expect(clippy::disallowed_methods, reason = "the oracle is a process, and its stubs are files")]

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::{env, fs};

use windlass_command::{Command, Operator, Redirection, Simple};
use windlass_testkit::{Need, require};

use crate::generator::Generator;

/// No generated string holds this name, so no string can start the recorder itself.
const RECORDER: &str = "zz_record_zz";

/// A file that exists from the start, for a pattern to match.
const PRESENT: &str = "x1";

/// A folder with the recorder, the start-up file and a place to run in.
struct Oracle {
    bash: PathBuf,
    root: tempfile::TempDir,
}

/// The programs that ran, and the files afterwards.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    argv: Vec<Vec<String>>,
    files: BTreeSet<String>,
}

impl Oracle {
    /// `None` without bash.
    fn new() -> Option<Self> {
        let path = env::var_os("PATH")?;
        let bash = env::split_paths(&path).map(|folder| folder.join("bash")).find(|file| file.is_file())?;
        let listed = Process::new(&bash).args(["--norc", "--noprofile", "-c", "compgen -b"]).output().ok()?;
        let builtins = String::from_utf8(listed.stdout).unwrap().replace('\n', " ");
        let oracle = Self { bash, root: tempfile::tempdir().unwrap() };
        fs::create_dir(oracle.path("bin")).unwrap();
        // With every builtin off, bash looks each name up in PATH, finds none, and hands the words to the handler.
        let start = format!("command_not_found_handle() {{ {RECORDER} \"$@\"; }}\nenable -n {builtins}\n");
        fs::write(oracle.path("start"), start).unwrap();
        let recorder =
            "#!/bin/sh\nprintf '%s\\0' \"$#\" \"$@\" >> \"$WINDLASS_LOG\"\nexit \"$WINDLASS_STATUS\"\n";
        let stub = oracle.path("bin").join(RECORDER);
        fs::write(&stub, recorder).unwrap();
        fs::set_permissions(&stub, fs::Permissions::from_mode(0o700)).unwrap();
        Some(oracle)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn run(&self, text: &str, command: &Command, status: u8) -> Seen {
        let (place, log) = (self.path("place"), self.path("log"));
        fs::create_dir(&place).unwrap();
        fs::write(&log, "").unwrap();
        fs::write(place.join(PRESENT), "").unwrap();
        let redirections = || command.commands().iter().flat_map(Simple::redirections);
        for redirection in redirections() {
            if let Redirection::Read { path } = redirection {
                fs::write(place.join(path), "").unwrap();
            }
        }
        let mut bash = Process::new(&self.bash);
        bash.args(["--norc", "--noprofile"]);
        if redirections().all(|redirection| matches!(redirection, Redirection::Read { .. })) {
            // The restricted mode forbids output to files, so it replaces a sandbox.
            bash.arg("-r");
        }
        bash.args(["-c", text]).env_clear().current_dir(&place);
        bash.env("PATH", self.path("bin")).env("BASH_ENV", self.path("start"));
        bash.env("WINDLASS_LOG", &log).env("WINDLASS_STATUS", status.to_string());
        bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        let seen = Seen { argv: recorded(&fs::read_to_string(&log).unwrap()), files: names(&place) };
        fs::remove_dir_all(&place).unwrap();
        seen
    }
}

fn names(place: &Path) -> BTreeSet<String> {
    fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The log has for each program the number of its words and then the words, each terminated by NUL.
fn recorded(log: &str) -> Vec<Vec<String>> {
    let mut words = log.split_terminator('\0');
    let mut argv = Vec::new();
    while let Some(count) = words.next() {
        argv.push(words.by_ref().take(count.parse().unwrap()).map(str::to_owned).collect());
    }
    argv
}

/// The expected observations if every program ends with this status.
fn predicted(command: &Command, status: u8) -> Seen {
    let mut seen = Seen { argv: Vec::new(), files: BTreeSet::from([PRESENT.to_owned()]) };
    let (mut runs, mut succeeded) = (true, true);
    for simple in command.commands() {
        for redirection in simple.redirections() {
            match redirection {
                Redirection::Read { path } => _ = seen.files.insert(path.clone()),
                Redirection::Write { path, .. } | Redirection::Append { path, .. }
                    if runs && path != "/dev/null" =>
                {
                    seen.files.insert(path.clone());
                }
                _ => {}
            }
        }
        if runs {
            seen.argv.push(simple.argv().to_vec());
            succeeded = status == 0;
        }
        runs = match simple.next() {
            Some(Operator::Pipe) => runs,
            Some(Operator::And) => succeeded,
            Some(Operator::Or) => !succeeded,
            Some(Operator::Then) | None => true,
        };
    }
    seen
}

/// Commands of a pipeline run at the same time, so their order in the log is chance.
fn in_order(mut seen: Seen, command: &Command) -> Seen {
    if command.commands().iter().any(|simple| simple.next() == Some(Operator::Pipe)) {
        seen.argv.sort();
    }
    seen
}

#[track_caller]
fn same(oracle: &Oracle, text: &str, command: &Command) {
    for status in [0, 1] {
        let expected = in_order(predicted(command, status), command);
        assert_eq!(
            in_order(oracle.run(text, command, status), command),
            expected,
            "{text:?} with status {status}"
        );
    }
}

/// Files are only opened in the oracle's own folder: a target with a slash or a dot alone is not run.
fn stays_inside(command: &Command) -> bool {
    command.commands().iter().flat_map(Simple::redirections).all(|redirection| match redirection {
        Redirection::Read { path } | Redirection::Write { path, .. } | Redirection::Append { path, .. } => {
            !path.contains('/') && path != "." && path != ".."
        }
        Redirection::Duplicate { .. } => true,
    })
}

fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

#[test]
fn bash_reads_what_the_lexer_read() {
    // H7
    let oracle = require!(Need::Bash, Oracle::new());
    for text in
        ["kill -l", "cd a", "eval b", "exit 3", "exec c", "enable d", ": ; e", "printf f && echo g || h"]
    {
        if let Ok(command) = Command::parse(text) {
            same(&oracle, text, &command);
        }
    }
    let strings = number("WINDLASS_COMMAND_STRINGS", 5_000);
    let mut generator = Generator::new(number("WINDLASS_COMMAND_SEED", 20_261_121));
    let (mut accepted, mut outside, mut redirected, mut joined) = (0_u64, 0_u64, 0_u64, 0_u64);
    for _ in 0..strings {
        let text = generator.string();
        let Ok(command) = Command::parse(&text) else { continue };
        if !stays_inside(&command) {
            outside += 1;
            continue;
        }
        accepted += 1;
        redirected += u64::from(command.commands().iter().any(|simple| !simple.redirections().is_empty()));
        joined += u64::from(command.commands().len() > 1);
        same(&oracle, &text, &command);
    }
    println!("oracle: {strings} strings, {accepted} accepted, 0 different");
    println!(
        "oracle: {joined} of these joined, {redirected} redirected; {outside} not run, they name files elsewhere"
    );
    assert!(strings < 1_000 || accepted * 20 > strings, "too little was accepted to mean anything");
}
