//! Management of a process: starts and restarts it on demand and offers its tools.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use windlass_protocol::{Containment, Effect, ResultStatus};
use windlass_sandbox::GrantedConfinement;
use windlass_tool::{CancellationToken, Context, Output, Progress, Tool, ToolError};
use windlass_toolbox::DynamicTools;

use super::connection::{Connection, Failure};
use super::life::Life;
use super::lines::LINE_BYTES;
use super::listed::{self, ListedTool, OmittedTool};
use super::message::{self, Answer};
use super::tool::ProcessTool;
use super::{Listener, Noise, OfferChange, ProcessError, ProcessFile, Wrap, answer};

/// Manages a process and its offered tools.
pub(crate) struct Keeper {
    pub(crate) file: ProcessFile,
    pub(crate) dynamic: DynamicTools,
    pub(crate) wrap: Option<Wrap>,
    pub(crate) listener: Option<Listener>,
    /// Cancelled when the process must not be started any more.
    pub(crate) over: CancellationToken,
    pub(crate) changed: Arc<Notify>,
    pub(crate) noise: Arc<Mutex<Noise>>,
    pub(crate) life: tokio::sync::Mutex<Life>,
    /// Confinement that was granted to the process at its last start.
    pub(crate) granted: Mutex<Option<GrantedConfinement>>,
    pub(crate) offered: Mutex<Vec<ListedTool>>,
}

impl Keeper {
    /// Returns a connection to the running process and an up-to-date list. Starts the process if necessary,
    /// and requests the list again if it changed.
    pub(crate) async fn ready(self: &Arc<Self>) -> Result<(Arc<Connection>, OfferChange), ProcessError> {
        let mut life = self.life.lock().await;
        if self.over.is_cancelled() {
            return Err(ProcessError::Over);
        }
        if let Some(connection) = life.connection.clone() {
            match connection.end_reason() {
                None => {
                    let offered = self.up_to_date(&connection).await?;
                    return Ok((connection, offered.unwrap_or_default()));
                }
                Some(why) => (life.last_end, life.connection) = (why, None),
            }
        }
        life.may_start()?;
        let (service, ends) = self.file.start().await.map_err(ProcessError::Start)?;
        *self.lock_grants() = Some(service.grants().clone());
        let connection = Arc::new(Connection::open(
            service,
            ends,
            self.over.child_token(),
            Arc::clone(&self.changed),
            Arc::clone(&self.noise),
        ));
        let listed = self.list(&connection).await;
        if std::mem::replace(&mut life.has_listed, true) {
            self.tell(listed.as_ref());
        }
        let offered = listed.inspect_err(|error| life.last_end = error.to_string())?;
        life.connection = Some(Arc::clone(&connection));
        Ok((connection, offered))
    }

    /// Requests the list again if the running process reported a change. Does not start a process.
    pub(crate) async fn look_again(self: &Arc<Self>) {
        let life = self.life.lock().await;
        let running = life.connection.clone().filter(|connection| connection.end_reason().is_none());
        if let Some(connection) = running {
            // Ignore the error: the listener has received it, and the next call tries again.
            let _ = self.up_to_date(&connection).await;
        }
    }

    fn tell(&self, told: Result<&OfferChange, &ProcessError>) {
        if let Some(listener) = &self.listener {
            listener(told);
        }
    }

    async fn up_to_date(
        self: &Arc<Self>,
        connection: &Connection,
    ) -> Result<Option<OfferChange>, ProcessError> {
        if !connection.take_changed() {
            return Ok(None);
        }
        let offered = self.list(connection).await;
        self.tell(offered.as_ref());
        if offered.is_err() {
            connection.put_changed();
        }
        offered.map(Some)
    }

    async fn list(self: &Arc<Self>, connection: &Connection) -> Result<OfferChange, ProcessError> {
        let limit = self.file.list_timeout;
        let reply = connection.ask(message::list, limit, &self.over, |_| ()).await;
        let tools = match reply {
            Ok(Answer::Tools(tools)) => tools,
            Ok(Answer::Error(why)) => return Err(ProcessError::NoList(why)),
            Ok(_) => return Err(ProcessError::NoList("its answer has no `tools`".to_owned())),
            Err(Failure::TimedOut) => return Err(ProcessError::ListTimedOut { limit }),
            Err(Failure::NotSent(why) | Failure::Gone(why)) => return Err(ProcessError::Ended(why)),
            Err(Failure::TooLong { bytes }) => {
                return Err(ProcessError::NoList(format!(
                    "it has {bytes} bytes, at most {LINE_BYTES} are \
                     allowed"
                )));
            }
            Err(Failure::Busy) => return Err(ProcessError::NoList("too many calls are open".to_owned())),
            Err(Failure::Cancelled) => return Err(ProcessError::Over),
        };
        let (listed, left_out) = listed::read(&tools, &self.file)
            .ok_or_else(|| ProcessError::NoList("its `tools` are not an array".to_owned()))?;
        Ok(self.offer(listed, left_out))
    }

    pub(crate) fn lock_offer(&self) -> MutexGuard<'_, Vec<ListedTool>> {
        self.offered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_grants(&self) -> MutexGuard<'_, Option<GrantedConfinement>> {
        self.granted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the confinement that applies to a call now.
    pub(crate) fn containment(&self) -> Containment {
        let granted = self.lock_grants().clone();
        self.file.containment(granted.as_ref())
    }

