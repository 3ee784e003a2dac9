//! Conformance of checkpointers.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use windlass_protocol::kit::RuleViolation;

use super::CheckpointerRule;
use crate::{CheckpointFuture, Checkpointer};

type RuleResult<T = ()> = Result<T, RuleViolation<CheckpointerRule>>;

/// The longest time of one operation.
const LONGEST: Duration = Duration::from_mins(1);
/// The lines that the kit writes. They do not occur in the header of a diff.
const LINES: [&str; 3] = ["kit: the first line", "kit: the second line", "kit: the third line"];

/// Checks a checkpointer over a workspace of its own. `write` replaces the content of one file of the workspace, always the
/// same one, and creates the file.
///
/// ```
/// use std::sync::Mutex;
/// use windlass_agent::kit::check_checkpointer;
/// use windlass_agent::{CheckpointFuture, Checkpointer};
///
/// /// Checkpoints of a file in memory.
/// #[derive(Default)]
/// struct InMemory {
///     file: Mutex<String>,
///     saved: Mutex<Vec<String>>,
/// }
///
/// impl InMemory {
///     fn diff(&self, before: Option<&String>) -> String {
///         let (now, before) = (self.file.lock().unwrap(), before.map_or("", String::as_str));
///         let lines_of = |sign, one: &str, other: &str| -> String {
///             one.lines().filter(|line| !other.lines().any(|old| old == *line)).map(|line| format!("{sign}{line}\n")).collect()
///         };
///         let changes = lines_of('-', before, &now) + &lines_of('+', &now, before);
///         if changes.is_empty() { changes } else { format!("--- a/file\n+++ b/file\n{changes}") }
///     }
/// }
///
/// impl Checkpointer for InMemory {
///     fn save_before_change(&self, turn: u32) -> CheckpointFuture<'_> {
///         self.saved.lock().unwrap().push(self.file.lock().unwrap().clone());
///         Box::pin(async move { Ok(format!("checkpoint-{turn}")) })
///     }
///     fn diff_of_turn(&self, _: u32) -> CheckpointFuture<'_> {
///         let diff = self.diff(self.saved.lock().unwrap().last());
///         Box::pin(async { Ok(diff) })
///     }
///     fn diff_of_run(&self) -> CheckpointFuture<'_> {
///         let diff = self.diff(self.saved.lock().unwrap().first());
///         Box::pin(async { Ok(diff) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let checkpoints = InMemory::default();
/// check_checkpointer(&checkpoints, |content| *checkpoints.file.lock().unwrap() = content.to_owned()).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns the first rule that the checkpointer does not follow.
pub async fn check_checkpointer(checkpointer: &dyn Checkpointer, write: impl Fn(&str)) -> RuleResult {
    let [first, second, third] = LINES;
    write("kit: the beginning\n");
    // A turn that is stopped drops the future.
    let dropped = AssertUnwindSafe(checkpointer.save_before_change(1)).catch_unwind().now_or_never();
    drop(dropped);
    let one = save(checkpointer, 1, CheckpointerRule::SurvivesDrops).await?;
    write(&format!("{first}\n"));
    let diff = read(checkpointer.diff_of_turn(1), CheckpointerRule::ReturnsTheDiff).await?;
    expect(&diff, &[first], &[], CheckpointerRule::ReturnsTheDiff)?;

    let two = save(checkpointer, 2, CheckpointerRule::Saves).await?;
    if one == two || one.trim().is_empty() || two.trim().is_empty() {
        let found = format!("two states of the workspace have the names {one:?} and {two:?}");
        return Err(RuleViolation::new(CheckpointerRule::NamesStates, found));
    }
    write(&format!("{first}\n{second}\n"));
    let diff = read(checkpointer.diff_of_turn(2), CheckpointerRule::SeparatesTurns).await?;
    let added = format!("+{first}");
    expect(&diff, &[second], &[&added], CheckpointerRule::SeparatesTurns)?;

    save(checkpointer, 3, CheckpointerRule::Saves).await?;
    write(third);
    write(&format!("{first}\n{second}\n"));
    let diff = read(checkpointer.diff_of_turn(3), CheckpointerRule::IsEmptyWithoutChanges).await?;
    if !diff.trim().is_empty() {
        let found = format!("a turn that restored its changes has the diff {diff:?}");
        return Err(RuleViolation::new(CheckpointerRule::IsEmptyWithoutChanges, found));
    }
    let diff = read(checkpointer.diff_of_run(), CheckpointerRule::CoversTheRun).await?;
    expect(&diff, &[first, second], &[third], CheckpointerRule::CoversTheRun)
}

async fn save(checkpointer: &dyn Checkpointer, turn: u32, rule: CheckpointerRule) -> RuleResult<String> {
    read(checkpointer.save_before_change(turn), rule).await
}

/// Awaits an operation. `rule` is the violated rule if it fails.
async fn read(operation: CheckpointFuture<'_>, rule: CheckpointerRule) -> RuleResult<String> {
    match tokio::time::timeout(LONGEST, AssertUnwindSafe(operation).catch_unwind()).await {
        Ok(Ok(Ok(text))) => Ok(text),
        Ok(Ok(Err(failed))) => Err(RuleViolation::new(rule, "an operation failed").with_source(failed)),
        Ok(Err(_)) => {
            Err(RuleViolation::new(CheckpointerRule::NeverPanics, "an operation caused a panic".to_owned()))
        }
        Err(_) => {
            let found = format!("an operation did not end within {LONGEST:?}");
            Err(RuleViolation::new(CheckpointerRule::Ends, found))
        }
    }
}

fn expect(diff: &str, present: &[&str], absent: &[&str], rule: CheckpointerRule) -> RuleResult {
    let lacks = present.iter().find(|line| !diff.contains(**line));
    let has = absent.iter().find(|line| diff.contains(**line));
    let found = match (lacks, has) {
        (Some(line), _) => format!("the diff does not have the line {line:?}: {diff:?}"),
        (None, Some(line)) => format!("the diff has the line {line:?}: {diff:?}"),
        (None, None) => return Ok(()),
    };
    Err(RuleViolation::new(rule, found))
}
