//! The tool `browser_action`: a page in a real browser.

use std::sync::PoisonError;

use tokio::sync::Mutex;
use windlass_protocol::{Effect, Hints, Payload, Risk, ToolName, ToolSpec};
use windlass_redact::Redactor;
use windlass_tool::{Context, EarlyArguments, Inspection, Output, Tool, ToolError, ToolFuture};
use windlass_tool_args::read_arguments;

use crate::Browser;
use crate::action::{Action, ActionArguments, DESCRIPTION, SCHEMA, Step};
use crate::devtools::DevToolsError;
use crate::report::{self, ReportInput};
use crate::session::Session;
use crate::sight::Whereabouts;
use crate::steps::StepError;
use windlass_web_reach::{HostPort, Scope, WebUrl};

/// The tool `browser_action`: one browser with one page, which lives between calls.
///
/// The browser ends with the action `close`, after some time without an action, and when the tool is dropped.
///
/// ```
/// use windlass_protocol::{Arguments, Effect, Payload};
/// use windlass_tool::Tool;
/// use windlass_tools_browser::{Browser, BrowserAction};
///
/// let tool = BrowserAction::new(Browser::at("/usr/bin/chromium"));
/// let arguments = Arguments::parse(r#"{"action": "launch", "url": "https://docs.rs./serde"}"#)?;
/// let effects = tool.effects(&Payload::Function { arguments });
/// assert_eq!(effects, [Effect::Connect { host: "docs.rs".into(), port: 443 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BrowserAction {
    browser: Browser,
    spec: ToolSpec,
    whereabouts: Whereabouts,
    session: Mutex<Option<Session>>,
}

impl BrowserAction {
    /// Creates the tool for a browser. The browser starts with the first launch.
    pub fn new(browser: Browser) -> Self {
        Self { browser, spec: spec(), whereabouts: Whereabouts::default(), session: Mutex::default() }
    }

    async fn run(&self, arguments: &ActionArguments, ctx: &Context) -> Result<Output, ToolError> {
        let step = arguments.step()?;
        let mut place = self.session.lock().await;
        if place.as_ref().is_some_and(Session::is_over) {
            *place = None;
        }
        if let Step::Close = step {
            let Some(session) = place.take() else { return Ok(Output::text("no browser was open")) };
            session.end().await;
            return Ok(Output::text("the browser is closed; its profile is removed"));
        }
        refuse_secrets(arguments, ctx.redactor())?;
        let is_fresh = match &step {
            Step::Launch(url) => self.make_ready(&mut place, url).await?,
            _ => false,
        };
        let Some(session) = place.as_mut() else {
            return Err(ToolError::model("no page is open")
                .with_advice("Call browser_action with action launch first."));
        };
        let in_progress = session.begin();
        session.sight.redact_with(ctx.redactor());
        let done = self.perform(session, &step, ctx.redactor(), is_fresh).await;
        drop(in_progress);
        let has_crashed = session.sight.has_crashed();
        match done {
            Ok(output) if !has_crashed => Ok(output),
            Err(StepError::Model(error)) if !is_fresh && !has_crashed => Err(error),
            done => {
                if let Some(session) = place.take() {
                    session.end().await;
                }
                Err(end_error(done.err()))
            }
        }
    }

    /// Ensures that a browser for the host and port of this URL runs, and returns whether it is new. An open
    /// browser is reused only for the same host and port, so a page never sees data that another host left
    /// behind.
    async fn make_ready(&self, place: &mut Option<Session>, url: &WebUrl) -> Result<bool, ToolError> {
        // Checks the text of the URL before anything is started.
        let scope = self.browser.reach.scope(url.endpoint(), Some(Scope::Any)).map_err(|refusal| {
            ToolError::model(refusal.to_string())
                .with_advice("Do not try other spellings of it: the address of the host is checked.")
        })?;
        if place.as_ref().is_some_and(|session| session.home.endpoint() == url.endpoint()) {
            return Ok(false);
        }
        if let Some(before) = place.take() {
            before.end().await;
        }
        let started = Session::start(&self.browser, url.clone(), scope, &self.whereabouts).await;
        let session = started.map_err(|error| {
            let text = windlass_tool::describe_error(&error);
            ToolError::model(format!(
                "{text}. The installation of {} does not work.",
                self.browser.program.display()
            ))
            .with_advice("A human has to look at it; continue without a browser.")
        })?;
        self.is_at(Some(url.clone()));
        *place = Some(session);
        Ok(true)
    }

