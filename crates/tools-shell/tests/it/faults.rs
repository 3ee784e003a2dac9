//! The faults of the group "process" in the fault catalogue, by their ids.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use windlass_protocol::ResultStatus;
use windlass_testkit::{Need, require};

use crate::scene::{LONGEST_WAIT, Scene, assert_no, mark, namespaces, probe};

/// Number of runs of a test; the promised number is `WINDLASS_RUNS=1000`.
pub(crate) fn runs() -> usize {
    std::env::var("WINDLASS_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(40)
}

#[test]
fn f56_grandchildren_and_daemons_end_with_the_call() {
    require!(Need::Namespaces, namespaces());
    let scene = Scene::new();
    let mark = mark(60);
    scene.text(&format!(
        "setsid sleep {mark} & nohup sleep {mark} & (setsid nohup sleep {mark} &) ; sleep {mark} & disown; echo end"
    ));
    assert_no(&mark);
}

#[test]
fn f57_both_streams_and_one_endless_line_are_bounded() {
    require!(Need::Namespaces, namespaces());
    let scene = Scene::new();
    let command = "head -c 30000000 /dev/zero | tr '\\0' x; head -c 30000000 /dev/zero | tr '\\0' y >&2";
    let (status, text) = scene.run(&json!({"command": command})).unwrap();
    assert_eq!(status, ResultStatus::Ok);
    assert!(text.len() < 31_500 && text.contains("xxx") && text.contains("yyy"), "{}", text.len());
    let kept = fs::metadata(scene.folder.path().join("outputs/call_1-stdout-1.txt")).unwrap();
    assert_eq!(kept.len(), 30_000_000);
}

#[test]
fn f58_an_open_pipe_does_not_delay_the_result() {
    require!(Need::Namespaces, namespaces());
    let began = Instant::now();
    let mark = mark(61);
    assert!(Scene::new().text(&format!("(sleep {mark}) & echo done")).ends_with("\ndone\n"));
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_no(&mark);
}

/// Zombies among the children of this process, and its descriptors.
pub(crate) fn left() -> (usize, usize) {
    let own = format!("{}", std::process::id());
    let is_dead_child = |stat: String| {
        let fields: Vec<_> =
            stat.rsplit(") ").next().unwrap_or_default().split(' ').map(str::to_owned).collect();
        fields.first().is_some_and(|state| state == "Z") && fields.get(1) == Some(&own)
    };
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let stats = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    (stats.filter(|stat| is_dead_child(stat.clone())).count(), fs::read_dir("/proc/self/fd").unwrap().count())
}

// Q1, Q2, and issue 6: grandchildren hold the pipe, ignore TERM, wait for input, or fork without end.
#[test]
fn f61_stubborn_children_leak_no_processes_or_descriptors() {
    require!(Need::Namespaces, namespaces());
    let scene = Scene::new();
    let mark = mark(62);
    scene.text("true");
    let (_, before) = left();
    for run in 0..runs() {
        let script = match run % 4 {
            0 => format!("setsid sleep {mark} & exit 1"),
            1 => format!("(sleep {mark} & exec true) & echo x"),
            2 => "read x; cat; echo z".to_owned(),
            _ => format!("(trap '' TERM HUP; setsid sleep {mark}) & sh -c 'kill -STOP $$' & echo y"),
        };
        scene.text(&script);
        if run % 40 == 39 && probe().bounds.processes {
            let bomb = format!("b(){{ sleep {mark} & b | b & }}; b; sleep {mark}");
            let (status, _) = scene.run(&json!({"command": bomb, "timeout_ms": 1500})).unwrap();
            assert_ne!(status, ResultStatus::Ok);
        }
    }
    // A command that has to be killed: it ignores TERM.
    let began = Instant::now();
    let command = format!("trap '' TERM; while :; do sleep {mark}; done");
    let (status, _) = scene.run(&json!({"command": command, "timeout_ms": 200})).unwrap();
    assert_eq!(status, ResultStatus::TimedOut);
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_no(&mark);
    let (zombies, after) = left();
    eprintln!("{} runs: {zombies} zombies, {before} descriptors became {after}", runs());
    // Other tests of this process run meanwhile. A growth by one per run would still exceed the bound.
    assert!(zombies < 10, "{zombies} zombies");
    assert!(after < before + 25.max(runs() / 4), "{before} descriptors became {after}");
}

#[test]
fn f62_one_file_cannot_fill_the_disk_and_the_host_answers() {
    require!(Need::Namespaces, namespaces());
    let mut scene = Scene::new();
    let mut limits = windlass_sandbox::ChildLimits::default();
    limits.file_bytes = 1 << 20;
    scene.shell = scene.shell.clone().with_limits(limits);
    scene
        .text("head -c 100000000 /dev/zero > large; i=0; while [ $i -lt 50 ]; do sleep 5 & i=$((i+1)); done");
    assert_eq!(fs::metadata(scene.work.join("large")).unwrap().len(), 1 << 20);
    let began = Instant::now();
    Command::new("true").status().unwrap();
    assert!(began.elapsed() < Duration::from_secs(1));
}

// F62: many files together are limited as well.
#[test]
fn f62_a_disk_filler_is_stopped_in_time() {
    require!(Need::Namespaces, namespaces());
    let mut scene = Scene::new();
    let free = windlass_sandbox::free_bytes(&scene.work).unwrap();
    scene.shell = scene.shell.clone().with_spare(free.saturating_sub(60_000_000));
    let filler = "i=0; while [ $i -lt 25 ]; do head -c 20000000 /dev/zero > f$i; i=$((i+1)); done; sleep 300";
    let (status, text) = scene.run(&json!({"command": filler, "timeout_ms": 250_000})).unwrap();
    // Another process may have freed space on the same disk meanwhile.
    let free_now = windlass_sandbox::free_bytes(&scene.work).unwrap();
    require!(Need::QuietDisk, free_now <= free.saturating_sub(60_000_000));
    assert_eq!(status, ResultStatus::Error, "{text}");
    assert!(text.contains("of the disk free; sandbox: "), "{text}");
}

// security 25: a disk can be full of files without bytes.
#[test]
fn a_command_that_makes_too_many_files_is_stopped() {
    require!(Need::Namespaces, namespaces());
    let mut scene = Scene::new();
    let free = require!(Need::QuietDisk, windlass_sandbox::free_files(&scene.work).unwrap());
    let spare = free.saturating_sub(2000);
    scene.shell = scene.shell.clone().with_spare_files(spare);
    let filler =
        "mkdir d; cd d; for i in 1 2 3 4 5 6 7 8 9 10; do touch $(seq ${i}0000 ${i}0999); done; sleep 300";
    let (status, text) = scene.run(&json!({"command": filler, "timeout_ms": 250_000})).unwrap();
    require!(Need::QuietDisk, windlass_sandbox::free_files(&scene.work).unwrap() <= Some(spare));
    assert_eq!(status, ResultStatus::Error, "{text}");
    assert!(
        text.contains(&format!("it left room for fewer than {spare} files on the disk; sandbox: ")),
        "{text}"
    );
}

// F63: a signal ends the host while a tree of processes runs; the helper sees that the leash
// (`windlass_sandbox::Leash`) is closed and ends the tree.
#[test]
fn f63_the_tree_ends_with_the_host_however_that_ends() {
    require!(Need::Namespaces, namespaces());
    let example = std::env::current_exe().unwrap();
    let example = example.parent().and_then(std::path::Path::parent).unwrap().join("examples/confined");
    for (number, signal) in ["TERM", "HUP", "INT", "KILL"].into_iter().enumerate() {
        let scene = Scene::new();
        let mark = mark(70 + u32::try_from(number).unwrap());
        let command = format!("trap '' TERM HUP INT; setsid sleep {mark} & echo on > started; sleep {mark}");
        let mut host = Command::new(&example);
        let mut host = host.arg(command).current_dir(&scene.work).stdout(Stdio::piped()).spawn().unwrap();
        let began = Instant::now();
        while !scene.work.join("started").exists() {
            assert!(began.elapsed() < LONGEST_WAIT, "the command does not start");
            std::thread::yield_now();
        }
        let killed = Command::new("kill").args([&format!("-{signal}"), &host.id().to_string()]).status();
        assert!(killed.unwrap().success());
        host.wait().unwrap();
        assert_no(&mark);
        // The process that cleans up after the command has ended when the output ends.
        let mut rest = String::new();
        host.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
        let names: Vec<_> =
            fs::read_dir(&scene.work).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(names.len() <= 1 || is_tidied(&scene), "{signal}: {names:?}");
    }
}

/// Waits until the helper has removed its files, because it outlives the host briefly. Returns false if it does not.
fn is_tidied(scene: &Scene) -> bool {
    let began = Instant::now();
    while fs::read_dir(&scene.work).unwrap().count() > 1 {
        if began.elapsed() > LONGEST_WAIT {
            return false;
        }
        std::thread::yield_now();
    }
    true
}
