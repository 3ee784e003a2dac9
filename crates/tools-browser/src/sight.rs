//! Observer of the page: collects state from the browser's events, and answers some of them at once.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::sync::watch;
use windlass_hitl::display_line;
use windlass_redact::Redactor;

use crate::devtools::{Command, Event, Target};
use crate::proxy::USER;
use windlass_web_reach::WebUrl;

/// Maximum number of notes per action.
const MAX_NOTES: usize = 20;

/// Callback that decides whether a page may navigate to another host by itself.
pub(crate) type MayFollow = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// The current URL of the page, for the policy's decision about the next action.
pub(crate) type Whereabouts = Arc<Mutex<Option<WebUrl>>>;

/// Settings that do not change while the browser runs.
pub(crate) struct Rules {
    pub(crate) home: WebUrl,
    pub(crate) may_follow: MayFollow,
    pub(crate) proxy: SocketAddr,
    pub(crate) secret: String,
    pub(crate) console_lines: usize,
    pub(crate) line_bytes: usize,
}

/// The observed state of the page.
pub(crate) struct Sight {
    rules: Rules,
    whereabouts: Whereabouts,
    seen: Mutex<PageState>,
    loading: watch::Sender<bool>,
}

#[derive(Default)]
struct PageState {
    target: String,
    main_frame: String,
    console: VecDeque<String>,
    missed: usize,
    notes: Vec<String>,
    redactor: Redactor,
    has_crashed: bool,
}

/// Events since the last action.
pub(crate) struct PageEvents {
    /// Console output of the page, in order of arrival.
    pub(crate) console: Vec<String>,
    /// The number of earlier lines that were dropped.
    pub(crate) missed: usize,
    /// Notes of this crate about automatic reactions to the page.
    pub(crate) notes: Vec<String>,
}

impl Sight {
    pub(crate) fn new(rules: Rules, whereabouts: Whereabouts) -> Self {
        Self { rules, whereabouts, seen: Mutex::default(), loading: watch::Sender::new(false) }
    }

    /// Sets the page and the main frame that are observed.
    pub(crate) fn watch_page(&self, target: &str, main_frame: &str) {
        let mut seen = self.lock_state();
        (seen.target, seen.main_frame) = (target.to_owned(), main_frame.to_owned());
    }

    /// Sets the redactor for text of the page. It is applied before text is cut.
    pub(crate) fn redact_with(&self, redactor: &Redactor) {
        self.lock_state().redactor = redactor.clone();
    }

    /// Waits until the page has loaded.
    pub(crate) async fn has_loaded(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.loading.subscribe().wait_for(|loading| !loading).await;
    }

    pub(crate) fn is_loading(&self) -> bool {
        *self.loading.borrow()
    }

    pub(crate) fn take(&self) -> PageEvents {
        let mut seen = self.lock_state();
        PageEvents {
            console: seen.console.drain(..).collect(),
            missed: std::mem::take(&mut seen.missed),
            notes: std::mem::take(&mut seen.notes),
        }
    }

    /// Returns whether the page has crashed.
    pub(crate) fn has_crashed(&self) -> bool {
        self.lock_state().has_crashed
    }