    async fn perform(
        &self,
        session: &mut Session,
        step: &Step,
        redactor: &Redactor,
        is_fresh: bool,
    ) -> Result<Output, StepError> {
        let failure = perform_step(session, step).await?;
        let (reached, action) = (session.gate.take_refusals(), action_of(step));
        if let (Step::Launch(url), Some(text)) = (step, explain_refusal(step, &reached, failure)) {
            return Err(ToolError::model(format!("{} was not opened: {text}", url.endpoint())).into());
        }
        let refusals: Vec<String> = reached.into_iter().map(|(_, text)| text).collect();
        let (view, happened) = (session.view().await?, session.sight.take());
        let told = ReportInput {
            action: action.name(),
            size: session.size,
            confinement: is_fresh.then_some(session.confinement),
            is_loading: session.sight.is_loading(),
            view: &view,
            happened: &happened,
            refusals: &refusals,
            redactor,
        };
        let output = Output::text(report::write_report(&told));
        Ok(match view.picture {
            Some(picture) => output.with_image(picture),
            None => output,
        })
    }

    fn is_at(&self, page: Option<WebUrl>) {
        *self.whereabouts.lock().unwrap_or_else(PoisonError::into_inner) = page;
    }

    /// Returns the page of an action: the one that it opens, or else the current one.
    fn page(&self, arguments: &ActionArguments) -> Option<WebUrl> {
        match (arguments.action, &arguments.url) {
            (Action::Close, _) | (Action::Launch, None) => None,
            (Action::Launch, Some(url)) => WebUrl::parse_page(url).ok(),
            _ => self.whereabouts.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    fn effect(&self, arguments: &ActionArguments) -> Effect {
        if arguments.action == Action::Close {
            return Effect::Internal;
        }
        self.page(arguments).map_or(Effect::Unknown, |page| connect(page.endpoint().clone()))
    }
}

fn connect(HostPort { host, port, .. }: HostPort) -> Effect {
    Effect::Connect { host, port }
}

impl Tool for BrowserAction {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// A page is external, and typed text and requested URLs are sent to it.
    fn hints(&self) -> Hints {
        Hints { open_world: true, risk: Risk::High, ..Hints::default() }
    }

    /// Returns the host of a launch, or else the host of the current page, which the page cannot leave.
    fn effects(&self, payload: &Payload) -> Vec<Effect> {
        match read_arguments::<ActionArguments>(payload) {
            Ok(arguments) => vec![self.effect(&arguments)],
            Err(_) => vec![Effect::Unknown],
        }
    }

    fn early_effects(&self, complete: &EarlyArguments) -> Vec<Effect> {
        let endpoint = complete
            .text("url")
            .and_then(|url| WebUrl::parse_page(url).ok())
            .map(|url| url.endpoint().clone());
        let is_launch = complete.text("action") == Some("launch");
        let sure = endpoint.filter(|_| is_launch);
        sure.map(connect).into_iter().collect()
    }

    /// Separates approvals: one for looking at pages is not valid for clicking and typing, and one for HTTPS
    /// is not valid for HTTP.
    fn inspect(&self, payload: &Payload) -> Inspection {
        let kind = read_arguments::<ActionArguments>(payload).ok().and_then(|arguments| {
            let page = self.page(&arguments)?;
            let scheme = if page.is_encrypted() { "https" } else { "http" };
            Some(format!("{} over {scheme}", arguments.action.use_of_page().words()))
        });
        kind.into_iter().fold(Inspection::default(), Inspection::with_call_kind)
    }

    /// Dropping the future leaves the browser in its current state for the next call.
    fn call<'a>(&'a self, ctx: &'a Context, payload: &'a Payload) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments: ActionArguments = read_arguments(payload)?;
            let stopped = ctx.cancellation().run_until_cancelled(self.run(&arguments, ctx)).await;
            stopped.unwrap_or_else(|| {
                Err(ToolError::model("the action was stopped before its end")
                    .with_advice("Look at the page with action screenshot."))
            })
        })
    }
}

