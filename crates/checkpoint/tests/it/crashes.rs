//! Checkpoints of processes that are killed, and of several processes at once.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use windlass_checkpoint::Checkpoints;
use windlass_testkit::{Need, require};

use crate::{opened, scene};

const WORK: &str = "WINDLASS_TEST_CHECKPOINT_WORK";

/// The process that `checkpoints_survive_a_killed_process_and_no_lock_remains` starts and kills. Does nothing if it is
/// run as a test.
#[test]
fn taker() {
    let Some(work) = std::env::var_os(WORK) else { return };
    let work = std::path::PathBuf::from(work);
    let checkpoints = Checkpoints::open(&work, work.with_file_name("state")).unwrap();
    for number in 0.. {
        fs::write(work.join("counter"), format!("{number}\n").repeat(1 + number % 50_000)).unwrap();
        fs::write(work.join(format!("f{}", number % 200)), number.to_string()).unwrap();
        checkpoints.take(&format!("{number}")).unwrap();
        println!("taken");
    }
}

// RULES R5: whenever the process dies, the checkpoint is intact, and the next process continues.
#[test]
fn checkpoints_survive_a_killed_process_and_no_lock_remains() {
    let scene = require!(Need::Git, scene());
    let mut known = 0;
    for round in 0..40_u32 {
        let mut taker = Command::new(std::env::current_exe().unwrap());
        taker
            .args(["--exact", "crashes::taker", "--nocapture"])
            .env(WORK, &scene.work)
            .stdout(Stdio::piped());
        let mut taker = taker.spawn().unwrap();
        let mut stdout = taker.stdout.take().unwrap();
        // Kill the process at a different point in each round: after another number of bytes of its output, and a
        // longer delay.
        let mut some = vec![0; 1 + (round as usize * 7) % 40];
        stdout.read_exact(&mut some).unwrap();
        for _ in 0..round * 20_000 {
            std::hint::spin_loop();
        }
        taker.kill().unwrap();
        taker.wait().unwrap();
        stdout.read_to_end(&mut some).unwrap();
        let told = String::from_utf8_lossy(&some).matches("taken\n").count();
        // A git process that it started may still work: the process holds the lock, and the next one waits
        // for it. Files that a killed git leaves behind are removed.
        let next = opened(&scene.work, &scene.state()).unwrap();
        fs::write(scene.state().join("repository/refs/heads/checkpoints.lock"), "").unwrap();
        let next = opened(&scene.work, &scene.state()).unwrap_or(next);
        let listed = next.list().unwrap().len();
        assert!(listed >= known + told, "{listed} of {known} and {told}");
        let after = next.take("after a death").unwrap();
        let all = next.list().unwrap();
        assert_eq!(all.last().unwrap().id, after.checkpoint.id);
        known = all.len();
        assert!(scene.since(&after.checkpoint.id).is_empty());
    }
}

#[test]
fn takers_at_once_take_turns() {
    let scene = require!(Need::Git, scene());
    let all: Vec<Checkpoints> = (0..4).map(|_| opened(&scene.work, &scene.state()).unwrap()).collect();
    std::thread::scope(|scope| {
        for (name, checkpoints) in all.iter().enumerate() {
            let work = &scene.work;
            scope.spawn(move || {
                for number in 0..5 {
                    fs::write(work.join(format!("file-{name}")), number.to_string()).unwrap();
                    checkpoints.take(&format!("{name} {number}")).unwrap();
                }
            });
        }
    });
    let listed = scene.checkpoints.list().unwrap();
    assert_eq!(listed.len(), 20);
    assert_eq!(scene.since(&listed[19].id), "");
}