    /// Processes an event. Returns the command that answers it, if one is needed.
    pub(crate) fn on_event(&self, event: &Event) -> Option<Command> {
        let params = &event.params;
        match event.method.as_str() {
            "Fetch.authRequired" => return Some(self.credentials(params)),
            "Fetch.requestPaused" => return Some(self.check_paused(params)),
            "Page.frameNavigated" => return self.check_navigation(params),
            "Page.frameStartedLoading" => self.loads(params, true),
            "Page.frameStoppedLoading" => self.loads(params, false),
            "Page.javascriptDialogOpening" => return Some(self.dialog(params)),
            "Page.windowOpen" => {
                let url = text(params, "/url");
                self.say("new window, closed", url);
                self.note("the page opened a new window, which was closed; launch its URL if you want it");
            }
            "Page.fileChooserOpened" => self.note("the page requested a file; none was given"),
            "Browser.downloadWillBegin" => self.note("the page began a download, which was refused"),
            "Runtime.consoleAPICalled" => self.say(text(params, "/type"), &format_console(params)),
            "Runtime.exceptionThrown" => self.say("uncaught", exception(params)),
            "Log.entryAdded" => {
                let (about, url) = (text(params, "/entry/text"), text(params, "/entry/url"));
                let url = if url.is_empty() { String::new() } else { format!(" ({url})") };
                self.say(text(params, "/entry/level"), &format!("{about}{url}"));
            }
            "Inspector.targetCrashed" => self.lock_state().has_crashed = true,
            "Target.targetCreated" => return self.other_page(params),
            _ => {}
        }
        None
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, PageState> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the credentials to this crate's proxy only; other requests for credentials are cancelled.
    fn credentials(&self, params: &Value) -> Command {
        let is_ours = text(params, "/authChallenge/source") == "Proxy"
            && text(params, "/authChallenge/origin") == format!("http://{}", self.rules.proxy);
        let response = if is_ours {
            json!({"response": "ProvideCredentials", "username": USER, "password": self.rules.secret})
        } else {
            self.note("the server requested a name and a password; none was given");
            json!({"response": "CancelAuth"})
        };
        let id = text(params, "/requestId");
        page("Fetch.continueWithAuth", json!({"requestId": id, "authChallengeResponse": response}))
    }

    /// Keeps the page at the host and port of its launch, unless `may_follow` allows the new URL. The rule
    /// that allowed the launch was about this host only.
    fn check_paused(&self, params: &Value) -> Command {
        let id = text(params, "/requestId");
        let is_page = text(params, "/frameId") == self.lock_state().main_frame
            && text(params, "/resourceType") == "Document";
        let url = text(params, "/request/url");
        if !is_page || self.may_show(url) {
            return page("Fetch.continueRequest", json!({"requestId": id}));
        }
        self.say("not followed", url);
        self.note(
            "the page tried to navigate to another host, port or scheme, and that was not followed; \
             launch it if you want it, which will be checked anew",
        );
        page("Fetch.failRequest", json!({"requestId": id, "errorReason": "Aborted"}))
    }

    fn may_show(&self, url: &str) -> bool {
        WebUrl::parse_page(url).is_ok_and(|parsed| {
            self.rules.home.is_same_site(&parsed) || (self.rules.may_follow)(parsed.as_str())
        })
    }

    fn check_navigation(&self, params: &Value) -> Option<Command> {
        if params.pointer("/frame/parentId").is_some() {
            return None;
        }
        text(params, "/frame/id").clone_into(&mut self.lock_state().main_frame);
        let url = text(params, "/frame/url");
        let shown = WebUrl::parse_page(url).ok();
        let is_inert = ["about:", "chrome-error:"].iter().any(|scheme| url.starts_with(scheme));
        let is_left = shown.is_none() && !is_inert;
        if shown.is_some() {
            *self.whereabouts.lock().unwrap_or_else(PoisonError::into_inner) = shown;
        }
        if !is_left {
            return None;
        }
        self.note("the page navigated to a URL that is neither http nor https, and was closed");
        Some(page("Page.navigate", json!({"url": "about:blank"})))
    }

    fn loads(&self, params: &Value, loading: bool) {
        if text(params, "/frameId") == self.lock_state().main_frame {
            self.loading.send_replace(loading);
        }
    }

    /// Dismisses a dialog, because no user can answer it. A page may always be left (`beforeunload`).
    fn dialog(&self, params: &Value) -> Command {
        let kind = text(params, "/type");
        let is_leaving = kind == "beforeunload";
        self.say(&format!("dialog {kind}"), text(params, "/message"));
        self.note("the page opened a dialog, which was dismissed");
        page("Page.handleJavaScriptDialog", json!({"accept": is_leaving}))
    }

    fn other_page(&self, params: &Value) -> Option<Command> {
        let target = text(params, "/targetInfo/targetId");
        let is_other = text(params, "/targetInfo/type") == "page" && target != self.lock_state().target;
        let params = json!({"targetId": target});
        is_other.then_some(Command { method: "Target.closeTarget", params, target: Target::Browser })
    }

    fn note(&self, note: &str) {
        let notes = &mut self.lock_state().notes;
        if notes.len() < MAX_NOTES && !notes.iter().any(|known| known == note) {
            notes.push(note.to_owned());
        }
    }

    /// Adds one line of console output. It is redacted before it is cut, and line breaks in it are escaped.
    fn say(&self, kind: &str, words: &str) {
        let mut seen = self.lock_state();
        let clean = seen.redactor.redact(words);
        let head = clean.get(..clean.floor_char_boundary(self.rules.line_bytes)).unwrap_or_default();
        let mut line = format!("{}: {}", one_line(kind), one_line(head));
        let rest = clean.len().saturating_sub(head.len());
        if rest > 0 {
            let _ = write!(line, " [{rest} more bytes]");
        }
        seen.console.push_back(line);
        while seen.console.len() > self.rules.console_lines {
            seen.console.pop_front();
            seen.missed = seen.missed.saturating_add(1);
        }
    }
}

/// Returns a text on one line, with invisible characters as escapes.
pub(crate) fn one_line(text: &str) -> String {
    display_line(text)
}

fn page(method: &'static str, params: Value) -> Command {
    Command { method, params, target: Target::Page }
}

/// Returns the string at a JSON pointer of an event, or an empty string.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the arguments of a console call in the way of a browser's console.
fn format_console(params: &Value) -> String {
    let shown = |argument: &Value| match argument.pointer("/value") {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => match text(argument, "/unserializableValue") {
            "" => text(argument, "/description").to_owned(),
            value => value.to_owned(),
        },
    };
    let arguments = params.pointer("/args").and_then(Value::as_array);
    arguments.into_iter().flatten().map(shown).collect::<Vec<_>>().join(" ")
}

fn exception(params: &Value) -> &str {
    match text(params, "/exceptionDetails/exception/description") {
        "" => text(params, "/exceptionDetails/text"),
        description => description,
    }
}