impl std::fmt::Debug for BrowserAction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BrowserAction").field("browser", &self.browser).finish_non_exhaustive()
    }
}

/// Creates the spec. Its name and schema are constants of this crate and tested.
fn spec() -> ToolSpec {
    let name = ToolName::new("browser_action").expect("the tool's name is a plain word");
    ToolSpec::function(name, DESCRIPTION, SCHEMA.parse().expect("the tool's schema is JSON"))
}

/// Performs a step. Returns the browser's error if a launch cannot show the page.
async fn perform_step(session: &mut Session, step: &Step) -> Result<Option<String>, StepError> {
    match step {
        Step::Launch(url) => return session.open(url.as_str()).await,
        Step::Click(coordinate) => session.click(coordinate).await?,
        Step::Hover(coordinate) => session.hover(coordinate).await?,
        Step::Type(text) => session.enter(text).await?,
        Step::Press(press) => session.press(press).await?,
        Step::Scroll(direction, at) => session.scroll(*direction, at.as_deref()).await?,
        Step::Resize(size) => {
            session.resize(*size).await?;
            session.settle().await;
        }
        Step::Screenshot | Step::Close => session.settle().await,
    }
    Ok(None)
}

fn action_of(step: &Step) -> Action {
    use crate::action::Direction;
    match step {
        Step::Launch(_) => Action::Launch,
        Step::Click(_) => Action::Click,
        Step::Hover(_) => Action::Hover,
        Step::Type(_) => Action::Type,
        Step::Press(_) => Action::Press,
        Step::Scroll(Direction::Down, _) => Action::ScrollDown,
        Step::Scroll(Direction::Up, _) => Action::ScrollUp,
        Step::Resize(_) => Action::Resize,
        Step::Screenshot => Action::Screenshot,
        Step::Close => Action::Close,
    }
}

/// Returns the reason why a launch shows nothing. The refusal of the proxy is more precise than the browser's
/// error.
fn explain_refusal(
    step: &Step,
    reached: &[(Option<HostPort>, String)],
    failure: Option<String>,
) -> Option<String> {
    let Step::Launch(url) = step else { return None };
    let own = reached.iter().find(|(endpoint, _)| endpoint.as_ref() == Some(url.endpoint()));
    own.map(|(_, text)| text.clone()).or(failure)
}

/// Refuses a call that contains a known secret, so that no secret is sent to a page.
fn refuse_secrets(arguments: &ActionArguments, redactor: &Redactor) -> Result<(), ToolError> {
    let holds = |text: &Option<String>| text.as_ref().is_some_and(|text| redactor.contains_secret(text));
    let decoded = |url: &String| {
        let mut pairs = url::form_urlencoded::parse(url.as_bytes()).flat_map(|(name, value)| [name, value]);
        pairs.any(|text| redactor.contains_secret(&text))
    };
    if holds(&arguments.url) || holds(&arguments.text) || arguments.url.as_ref().is_some_and(decoded) {
        return Err(ToolError::model("the call holds a secret that is known here, and nothing was sent")
            .with_advice("Ask without it."));
    }
    Ok(())
}

/// Returns the error for a browser that was ended, with the next step for the model.
fn end_error(error: Option<StepError>) -> ToolError {
    let what = match error {
        Some(StepError::Model(error)) => return error,
        Some(StepError::DevTools(DevToolsError::Gone)) | None => {
            "the page or the browser has crashed".to_owned()
        }
        Some(StepError::DevTools(error)) => error.to_string(),
    };
    ToolError::model(format!("{what}, and the browser was ended"))
        .with_advice("Call browser_action with action launch to begin anew.")
}

#[cfg(test)]
mod tests;