    /// Removes tools that are not listed any more or have changed, and adds new ones. Unchanged tools keep
    /// their place, so that the prefix of requests stays the same (RULES N6).
    fn offer(self: &Arc<Self>, listed: Vec<ListedTool>, left_out: Vec<OmittedTool>) -> OfferChange {
        let mut offered = self.lock_offer();
        let mut told = OfferChange { left_out, ..OfferChange::default() };
        if self.over.is_cancelled() {
            return told;
        }
        offered.retain(|known| {
            let stays = listed.contains(known);
            if !stays {
                self.dynamic.remove(known.spec.name().as_str());
                told.removed.push(known.spec.name().clone());
            }
            stays
        });
        for tool in listed {
            if offered.contains(&tool) {
                continue;
            }
            match self.dynamic.add(self.tool(&tool)) {
                Ok(()) => {
                    told.added.push(tool.spec.name().clone());
                    offered.push(tool);
                }
                Err(error) => {
                    let source =
                        std::error::Error::source(&error).map_or_else(String::new, |e| format!(": {e}"));
                    told.left_out
                        .push(OmittedTool::new(tool.spec.name().as_str(), format!("{error}{source}")));
                }
            }
        }
        told
    }

    fn tool(self: &Arc<Self>, listed: &ListedTool) -> Arc<dyn Tool> {
        let words: Vec<_> = self.file.argv.iter().map(|word| windlass_command::quote(word)).collect();
        let directory = self.file.folder.display().to_string();
        let mut effects = vec![Effect::Execute { command: words.join(" "), directory }];
        // The effects of an unconfined process are unknown; confinement bounds those of any other.
        if self.file.is_free() {
            effects.push(Effect::Unknown);
        }
        let tool = Arc::new(ProcessTool::new(Arc::downgrade(self), listed.clone(), effects));
        match &self.wrap {
            Some(wrap) => wrap(tool),
            None => tool,
        }
    }

    pub(crate) async fn call(
        self: &Arc<Self>,
        ctx: &Context,
        tool: &ListedTool,
        arguments: &str,
    ) -> Result<Output, ToolError> {
        let name = tool.spec.name().as_str();
        if arguments.len() > LINE_BYTES {
            let bytes = arguments.len();
            return Err(ToolError::model(format!(
                "{name} was not called: its arguments have {bytes} bytes, and the limit is {LINE_BYTES}"
            ))
            .with_advice("Send less."));
        }
        let mut failure = Failure::Busy;
        // An ended process is detected only by sending a request, so try a second time after a restart.
        for _ in 0..2 {
            // The start runs in its own task, so that cancelling the call does not cancel it. The next call
            // uses the process, and a cancelled start would count as an end.
            let keeper = Arc::clone(self);
            let starting = tokio::spawn(async move { keeper.ready().await });
            let ready = tokio::select! {
                biased;
                () = ctx.cancellation().cancelled() => {
                    let text = "the call was cancelled before it started; nothing was sent";
                    return Ok(Output::text(text).with_status(ResultStatus::Cancelled));
                }
                ready = starting => ready.map_err(|_| ToolError::model(format!("{name} was not called: its \
                                                                                process failed to start")))?,
            };
            let (connection, _) = ready.map_err(|error| {
                ToolError::model(format!(
                    "{name} was not called, because the process of {} does not work: {}",
                    self.file.name,
                    describe_error(&error)
                ))
                .with_advice("Continue without it, or tell the user.")
            })?;
            // Checked after the list was updated, so that no call runs under an outdated definition.
            if !self.lock_offer().contains(tool) {
                return Err(ToolError::model(format!(
                    "{name} was not called: its process does not offer it any more, or has changed it"
                ))
                .with_advice("Use the tools that are offered in the next turn."));
            }
            let line = |id| message::call(id, name, ctx.call().as_str(), arguments);
            let tell = |text| ctx.tell(Progress::Note(text));
            match connection.ask(line, self.file.call_timeout, ctx.cancellation(), tell).await {
                Ok(answer) => return answer::output(answer),
                Err(again @ Failure::NotSent(_)) => failure = again,
                Err(other) => return Ok(self.report_failure(name, other)),
            }
        }
        Ok(self.report_failure(name, failure))
    }

    fn report_failure(&self, name: &str, failure: Failure) -> Output {
        let (status, text, advice) = match failure {
            Failure::NotSent(why) => (
                ResultStatus::NotStarted,
                format!("{name} was not called, its process ended before: {why}"),
                Some("Call it again, or continue without it."),
            ),
            Failure::Gone(why) => (
                ResultStatus::EffectsUnknown,
                format!(
                    "the process of {name} ended while it ran: {why}. The effects of the call are not known. The \
                     next call starts the process again."
                ),
                Some("Check the effects before you call it again."),
            ),
            Failure::Busy => (
                ResultStatus::NotStarted,
                format!("{name} was not called: too many calls of its process are open"),
                Some("Call it again when they end."),
            ),
            Failure::TooLong { bytes } => (
                ResultStatus::Error,
                format!(
                    "{name} ran, and its answer of {bytes} bytes was discarded: the limit is {LINE_BYTES}"
                ),
                Some("Request less data."),
            ),
            Failure::TimedOut => (
                ResultStatus::TimedOut,
                format!(
                    "{name} did not answer within {} ms. Its process was asked to stop; its changes so far \
                     remain.",
                    self.file.call_timeout.as_millis()
                ),
                Some("Request less, or continue without it."),
            ),
            Failure::Cancelled => (
                ResultStatus::Cancelled,
                format!("{name} was stopped. Its process was informed; its changes so far remain."),
                None,
            ),
        };
        Output::text(text).with_status(status).with_advice(advice.map(str::to_owned))
    }
}

/// Returns an error message with its source.
fn describe_error(error: &ProcessError) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}
