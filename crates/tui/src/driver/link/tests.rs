//! Tests of requests that start no run.

use tokio::sync::mpsc;
use windlass_app::providers::{Provider, ProviderChoice, ProviderOptions};
use windlass_app::sessions::SessionHost;
use windlass_app::{App, Folders, RunSettings};

use super::Link;
use crate::action::{Action, Changes, ForkTurn};
use crate::input::{Input, Reply};

/// A link whose provider is never reached.
struct Scene {
    link: Link,
    replies: mpsc::UnboundedReceiver<Reply>,
    _feed: mpsc::Receiver<Input>,
    _folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let app = App::new(Folders::new(folder.path().join("settings"), folder.path().join("state")));
        let mut choice = ProviderChoice::default();
        choice.base_url = Some("http://127.0.0.1:9/v1".to_owned());
        choice.model = Some("scripted-1".to_owned());
        let provider = Provider::select(&app, &choice, &ProviderOptions::default()).unwrap();
        let template = RunSettings::new("", provider, &project).unwrap();
        let (sender, replies) = mpsc::unbounded_channel();
        let (feed, events) = mpsc::channel(64);
        let link = Link::new(SessionHost::new(&app).unwrap(), template, sender, feed, "", None);
        Self { link, replies, _feed: events, _folder: folder }
    }

    async fn perform(&mut self, action: Action) -> Reply {
        self.link.perform(action);
        self.replies.recv().await.unwrap()
    }
}

fn changes(mode: Option<&str>, effort: Option<&str>) -> Changes {
    Changes {
        mode: mode.map(str::to_owned),
        autonomy: Some("read-only".to_owned()),
        effort: effort.map(str::to_owned),
        ..Changes::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_start_returns_its_changes() {
    let mut scene = Scene::new();
    for (wanted, words) in
        [(changes(Some("nosuch"), None), "unknown mode nosuch"), (changes(None, Some("huge")), "`huge`")]
    {
        let (task, files) = ("go".to_owned(), Vec::new());
        let submit = Action::Submit { task, files, changes: wanted.clone() };
        let reply = scene.perform(submit).await;
        let Reply::NotStarted { task, message, changes, fork: None } = reply else { panic!("{reply:?}") };
        assert_eq!((task.as_str(), changes), ("go", wanted));
        assert!(message.contains(words), "{message}");
    }
    let (task, files) = ("go".to_owned(), Vec::new());
    let wanted = changes(None, Some("huge"));
    let fork = Action::Fork { turn: Some(2), task, files, changes: wanted.clone() };
    let reply = scene.perform(fork).await;
    let Reply::NotStarted { changes, fork, .. } = reply else { panic!("{reply:?}") };
    assert_eq!((changes, fork), (wanted, Some(ForkTurn(Some(2)))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_is_checked_before_a_task_has_it() {
    let mut scene = Scene::new();
    for (slug, words) in
        [("code", ""), ("nosuch", "the modes are: architect, code"), ("read-only", "a level of autonomy")]
    {
        let reply = scene.perform(Action::CheckMode(slug.to_owned())).await;
        let Reply::ModeChecked { mode, problem } = reply else { panic!("{reply:?}") };
        assert_eq!((mode.as_str(), problem.is_none()), (slug, words.is_empty()));
        assert!(problem.unwrap_or_default().contains(words));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_session_has_the_settings_of_the_template() {
    let mut scene = Scene::new();
    let reply = scene.perform(Action::Open(String::new())).await;
    let Reply::NewSession { model, mode, autonomy } = reply else { panic!("{reply:?}") };
    assert_eq!((model.as_str(), mode.as_str(), autonomy.as_str()), ("scripted-1", "", "ask"));
}
