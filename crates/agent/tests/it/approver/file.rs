//! Questions in a folder.
#![expect(clippy::disallowed_methods, reason = "the test is the other process that answers by files")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_agent::{
    ApprovalFolderError, Approver, Event, FileApprover, RefusedFile, RefusedFileReason as Reason, RunOptions,
};
use windlass_hitl::{ApprovalDecision, ApprovalRequest};
use windlass_protocol::Arguments;
use windlass_protocol::ResultStatus;
use windlass_tool::CancellationToken;

use super::{ASKS, a_request, statuses};
use crate::scene::{Scene, events, way};

/// A folder of approvals, and the messages about it.
struct Desk {
    _folder: tempfile::TempDir,
    path: PathBuf,
    approver: FileApprover,
    told: Arc<Mutex<Vec<RefusedFile>>>,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("approvals");
        let told: Arc<Mutex<Vec<RefusedFile>>> = Arc::default();
        let tell = told.clone();
        let approver = FileApprover::open(&path)
            .unwrap()
            .with_interval(Duration::ZERO)
            .on_refusal(move |refused| tell.lock().unwrap().push(refused.clone()));
        Self { _folder: folder, path, approver, told }
    }

    fn names(&self, ending: &str) -> Vec<String> {
        names(&self.path, ending)
    }

    /// Returns the reasons of the refusals so far. Checks that each refused file was moved to the folder `refused`.
    fn refused(&self) -> Vec<Reason> {
        let told = self.told.lock().unwrap().clone();
        for refused in &told {
            if let Some(name) = &refused.moved_to {
                assert!(self.path.join("refused").join(name).symlink_metadata().is_ok(), "{refused}");
            }
            assert!(!self.path.join(&refused.file).exists(), "{refused}");
        }
        told.into_iter().map(|refused| refused.reason).collect()
    }

    /// Waits until a condition holds. Other threads cause it.
    async fn until(&self, holds: impl Fn(&Self) -> bool) {
        let waiting = async {
            while !holds(self) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it never holds");
    }

    fn answer(&self, id: &str, answer: &Value) {
        let making = self.path.join("editor.tmp");
        fs::write(&making, answer.to_string()).unwrap();
        fs::rename(making, self.path.join(format!("{id}.decision.json"))).unwrap();
    }

    /// Asks, calls a function when the question exists, and returns the answer.
    async fn asked(
        &self,
        request: &ApprovalRequest,
        act: impl AsyncFnOnce(&str),
    ) -> Option<ApprovalDecision> {
        let acting = async {
            self.until(|desk| desk.names(".request.json").len() == 1).await;
            act(&request.request_id).await;
        };
        let (decision, ()) = tokio::join!(self.approver.decide(request), acting);
        assert_eq!(self.names(".json"), [] as [&str; 0], "the folder is empty when nothing is asked");
        decision
    }
}

fn names(path: &Path, ending: &str) -> Vec<String> {
    let names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(ending)).collect()
}

fn mode(path: impl AsRef<Path>) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn another_process_reads_the_question_and_drops_the_answer() {
    let (desk, request) = (Desk::new(), a_request().await);
    let decision = desk
        .asked(&request, async |id| {
            let file = desk.path.join(format!("{id}.request.json"));
            let text: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            assert_eq!(
                (text["version"].as_u64(), text["request"]["tool"].as_str()),
                (Some(1), Some("change"))
            );
            assert_eq!((mode(&file), mode(&desk.path)), (0o600, 0o700));
            let digest = &text["request"]["digest"];
            desk.answer(id, &json!({"request_id": id, "approved": true, "remember": true, "digest": digest}));
        })
        .await;
    assert_eq!(decision, Some(ApprovalDecision::approve(&request.request_id).with_remember()));
    let decision = desk
        .asked(&request, async |id| {
            desk.answer(id, &json!({"request_id": id, "approved": false, "reason": "not today"}));
        })
        .await;
    assert_eq!(decision, Some(ApprovalDecision::deny(&request.request_id, Some("not today".into()))));
    assert_eq!(desk.refused(), []);
}

/// Each file is refused for its reason and moved aside, and the question stays open for the right answer.
#[track_caller]
fn check(place: impl AsyncFnOnce(&Path, &str), is_expected: impl FnOnce(&Reason) -> bool) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (desk, request) = (Desk::new(), a_request().await);
        let decision = desk
            .asked(&request, async |id| {
                place(&desk.path.join(format!("{id}.decision.json")), id).await;
                desk.until(|desk| desk.told.lock().unwrap().len() == 1).await;
                assert_eq!(desk.names(".request.json").len(), 1, "the question is still open");
                desk.answer(id, &json!({"request_id": id, "approved": true}));
            })
            .await;
        assert!(decision.is_some_and(|decision| decision.approved));
        let refused = desk.refused();
        assert!(refused.len() == 1 && is_expected(&refused[0]), "{refused:?}");
    });
}

fn yes(id: &str) -> String {
    json!({"request_id": id, "approved": true}).to_string()
}

