//! `Session`: one running browser with one page, from its start to its end.

use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::Limits;
use crate::browser::Browser;
use crate::devtools::{DevTools, DevToolsError, Target};
use crate::gate::Gate;
use crate::keys::Size;
use crate::process::{Group, Heard};
use crate::profile::{Profile, remove_stale_profiles};
use crate::proxy::Proxy;
use crate::sight::{Rules, Sight, Whereabouts, text};
use crate::switches::{self, Confinement};
use windlass_web_reach::Scope;
use windlass_web_reach::WebUrl;

/// A running browser. Dropping it ends all of it.
pub(crate) struct Session {
    pub(crate) devtools: DevTools,
    pub(crate) sight: Arc<Sight>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) home: WebUrl,
    pub(crate) size: Size,
    pub(crate) confinement: Confinement,
    pub(crate) limits: Limits,
    used: Arc<Notify>,
    over: DropGuard,
    keeper: JoinHandle<()>,
}

/// Why no browser stands.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("the browser cannot be started")]
    Io(#[from] std::io::Error),
    #[error("the browser did not come up: {0}; it said: {1}")]
    DevTools(DevToolsError, String),
}

impl Session {
    /// Starts a browser for pages at one place, with nothing in its folder and nothing loaded. Cancel-safe: a dropped
    /// start leaves nothing behind.
    pub(crate) async fn start(
        browser: &Browser,
        home: WebUrl,
        scope: Scope,
        whereabouts: &Whereabouts,
    ) -> Result<Self, StartError> {
        let limits = browser.limits;
        let ways = (Arc::clone(&browser.resolver), Arc::clone(&browser.dialer));
        let gate = Arc::new(Gate::new(browser.reach.clone(), scope, ways, limits.connect));
        let proxy = Proxy::start(Arc::clone(&gate), &limits).await?;
        let sight = Arc::new(Sight::new(
            Rules {
                home: home.clone(),
                may_follow: Arc::clone(&browser.may_follow),
                proxy: proxy.address,
                secret: proxy.secret.clone(),
                console_lines: limits.console_lines,
                line_bytes: limits.line_bytes,
            },
            Arc::clone(whereabouts),
        ));
        let confinement = switches::confinement();
        let size = Size::DEFAULT;
        let (devtools, keeper, heard, used, over) =
            launched(&browser.program, proxy, &sight, (size, confinement), &limits, whereabouts)?;
        let mut session = Self { devtools, sight, gate, home, size, confinement, limits, used, over, keeper };
        let prepared = tokio::time::timeout(limits.start, session.prepare()).await;
        let late = DevToolsError::Late { method: "its first commands", limit: limits.start };
        match prepared.unwrap_or(Err(late)) {
            Ok(()) => Ok(session),
            Err(error) => {
                let words = heard.text();
                session.end().await;
                Err(StartError::DevTools(error, words))
            }
        }
    }

    /// Ends the browser and waits until its processes and its folder are gone.
    pub(crate) async fn end(self) {
        let Self { over, keeper, .. } = self;
        drop(over);
        // A keeper that was stopped with its runtime has dropped the group, which ends it too.
        let _ = keeper.await;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.keeper.is_finished()
    }

    /// Says that somebody uses it: the time without an action begins anew.
    pub(crate) fn touch(&self) {
        self.used.notify_one();
    }

    /// A command for the page.
    pub(crate) async fn ask(&self, method: &'static str, params: Value) -> Result<Value, DevToolsError> {
        self.devtools.call(Target::Page, method, params, self.limits.answer).await
    }

    /// One page, and everything that guards it, before it loads anything.
    async fn prepare(&mut self) -> Result<(), DevToolsError> {
        let limit = self.limits.start;
        let browser = |method, params| self.devtools.call(Target::Browser, method, params, limit);
        browser("Browser.setDownloadBehavior", json!({"behavior": "deny", "eventsEnabled": true})).await?;
        let made = browser("Target.createTarget", json!({"url": "about:blank"})).await?;
        let target = text(&made, "/targetId").to_owned();
        let attached = browser("Target.attachToTarget", json!({"targetId": target, "flatten": true})).await?;
        self.devtools.attach(text(&attached, "/sessionId").to_owned());
        // Who asks for documents, and who is asked for a secret, goes through `Sight`; what a page loads besides
        // is judged by the proxy alone, which is asked either way.
        let documents = json!({"handleAuthRequests": true,
            "patterns": [{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}]});
        self.ask("Page.enable", json!({})).await?;
        let tree = self.ask("Page.getFrameTree", json!({})).await?;
        self.sight.watch_page(&target, text(&tree, "/frameTree/frame/id"));
        self.ask("Fetch.enable", documents).await?;
        self.ask("Runtime.enable", json!({})).await?;
        self.ask("Log.enable", json!({})).await?;
        self.ask("Page.setInterceptFileChooserDialog", json!({"enabled": true})).await?;
        self.resize(self.size).await?;
        // From now on every page but this one is closed. It is not held before: its opener would be held with it.
        // What it asks for meanwhile goes through the proxy, as what a frame asks for.
        self.devtools
            .call(Target::Browser, "Target.setDiscoverTargets", json!({"discover": true}), limit)
            .await?;
        Ok(())
    }

    /// Gives the viewport another size.
    pub(crate) async fn resize(&mut self, size: Size) -> Result<(), DevToolsError> {
        let metrics =
            json!({"width": size.width, "height": size.height, "deviceScaleFactor": 1, "mobile": false});
        self.ask("Emulation.setDeviceMetricsOverride", metrics).await?;
        self.size = size;
        Ok(())
    }
}

type Launched = (DevTools, JoinHandle<()>, Heard, Arc<Notify>, DropGuard);

/// Starts the processes, and the task that holds all that lives as long as they do.
fn launched(
    program: &Path,
    proxy: Proxy,
    sight: &Arc<Sight>,
    (size, confinement): (Size, Confinement),
    limits: &Limits,
    whereabouts: &Whereabouts,
) -> std::io::Result<Launched> {
    // Beside the start, which does not wait for it.
    drop(tokio::task::spawn_blocking(remove_stale_profiles));
    let profile = Profile::create()?;
    let arguments = switches::arguments(profile.path(), proxy.address, size, confinement);
    let (group, pipes) = Group::start(program, &arguments, profile)?;
    let watching = Arc::clone(sight);
    let (devtools, work) =
        DevTools::new(pipes.answers, pipes.commands, move |event| watching.on_event(event));
    let (used, over) = (Arc::new(Notify::new()), CancellationToken::new());
    let held = Held { group, _proxy: proxy, whereabouts: Arc::clone(whereabouts) };
    let keeper = tokio::spawn(keep(held, work, Arc::clone(&used), over.clone(), limits.idle));
    Ok((devtools, keeper, pipes.heard, used, over.drop_guard()))
}

struct Held {
    group: Group,
    _proxy: Proxy,
    whereabouts: Whereabouts,
}

/// Lives as long as the browser, and ends what is left of it: when nobody wants it any more, when nobody used it for
/// long, when it ended by itself.
async fn keep(
    mut held: Held,
    work: impl Future<Output = ()>,
    used: Arc<Notify>,
    over: CancellationToken,
    idle: Duration,
) {
    {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                () = &mut work => break,
                () = held.group.leader_ends() => break,
                () = over.cancelled() => break,
                () = used.notified() => {}
                () = tokio::time::sleep(idle) => break,
            }
        }
    }
    *held.whereabouts.lock().unwrap_or_else(PoisonError::into_inner) = None;
    held.group.end().await;
}
