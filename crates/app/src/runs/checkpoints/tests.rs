//! The checkpointer of a run follows the rules of the conformance kit.

use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::Duration;

use futures_util::FutureExt;
use windlass_agent::Checkpointer;
use windlass_agent::kit::check_checkpointer;
use windlass_checkpoint::{CheckpointError, Checkpoints};
use windlass_testkit::{Need, require};

use super::{Keeper, RunCheckpoints, SLOW};
use crate::notices::NoticeSink;
use crate::runs::RunFolder;
use crate::{App, Folders, Notice};

/// The folders of a user, a workspace, and the checkpointer of a run in it. Returns an error without git.
fn keeper(folder: &tempfile::TempDir) -> Result<Keeper, CheckpointError> {
    keeper_with_notices(folder, |_: &Notice| {})
}

fn keeper_with_notices(
    folder: &tempfile::TempDir,
    sink: impl NoticeSink + 'static,
) -> Result<Keeper, CheckpointError> {
    let place = folder.path().canonicalize().unwrap();
    let root = place.join("project");
    std::fs::create_dir(&root).unwrap();
    match Checkpoints::open(&root, place.join("probe")) {
        Err(error @ CheckpointError::NoGit(_)) => return Err(error),
        opened => drop(opened.unwrap()),
    }
    let app = App::new(Folders::new(place.join("settings"), place.join("state"))).with_notices(sink);
    let folder = RunFolder::create(&app).unwrap();
    Ok(Keeper(Arc::new(RunCheckpoints {
        folder,
        root,
        open: Mutex::default(),
        before: Mutex::default(),
        running: Arc::default(),
        given_up: OnceLock::new(),
        notices: app.notices().clone(),
        reported: OnceLock::new(),
    })))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_checkpointer_of_a_run_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let keeper = require!(Need::Git, keeper(&folder));
    let file = keeper.0.root.join("file.txt");
    std::fs::write(keeper.0.root.join("other.txt"), "of the user\n").unwrap();
    let write = |content: &str| std::fs::write(&file, content).unwrap();
    check_checkpointer(&keeper, write).await.unwrap();
}

/// A cancelled turn drops the future of its checkpoint, and the operation continues without it. The next
/// operation waits for its end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operations_run_in_the_order_of_their_first_poll() {
    let folder = tempfile::tempdir().unwrap();
    let keeper = require!(Need::Git, keeper(&folder));
    let (locked, is_locked) = mpsc::channel();
    let (let_go, is_released) = mpsc::channel::<()>();
    let kept = Arc::clone(&keeper.0);
    let holder = std::thread::spawn(move || {
        let _open = kept.open.lock().unwrap();
        locked.send(()).unwrap();
        is_released.recv().unwrap();
    });
    is_locked.recv().unwrap();

    assert!(keeper.save_before_change(1).now_or_never().is_none(), "it waits for the repository");
    let mut later = keeper.save_before_change(2);
    assert!((&mut later).now_or_never().is_none(), "it waits for the dropped operation");
    let_go.send(()).unwrap();
    holder.join().unwrap();
    later.await.unwrap();

    let all = keeper.0.open().unwrap().list().unwrap();
    let labels: Vec<_> = all.iter().map(|checkpoint| checkpoint.label.as_str()).collect();
    assert_eq!(labels, ["before turn 1", "before turn 2"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_checkpoint_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let (sender, notices) = mpsc::channel();
    let sender = Mutex::new(sender);
    let sink = move |notice: &Notice| drop(sender.lock().unwrap().send(notice.to_string()));
    let keeper = require!(Need::Git, keeper_with_notices(&folder, sink));
    for turn in 1..3 {
        let slow = |_: &RunCheckpoints, _| {
            std::thread::sleep(SLOW + Duration::from_millis(500));
            Ok(String::new())
        };
        keeper.on_a_thread(turn, slow).await.unwrap();
    }
    let told: Vec<String> = notices.try_iter().collect();
    assert!(matches!(&told[..], [notice] if notice.contains("waits for a checkpoint")), "{told:?}");
}
