//! The feed and the session of a run that starts or continues.

use std::path::Path;
use std::sync::Arc;

use windlass_agent::RunOptions;
use windlass_journal::Record;

use super::feed_log::open_log;
use super::folder::{RunFolder, new_id};
use super::open_questions::OpenQuestions;
use crate::app::App;
use crate::config::RunSettings;
use crate::error::{Result, ensure};
use crate::feed::{AnswerWindows, FeedIdentity, GuidanceSlot, RunFeed, now_ms};
use crate::notifications::Notifier;
use crate::sessions::link::SessionLink;
use crate::sessions::record::SessionRecord;
use crate::sessions::store::{SessionStore, open_sessions};
use crate::sessions::tracker::SessionTracker;

/// Adds the session and the parent of a new run to its settings.
pub(super) fn link_settings(settings: &mut RunSettings, folder: &RunFolder, link: &SessionLink) {
    let session = link.session.as_ref().map_or(&folder.id, |session| &session.id);
    settings.session = Some(session.clone());
    settings.parent.clone_from(&link.parent);
}

/// Adds the conversation before the task, and the grants of the session.
pub(super) fn add_history(mut options: RunOptions, link: &SessionLink) -> RunOptions {
    if let Some(history) = &link.history {
        options = options.with_history(history.clone());
    }
    match &link.grants {
        Some(grants) => options.with_grants(grants.clone()),
        None => options,
    }
}

/// The options of a process for the feed of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct FeedOptions<'a> {
    pub(super) link: &'a SessionLink,
    pub(super) sessions: Option<&'a Arc<dyn SessionStore>>,
    pub(super) guidance: &'a GuidanceSlot,
    pub(super) windows: &'a AnswerWindows,
    /// True if a person can answer questions, so that notifications of them make sense.
    pub(super) has_person: bool,
}

fn store(app: &App, options: FeedOptions<'_>) -> Result<Arc<dyn SessionStore>> {
    match options.sessions {
        Some(store) => Ok(Arc::clone(store)),
        None => open_sessions(app),
    }
}

/// Opens the feed of a new run, and stores its session.
pub(super) fn start_feed(
    app: &App,
    folder: &RunFolder,
    settings: &RunSettings,
    options: FeedOptions<'_>,
) -> Result<RunFeed> {
    let link = options.link;
    let record = if let Some(session) = &link.session {
        let mut record = session.clone();
        record.add_run(&folder.id, settings, link.parent.clone(), link.first_seq);
        record
    } else {
        let mut record = SessionRecord::new(&folder.id, settings, now_ms());
        record.forked_from.clone_from(&link.forked_from);
        record
    };
    let feed = open(folder, record, settings, &[], options, store(app, options)?)?;
    Ok(with_notifications(app, &settings.root, options.has_person, feed))
}

/// The stored record of a session before its run is resumed.
#[derive(Debug)]
pub(super) struct RecordBefore {
    store: Arc<dyn SessionStore>,
    record: Option<SessionRecord>,
}

impl RecordBefore {
    /// Reads the record of the run's session.
    pub(super) fn read(
        app: &App,
        folder: &RunFolder,
        settings: &RunSettings,
        options: FeedOptions<'_>,
    ) -> Result<Self> {
        let store = store(app, options)?;
        let record = store.get(settings.session.as_ref().unwrap_or(&folder.id))?;
        Ok(Self { store, record })
    }

    /// Stores the record again, after the resume was refused. The run stays as it ended, and so does its session.
    pub(super) fn restore(&self) -> Result<()> {
        self.record.as_ref().map_or(Ok(()), |record| self.store.save(record))
    }
}

/// Opens the feed of a run that continues, and stores the new state of its session.
pub(super) fn resume_feed(
    app: &App,
    folder: &RunFolder,
    settings: &RunSettings,
    options: FeedOptions<'_>,
    records: &[Record],
) -> Result<RunFeed> {
    let store = store(app, options)?;
    let session = settings.session.as_ref().unwrap_or(&folder.id);
    // A run of an earlier version, or of another state folder, becomes a session of its own.
    let record = store.get(session)?.unwrap_or_else(|| SessionRecord::new(&folder.id, settings, now_ms()));
    let newest = record.newest_run().map(|run| run.id.clone()).unwrap_or_default();
    ensure!(
        newest == folder.id,
        Conflict,
        "session {} has a newer run, {newest}: run {} cannot be resumed any more",
        record.id,
        folder.id
    );
    let feed = open(folder, record, settings, records, options, store)?;
    Ok(with_notifications(app, &settings.root, options.has_person, feed))
}

fn with_notifications(app: &App, root: &Path, has_person: bool, mut feed: RunFeed) -> RunFeed {
    if let Some(notifier) = Notifier::start(app, root, has_person) {
        feed.add_follower(notifier);
    }
    feed
}

fn open(
    folder: &RunFolder,
    mut record: SessionRecord,
    settings: &RunSettings,
    records: &[Record],
    options: FeedOptions<'_>,
    store: Arc<dyn SessionStore>,
) -> Result<RunFeed> {
    let start = new_id()?;
    record.set_start(&start);
    let run = record.newest_run();
    let identity = FeedIdentity {
        session: record.id.clone(),
        run: folder.id.clone(),
        first: run.map_or(1, |run| run.first_seq),
        parent: settings.parent.clone(),
        prices: settings.budget.prices,
    };
    let (guidance, windows) = (options.guidance.clone(), options.windows.clone());
    let mut feed = RunFeed::open(open_log(folder)?, identity, records, guidance, windows)?;
    feed.set_start(start);
    let open_questions = if records.is_empty() {
        0
    } else {
        let open = OpenQuestions::load(folder)?;
        open.questions.len().saturating_add(usize::from(open.guidance.is_some()))
    };
    feed.add_follower(SessionTracker::start(store, record, open_questions)?);
    Ok(feed)
}
