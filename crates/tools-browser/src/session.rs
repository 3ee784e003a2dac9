//! One running browser with one page, from its start to its end.

mod activity;

use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use self::activity::{Activity, ActivityGuard};
use crate::BrowserLimits;
use crate::browser::Browser;
use crate::devtools::{DevTools, DevToolsError, Target};
use crate::gate::Gate;
use crate::keys::Size;
use crate::process::{Group, StderrTail};
use crate::profile::{Profile, remove_stale_profiles};
use crate::proxy::Proxy;
use crate::sight::{Rules, Sight, Whereabouts, text};
use crate::switches::{self, Confinement};
use windlass_web_reach::Scope;
use windlass_web_reach::WebUrl;

/// A running browser. Dropping it ends the browser, its proxy and all of its processes.
pub(crate) struct Session {
    pub(crate) devtools: DevTools,
    pub(crate) sight: Arc<Sight>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) home: WebUrl,
    pub(crate) size: Size,
    pub(crate) confinement: Confinement,
    pub(crate) limits: BrowserLimits,
    activity: Activity,
    over: DropGuard,
    keeper: JoinHandle<()>,
}

/// The reason why the browser did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("the browser cannot be started")]
    Io(#[from] std::io::Error),
    #[error("the browser did not start: {0}; its error output: {1}")]
    DevTools(DevToolsError, String),
}

impl Session {
    /// Starts a browser for pages at one place, with an empty profile and an empty page. Cancel-safe:
    /// dropping the future ends the browser and removes its profile.
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
        let activity = Activity::default();
        // A start on a busy machine can take longer than the idle time.
        let _starting = activity.begin();
        let (devtools, keeper, heard, over) =
            launch(&browser.program, proxy, &sight, (size, confinement), &limits, (whereabouts, &activity))?;
        let mut session =
            Self { devtools, sight, gate, home, size, confinement, limits, activity, over, keeper };
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
        // If the runtime stopped the keeper, dropping the keeper has already ended the process group.
        let _ = keeper.await;
    }

    pub(crate) fn is_over(&self) -> bool {
        self.keeper.is_finished()
    }

    /// Stops the idle timeout until the guard is dropped, which starts it anew.
    pub(crate) fn begin(&self) -> ActivityGuard {
        self.activity.begin()
    }

    /// Sends a command to the page.
    pub(crate) async fn ask(&self, method: &'static str, params: Value) -> Result<Value, DevToolsError> {
        self.devtools.call(Target::Page, method, params, self.limits.answer).await
    }

    /// Creates the page and enables all protections before the page loads anything.
    async fn prepare(&mut self) -> Result<(), DevToolsError> {
        let limit = self.limits.start;
        let browser = |method, params| self.devtools.call(Target::Browser, method, params, limit);
        browser("Browser.setDownloadBehavior", json!({"behavior": "deny", "eventsEnabled": true})).await?;
        let made = browser("Target.createTarget", json!({"url": "about:blank"})).await?;
        let target = text(&made, "/targetId").to_owned();
        let attached = browser("Target.attachToTarget", json!({"targetId": target, "flatten": true})).await?;
        self.devtools.attach(text(&attached, "/sessionId").to_owned());
        // `Sight` decides about requests for documents and for credentials. The proxy alone checks the other
        // requests of a page; it receives all of them in any case.
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
        // From now on every other page is closed. New pages are not paused before, because this would also
        // pause their opener. Their requests until then go through the proxy, like those of a frame.
        self.devtools
            .call(Target::Browser, "Target.setDiscoverTargets", json!({"discover": true}), limit)
            .await?;
        Ok(())
    }

    /// Sets the size of the viewport.
    pub(crate) async fn resize(&mut self, size: Size) -> Result<(), DevToolsError> {
        let metrics =
            json!({"width": size.width, "height": size.height, "deviceScaleFactor": 1, "mobile": false});
        self.ask("Emulation.setDeviceMetricsOverride", metrics).await?;
        self.size = size;
        Ok(())
    }
}

type Launched = (DevTools, JoinHandle<()>, StderrTail, DropGuard);

/// Starts the browser's processes, and a task that owns them and everything else that ends with the session.
fn launch(
    program: &Path,
    proxy: Proxy,
    sight: &Arc<Sight>,
    (size, confinement): (Size, Confinement),
    limits: &BrowserLimits,
    (whereabouts, activity): (&Whereabouts, &Activity),
) -> std::io::Result<Launched> {
    // Runs in parallel to the start, which does not wait for it.
    drop(tokio::task::spawn_blocking(remove_stale_profiles));
    let profile = Profile::create()?;
    let arguments = switches::arguments(profile.path(), proxy.address, size, confinement);
    let (group, pipes) = Group::start(program, &arguments, profile)?;
    let watching = Arc::clone(sight);
    let (devtools, work) =
        DevTools::new(pipes.answers, pipes.commands, move |event| watching.on_event(event));
    let over = CancellationToken::new();
    let held = HeldSession { group, _proxy: proxy, whereabouts: Arc::clone(whereabouts) };
    let keeper = tokio::spawn(keep(held, work, activity.subscribe(), over.clone(), limits.idle));
    Ok((devtools, keeper, pipes.heard, over.drop_guard()))
}

struct HeldSession {
    group: Group,
    _proxy: Proxy,
    whereabouts: Whereabouts,
}

/// Owns the running browser. Ends it when the session is dropped, after the idle time without work in progress,
/// or when the browser ends by itself.
async fn keep(
    mut held: HeldSession,
    work: impl Future<Output = ()>,
    mut uses: watch::Receiver<usize>,
    over: CancellationToken,
    idle: Duration,
) {
    {
        let mut work = std::pin::pin!(work);
        loop {
            let is_idle = *uses.borrow_and_update() == 0;
            tokio::select! {
                () = &mut work => break,
                () = held.group.leader_ends() => break,
                () = over.cancelled() => break,
                Ok(()) = uses.changed() => {}
                () = tokio::time::sleep(idle), if is_idle => break,
            }
        }
    }
    *held.whereabouts.lock().unwrap_or_else(PoisonError::into_inner) = None;
    held.group.end().await;
}
