//! Commands that a person types after `!`.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

type Output = Pin<Box<dyn Future<Output = String> + Send>>;

/// Runner of the commands that a person types after `!`. It returns the output of the command, or the reason of a refusal.
#[derive(Clone)]
pub struct CommandRunner {
    run: Arc<dyn Fn(String) -> Output + Send + Sync>,
}

impl CommandRunner {
    /// Creates a runner from a function, which decides about the command by the same policy as a run.
    ///
    /// ```
    /// use windlass_tui::CommandRunner;
    ///
    /// let runner = CommandRunner::new(|command| async move { format!("ran {command}") });
    /// # drop(runner);
    /// ```
    pub fn new<F: Future<Output = String> + Send + 'static>(
        run: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Self {
        Self { run: Arc::new(move |command| Box::pin(run(command))) }
    }

    pub(crate) fn run(&self, command: String) -> Output {
        (self.run)(command)
    }
}

impl fmt::Debug for CommandRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandRunner").finish_non_exhaustive()
    }
}
