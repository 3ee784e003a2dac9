//! The records of sessions.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use windlass_app::Notice;
use windlass_app::feed::FeedKind;
use windlass_app::sessions::{Answer, RunEnd, SessionState, Sessions};
use windlass_testkit::{Need, require};

use crate::feed::{Scene, TWO_CALLS, follow};

fn set_modified(file: &Path, time: SystemTime) {
    File::options().append(true).open(file).unwrap().set_modified(time).unwrap();
}

// Regression test: a run without a session was an interrupted one if its diff followed its end, and the listing read the
// records of a copied run each time.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_session_has_the_state_of_its_records_and_is_read_once() {
    require!(Need::Git, std::process::Command::new("git").arg("--version").output());
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let mut settings = scene.settings("write two files");
    settings.no_checkpoints = false;
    let run = host.start(settings).await.unwrap();
    follow(&host, &run, Answer::Once { comment: None }).await;
    assert!(matches!(run.wait().await, RunEnd::Outcome(_)));
    let last = host.read(run.session(), None).await.unwrap().pop().unwrap();
    assert!(matches!(last.kind, FeedKind::RunDiff { .. }), "{last:?}");
    let state = scene.place.app.state_folder().unwrap();
    let list = || Sessions::new(&scene.place.app).unwrap().list().unwrap().pop().unwrap();
    let index = state.join("sessions.jsonl");
    fs::remove_file(&index).unwrap();
    assert_eq!((list().state, list().is_found), (SessionState::Ended, true));

    // A run that was killed and then copied.
    let journal = scene.place.app.find_run(run.run()).unwrap().journal();
    let whole = fs::read_to_string(&journal).unwrap();
    let cut = whole.trim_end().rsplit_once('\n').unwrap().0;
    fs::write(&journal, format!("{cut}\n")).unwrap();
    let copied = SystemTime::now() + Duration::from_secs(60);
    set_modified(&journal, copied);
    fs::remove_file(&index).unwrap();
    assert_eq!(list().state, SessionState::Interrupted);
    let lines = fs::read_to_string(&index).unwrap();
    fs::write(&journal, &whole).unwrap();
    set_modified(&journal, copied);
    assert_eq!(list().state, SessionState::Interrupted, "the journal has the time of the last look");
    assert_eq!(fs::read_to_string(&index).unwrap(), lines);
    set_modified(&journal, copied + Duration::from_secs(1));
    assert_eq!(list().state, SessionState::Ended, "another program continued the run");
}

// Regression test: a run with a damaged record was not in the list, and nothing said so.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_cannot_be_read_is_named_once() {
    let scene = Scene::new(TWO_CALLS).await;
    let host = scene.host();
    let run = host.start(scene.settings("write two files")).await.unwrap();
    follow(&host, &run, Answer::Once { comment: None }).await;
    let state = scene.place.app.state_folder().unwrap();
    let journal = scene.place.app.find_run(run.run()).unwrap().journal();
    let text = fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(&journal, [&lines[..2], &["{damaged"], &lines[3..]].concat().join("\n")).unwrap();
    fs::remove_file(state.join("sessions.jsonl")).unwrap();
    let sessions = Sessions::new(&scene.place.app).unwrap();
    for _ in 0..2 {
        assert!(sessions.list().unwrap().is_empty());
    }
    let named = |notice: &&Notice| notice.to_string().contains(&format!("run {} is not listed: ", run.run()));
    let notices = scene.place.notices();
    assert_eq!(notices.iter().filter(named).count(), 1, "{notices:?}");
}
