//! A grader from a closure.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures_util::FutureExt;

use crate::{Attempt, Grade, GradeFuture, Grader};

type Closure = Box<dyn Fn(Attempt) -> Pin<Box<dyn Future<Output = Grade> + Send>> + Send + Sync>;

/// Grades with a closure: see [`code`].
pub struct CodeGrader {
    name: String,
    closure: Closure,
}

/// Grades with an asynchronous closure, which sees the report, the transcript, the calls and the files of the run. It
/// returns a [`Grade`], a `bool`, a `Result` whose error is the reason, or `()`. A failed assertion is a failed grade.
///
/// ```
/// use windlass_evals::{Case, code};
///
/// let case = Case::new("two-looks", "Compare a.txt and b.txt.").expect(code("reads both files", |attempt| async move {
///     let reads = attempt.calls().iter().filter(|call| call.tool == "read_file").count();
///     if reads >= 2 { Ok(()) } else { Err(format!("{reads} calls of read_file")) }
/// }));
/// # drop(case);
/// ```
pub fn code<G, F>(name: impl Into<String>, grade: impl Fn(Attempt) -> F + Send + Sync + 'static) -> CodeGrader
where
    G: Into<Grade>,
    F: Future<Output = G> + Send + 'static,
{
    let closure: Closure = Box::new(move |attempt| {
        let future = grade(attempt);
        Box::pin(async move { future.await.into() })
    });
    CodeGrader { name: name.into(), closure }
}

impl Grader for CodeGrader {
    fn describe(&self) -> String {
        self.name.clone()
    }

    fn grade<'a>(&'a self, attempt: &'a Attempt) -> GradeFuture<'a> {
        let attempt = attempt.clone();
        Box::pin(async move {
            let graded = AssertUnwindSafe(async { (self.closure)(attempt).await }).catch_unwind().await;
            Ok(graded.unwrap_or_else(|panic| Grade::new(false, panic_text(&*panic))))
        })
    }
}

/// Returns the message of a panic.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

impl fmt::Debug for CodeGrader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeGrader").field("name", &self.name).finish_non_exhaustive()
    }
}
