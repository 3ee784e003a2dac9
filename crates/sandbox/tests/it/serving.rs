//! Confined programs that serve requests: they have an input of their own, and the helper has the leash
//! (`windlass_sandbox::Leash`).

use std::fs;
use std::io::{BufRead, BufReader, PipeWriter, Read, Write};
use std::process::{Child, ChildStdout, Stdio};

use windlass_sandbox::{Leash, Level};

use crate::leashed::{Scene, assert_gone, mark, scene};
use crate::levels::{confined, helper};

struct Serving {
    child: Child,
    leash: Leash,
    input: PipeWriter,
    output: BufReader<ChildStdout>,
}

fn serve(scene: &Scene, level: Level, script: &str) -> Serving {
    let made = scene.confinement.start_service(level, &helper(), &scene.work, "/bin/sh", ["-c", script]);
    let (mut command, held) = made.unwrap();
    let (leash, input) = held.unwrap();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    Serving { child, leash, input, output }
}

impl Serving {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }
}

#[test]
fn a_served_program_answers_and_ends_with_its_input() {
    for level in confined() {
        let scene = scene();
        let script = "while read -r word; do echo \"you said $word\"; done; echo over; exit 4";
        let mut serving = serve(&scene, level, script);
        for word in ["one", "two"] {
            writeln!(serving.input, "{word}").unwrap();
            assert_eq!(serving.line(), format!("you said {word}\n"), "{level}");
        }
        assert_eq!(serving.leash.check_confined(), Ok(()));
        drop(serving.input);
        let mut rest = String::new();
        serving.output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "over\n");
        assert_eq!(serving.child.wait().unwrap().code(), Some(4), "{level}");
    }
}

// A pipe ends for the writer when its reader closes it, and for the reader when its writer closes it.
#[test]
fn a_served_program_may_close_its_ends() {
    for level in confined() {
        let scene = scene();
        let mut serving =
            serve(&scene, level, "exec <&-; echo ready; exec >&- 2>&-; until [ -e go ]; do sleep 0.02; done");
        assert_eq!(serving.line(), "ready\n");
        let written = (0..1000).map(|_| serving.input.write_all(&[b'x'; 4096])).find(Result::is_err);
        assert!(written.is_some(), "{level}: nobody reads, and the pipe takes all of it");
        // `bwrap` itself keeps its copies of the pipe ends open until the program ends.
        if level != Level::Bubblewrap {
            assert_eq!(serving.line(), "");
            assert!(serving.child.try_wait().unwrap().is_none());
        }
        fs::write(scene.work.join("go"), "").unwrap();
        serving.child.wait().unwrap();
    }
}

// The command has its three standard descriptors only: neither the leash nor another end of its input pipe.
#[test]
fn a_served_program_has_no_other_descriptor() {
    for level in confined() {
        let scene = scene();
        let script =
            "for n in 0 1 2 3 4 5 6 7 8 9 10 11 12; do [ -e /proc/$$/fd/$n ] && echo $n; done; echo end";
        let mut serving = serve(&scene, level, script);
        let seen = ["0\n", "1\n", "2\n", "end\n"].map(|_| serving.line());
        assert_eq!(seen, ["0\n", "1\n", "2\n", "end\n"], "{level}");
    }
}

// Q1: a served program ends with its leash even if it ignores signals or its host still writes to it.
#[test]
fn a_served_program_ends_with_its_leash() {
    for level in confined() {
        let (scene, mark) = (scene(), mark(8));
        let script = format!(
            "trap '' TERM HUP PIPE; setsid sleep {mark} & (sleep {mark} &); echo ready; sleep {mark}"
        );
        let mut serving = serve(&scene, level, &script);
        assert_eq!(serving.line(), "ready\n");
        drop(serving.leash);
        serving.child.wait().unwrap();
        assert_gone(&mark);
        serving.input.write_all(b"x").unwrap_err();
    }
}

// A host that dies before its helper runs leaves a helper that runs nothing.
#[test]
fn a_helper_without_its_input_runs_nothing() {
    for level in confined() {
        let scene = scene();
        let made =
            scene.confinement.start_service(level, &helper(), &scene.work, "/bin/sh", ["-c", "touch ran"]);
        let (mut command, _held) = made.unwrap();
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{level}");
        assert!(!scene.work.join("ran").exists());
    }
}