#[test]
fn links_pipes_and_folders_are_refused_as_answers() {
    check(
        async |file, id| {
            let elsewhere = file.with_file_name("elsewhere");
            fs::write(&elsewhere, yes(id)).unwrap();
            symlink(elsewhere, file).unwrap();
        },
        |reason| *reason == Reason::NotAFile,
    );
    check(
        async |file, _| {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mknodat(rustix::fs::CWD, file, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        },
        |reason| *reason == Reason::NotAFile,
    );
    check(async |file, _| fs::create_dir(file).unwrap(), |reason| *reason == Reason::NotAFile);
}

#[test]
fn answer_files_that_others_can_write_or_own_are_refused() {
    for mode in [0o620, 0o602, 0o666] {
        check(
            async |file, id| {
                let making = file.with_extension("making");
                fs::write(&making, yes(id)).unwrap();
                fs::set_permissions(&making, fs::Permissions::from_mode(mode)).unwrap();
                fs::rename(making, file).unwrap();
            },
            |reason| *reason == Reason::Writable,
        );
    }
    // Only root can give a file away; elsewhere this case cannot come about.
    if rustix::process::geteuid().is_root() {
        check(
            async |file, id| {
                let making = file.with_extension("making");
                fs::write(&making, yes(id)).unwrap();
                std::os::unix::fs::chown(&making, Some(65_534), None).unwrap();
                fs::rename(making, file).unwrap();
            },
            |reason| *reason == Reason::NotOurs,
        );
    }
}

#[test]
fn invalid_answer_files_are_refused() {
    let put = |text: String| async move |file: &Path, _: &str| fs::write(file, &text).unwrap();
    let malformed = |reason: &Reason| matches!(reason, Reason::Malformed(_));
    check(put(yes("approval-0")), |reason| *reason == Reason::WrongQuestion);
    check(put(" ".repeat(70_000)), |reason| *reason == Reason::TooLarge);
    check(put("yes".to_owned()), malformed);
    check(put("[".repeat(10_000)), malformed);
    check(put(r#"{"request_id":"a","approved":"yes"}"#.to_owned()), malformed);
    check(put(r#"{"request_id":"a","approved":true,"but":"only once"}"#.to_owned()), malformed);
    check(put(r#"{"request_id":"a","approved":false,"approved":true}"#.to_owned()), malformed);
    // A cut file is read again later, and refused if it does not grow.
    check(put(r#"{"request_id":"a","appro"#.to_owned()), malformed);
    check(put(String::new()), malformed);
    check(
        async |file, id| {
            let text = json!({"request_id": id, "approved": true, "digest": "0".repeat(64)});
            fs::write(file, text.to_string()).unwrap();
        },
        |reason| *reason == Reason::WrongDigest,
    );
}

#[tokio::test]
async fn an_answer_can_change_the_arguments() {
    let (desk, request) = (Desk::new(), a_request().await);
    for arguments in [json!({"n": 2}), json!(r#"{"n":2}"#)] {
        let answer = async |id: &str| {
            desk.answer(id, &json!({"request_id": id, "approved": true, "arguments": arguments}));
        };
        let decision = desk.asked(&request, answer).await.unwrap();
        assert_eq!(decision.edit().map(Arguments::as_str), Some(r#"{"n":2}"#));
    }
    assert_eq!(desk.refused(), []);
}

#[test]
fn edited_arguments_must_be_an_object() {
    for arguments in [json!([1]), json!("no JSON"), json!("[".repeat(3_000))] {
        let write = async |file: &Path, id: &str| {
            let text = json!({"request_id": id, "approved": true, "arguments": arguments}).to_string();
            fs::write(file, text).unwrap();
        };
        check(write, |reason| matches!(reason, Reason::Malformed(_)));
    }
}

#[tokio::test]
async fn an_answer_that_is_written_slowly_is_waited_for() {
    let (desk, request) = (Desk::new(), a_request().await);
    let decision = desk
        .asked(&request, async |id| {
            let file = desk.path.join(format!("{id}.decision.json"));
            let text = yes(id);
            let (head, tail) = text.split_at(20);
            fs::write(&file, head).unwrap();
            tokio::time::sleep(Duration::from_millis(40)).await;
            fs::write(&file, format!("{head}{tail}")).unwrap();
        })
        .await;
    assert!(decision.is_some_and(|decision| decision.approved));
    assert_eq!(desk.refused(), []);
}

#[tokio::test]
async fn unknown_late_and_second_answers_are_refused() {
    let (desk, request) = (Desk::new(), a_request().await);
    let id = request.request_id.clone();
    desk.answer("approval-of-nobody", &json!({"request_id": "approval-of-nobody", "approved": true}));
    let decision =
        desk.asked(&request, async |id| desk.answer(id, &json!({"request_id": id, "approved": true}))).await;
    assert!(decision.is_some());
    assert_eq!(desk.refused(), [Reason::NotAsked]);
    desk.answer(&id, &json!({"request_id": id, "approved": true}));
    let mut other = request.clone();
    other.request_id = "approval-2".to_owned();
    let decision = desk.asked(&other, async |id| {
        desk.until(|desk| desk.told.lock().unwrap().len() == 2).await;
        desk.answer(id, &json!({"request_id": id, "approved": false}));
    });
    assert!(decision.await.is_some_and(|decision| !decision.approved));
    assert_eq!(desk.refused(), [Reason::NotAsked, Reason::Late]);
    // A late answer is found when the approver is dropped.
    desk.answer(&id, &json!({"request_id": id, "approved": true}));
    let Desk { path, approver, told, _folder } = desk;
    drop(approver);
    assert_eq!(told.lock().unwrap().len(), 3);
    assert_eq!((names(&path, ".decision.json").len(), names(&path.join("refused"), "").len()), (0, 3));
}

#[tokio::test]
async fn the_questions_of_another_process_are_left_alone_and_those_of_a_dead_one_are_not() {
    let (desk, request) = (Desk::new(), a_request().await);
    let neighbour = FileApprover::open(&desk.path).unwrap().with_interval(Duration::ZERO);
    let mut theirs = request.clone();
    theirs.request_id = "approval-neighbour".to_owned();
    let stale = desk.path.join("approval-dead.request.json");
    fs::write(&stale, "{}").unwrap();
    let acting = async {
        desk.until(|desk| desk.names(".request.json").len() == 2 && !stale.exists()).await;
        for request in [&request, &theirs] {
            desk.answer(&request.request_id, &json!({"request_id": request.request_id, "approved": true}));
        }
    };
    let (ours, other, ()) = tokio::join!(desk.approver.decide(&request), neighbour.decide(&theirs), acting);
    assert_eq!(ours.unwrap().request_id, request.request_id);
    assert_eq!(other.unwrap().request_id, theirs.request_id);
    assert_eq!(desk.refused(), []);
}

// F28: the file of a cancelled question is removed from the folder.
#[tokio::test]
async fn a_cancelled_question_is_withdrawn() {
    let (desk, scene, stop) = (Desk::new(), Scene::new(ASKS, way()), CancellationToken::new());
    let agent = scene.builder().approver(desk.approver.clone()).build().unwrap();
    let options = RunOptions::default().with_cancellation(stop.clone());
    let acting = async {
        desk.until(|desk| desk.names(".request.json").len() == 1).await;
        stop.cancel();
    };
    let (seen, ()) = tokio::join!(events(agent.stream_with("task", options)), acting);
    assert_eq!(statuses(&seen), [ResultStatus::Cancelled]);
    desk.until(|desk| desk.names(".request.json").is_empty()).await;
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_run_asks_through_the_folder_and_continues() {
    let (desk, scene) = (Desk::new(), Scene::new(ASKS, way()));
    let agent = scene.builder().approver(desk.approver.clone()).build().unwrap();
    let acting = async {
        desk.until(|desk| desk.names(".request.json").len() == 1).await;
        let name = desk.names(".request.json").remove(0);
        let id = name.strip_suffix(".request.json").unwrap();
        desk.answer(id, &json!({"request_id": id, "approved": true}));
    };
    let (seen, ()) = tokio::join!(events(agent.stream("task")), acting);
    assert_eq!(statuses(&seen), [ResultStatus::Ok, ResultStatus::Ok]);
    assert!(seen.iter().all(|event| !matches!(event, Event::AnswerRefused { .. })));
    assert_eq!(scene.write.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_question_that_cannot_be_written_counts_as_no_approver_and_is_reported() {
    let (desk, mut request) = (Desk::new(), a_request().await);
    request.request_id = "../../escape".to_owned();
    assert_eq!(desk.approver.decide(&request).await, None);
    assert!(matches!(desk.refused()[..], [Reason::Malformed(_)]));
    // The name is taken, by a folder that no question can replace.
    request.request_id = "approval-3".to_owned();
    fs::create_dir(desk.path.join("approval-3.request.json")).unwrap();
    assert_eq!(desk.approver.decide(&request).await, None);
    assert!(matches!(desk.told.lock().unwrap()[1].reason, Reason::System(_)));
    assert_eq!(desk.names(".making"), [] as [&str; 0]);
}

#[test]
fn a_folder_that_others_can_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o770)).unwrap();
    assert!(matches!(FileApprover::open(folder.path()), Err(ApprovalFolderError::Writable { .. })));
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    symlink("/nowhere", folder.path().join("refused")).unwrap();
    assert!(matches!(FileApprover::open(folder.path()), Err(ApprovalFolderError::Io { .. })));
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(matches!(FileApprover::open(folder.path().join("file")), Err(ApprovalFolderError::Io { .. })));
}

// security 10: an answer counts only after its question was asked.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_file_older_than_its_question_is_refused() {
    let desk = Desk::new();
    let request = a_request().await;
    let id = request.request_id.clone();
    let answer = |approved: bool| json!({"request_id": id, "approved": approved});
    desk.answer(&id, &answer(true));
    let approver = desk.approver.clone();
    let asking = tokio::spawn(async move { approver.decide(&request).await });
    desk.until(|desk| !desk.refused().is_empty() && !desk.names(".request.json").is_empty()).await;
    assert_eq!(desk.refused(), [Reason::NotAsked]);
    desk.answer(&id, &answer(false));
    assert!(!asking.await.unwrap().unwrap().approved);
}
