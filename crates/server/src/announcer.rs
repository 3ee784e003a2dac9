//! The task that announces open questions to the subscribed browsers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use windlass_app::feed::Question;

use crate::api::open_questions;
use crate::push::{Announcement, Delivery, PushError, Subscription, WebPush};
use crate::state::Shared;

/// Interval at which the open questions are read.
const INTERVAL: Duration = Duration::from_secs(1);

/// An open question that the announcer has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notice {
    /// The question was open once. It is announced if it is still open later, because the person may be at the page.
    Seen,
    Announced,
}

/// The open questions, by session and id.
#[derive(Debug, Default)]
struct Notices(BTreeMap<(String, String), Notice>);

/// An open question: its session, its id, and the tool.
struct OpenQuestion {
    session: String,
    question: String,
    tool: Option<String>,
}

impl Notices {
    /// Takes the questions that are open now, and returns those to announce.
    fn update(&mut self, open: Vec<OpenQuestion>) -> Vec<OpenQuestion> {
        let before = std::mem::take(&mut self.0);
        let mut due = Vec::new();
        for question in open {
            let key = (question.session.clone(), question.question.clone());
            let notice = match before.get(&key) {
                None => Notice::Seen,
                Some(Notice::Announced) => Notice::Announced,
                Some(Notice::Seen) => {
                    due.push(question);
                    Notice::Announced
                }
            };
            self.0.insert(key, notice);
        }
        due
    }
}

/// Announces each question that stays open, until it is dropped. Returns at once if the server has no web push.
pub(crate) async fn announce_questions(shared: Arc<Shared>) {
    let Some(push) = shared.push.clone() else { return };
    let mut notices = Notices::default();
    loop {
        tokio::time::sleep(INTERVAL).await;
        // A file that cannot be read now is read again at the next interval.
        let Ok(subscriptions) = list_subscriptions(&shared, &push).await else { continue };
        if subscriptions.is_empty() {
            continue;
        }
        let Ok(open) = open_questions(&shared).await else { continue };
        let open = open.into_iter().map(|(session, open)| OpenQuestion {
            session: session.id,
            question: open.id,
            tool: match open.card {
                Question::Call { card } => Some(card.tool.clone()),
                _ => None,
            },
        });
        for question in notices.update(open.collect()) {
            let announcement = Announcement::new(question.question, question.tool.as_deref());
            send(&shared, &push, &subscriptions, &announcement).await;
        }
    }
}

/// Returns the subscriptions of registered devices, and removes the others.
async fn list_subscriptions(
    shared: &Arc<Shared>,
    push: &Arc<WebPush>,
) -> Result<Vec<Subscription>, PushError> {
    let (shared, push) = (Arc::clone(shared), Arc::clone(push));
    let work = move || {
        let subscriptions = push.subscriptions.list()?;
        if subscriptions.is_empty() {
            return Ok(subscriptions);
        }
        let Ok(devices) = shared.devices.list() else { return Ok(Vec::new()) };
        let is_revoked = |one: &Subscription| !devices.iter().any(|device| device.id == one.device);
        push.subscriptions.remove(is_revoked)?;
        Ok(subscriptions.into_iter().filter(|one| !is_revoked(one)).collect())
    };
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Ok(Vec::new()))
}

/// Sends an announcement to all browsers at once, and removes the subscriptions that have ended.
async fn send(
    shared: &Shared,
    push: &Arc<WebPush>,
    subscriptions: &[Subscription],
    announcement: &Announcement,
) {
    let (Ok(key), Ok(content)) = (push.subscriptions.signing_key(), serde_json::to_vec(announcement)) else {
        return;
    };
    let deliveries = join_all(subscriptions.iter().map(|to| push.deliver(&key, to, &content))).await;
    for (to, delivery) in subscriptions.iter().zip(deliveries) {
        let counter = match delivery {
            Ok(Delivery::Accepted) => &shared.metrics.pushes,
            Ok(Delivery::Gone) => {
                // An ended subscription that stays is refused, and removed then.
                drop(push.subscriptions.remove(|known| known.endpoint == to.endpoint));
                continue;
            }
            Ok(Delivery::Failed) | Err(_) => &shared.metrics.failed_pushes,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(notices: &mut Notices, ids: &[&str]) -> Vec<String> {
        let open = ids.iter().map(|id| OpenQuestion {
            session: "s".to_owned(),
            question: (*id).to_owned(),
            tool: None,
        });
        notices.update(open.collect()).into_iter().map(|question| question.question).collect()
    }

    #[test]
    fn a_question_is_announced_once_and_only_if_it_stays_open() {
        let mut notices = Notices::default();
        assert!(update(&mut notices, &["a", "b"]).is_empty());
        assert_eq!(update(&mut notices, &["a", "c"]), ["a"]);
        assert_eq!(update(&mut notices, &["a", "c"]), ["c"]);
        assert!(update(&mut notices, &["a", "c"]).is_empty());
        // A question that is opened again is a new one.
        assert!(update(&mut notices, &[]).is_empty());
        assert!(update(&mut notices, &["a"]).is_empty());
        assert_eq!(update(&mut notices, &["a"]), ["a"]);
    }
}
