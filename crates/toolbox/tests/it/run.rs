//! Running: the lock, cancellation, panics, long outputs (L5, L7, L8, R9).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::Semaphore;
use windlass_protocol::{CallId, Concurrency, ResultFlag, ResultStatus, ToolResult};
use windlass_tool::{CancellationToken, Context, Tool, ToolError};
use windlass_toolbox::{OutputLimit, Preset, ToolConfig, Toolbox};

use crate::fake::{Does, Inside, call, fake};

fn toolbox(tools: Vec<Arc<dyn Tool>>) -> Toolbox {
    let config = ToolConfig::new(Preset::Full);
    Toolbox::builder().tools(tools).config(config).output_limit(OutputLimit { bytes: 100 }).build().unwrap()
}

async fn run(toolbox: &Toolbox, name: &str, ctx: &Context) -> Result<ToolResult, ToolError> {
    let checked = toolbox.check(&call(name, "{}")).ok().unwrap();
    toolbox.run(&checked, ctx).await
}

fn context() -> Context {
    Context::new(CallId::new("call/1").unwrap())
}

// L5
#[tokio::test]
async fn parallel_tools_overlap_and_exclusive_ones_are_alone() {
    for (concurrency, most) in [(Concurrency::Parallel, 3), (Concurrency::Exclusive, 1)] {
        let inside = Arc::new(Inside::default());
        let tools = ["a", "b", "c"].map(|name| fake(name, concurrency, Does::Waits(inside.clone())));
        let toolbox = toolbox(tools.to_vec());
        let ctx = context();
        let (a, b, c) =
            tokio::join!(run(&toolbox, "a", &ctx), run(&toolbox, "b", &ctx), run(&toolbox, "c", &ctx));
        for result in [a, b, c] {
            assert!(result.unwrap().status.is_ok());
        }
        assert_eq!(inside.most.load(Ordering::SeqCst), most, "{concurrency:?}");
        assert_eq!(*inside.order.lock().unwrap(), ["a", "b", "c"], "in order of arrival");
    }
}

// L5: an exclusive call that waits is not overtaken by a parallel one that comes later.
#[tokio::test]
async fn the_lock_is_fair() {
    let inside = Arc::new(Inside::default());
    let tools = vec![
        fake("read1", Concurrency::Parallel, Does::Waits(inside.clone())),
        fake("write", Concurrency::Exclusive, Does::Waits(inside.clone())),
        fake("read2", Concurrency::Parallel, Does::Waits(inside.clone())),
    ];
    let (toolbox, ctx) = (toolbox(tools), context());
    let (a, b, c) = tokio::join!(
        run(&toolbox, "read1", &ctx),
        run(&toolbox, "write", &ctx),
        run(&toolbox, "read2", &ctx)
    );
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert_eq!(*inside.order.lock().unwrap(), ["read1", "write", "read2"]);
    assert_eq!(inside.most.load(Ordering::SeqCst), 1);
}

// L7
#[tokio::test(start_paused = true)]
async fn a_cancelled_call_has_a_result_while_it_waits_and_while_it_runs() {
    let inside = Arc::new(Inside { gate: Some(Semaphore::new(0)), ..Inside::default() });
    let tools = vec![
        fake("first", Concurrency::Exclusive, Does::Waits(inside.clone())),
        fake("second", Concurrency::Exclusive, Does::Waits(inside.clone())),
    ];
    let toolbox = toolbox(tools);
    let token = CancellationToken::new();
    let ctx = context().with_cancellation(token.clone());
    let cancel = async {
        tokio::task::yield_now().await;
        token.cancel();
    };
    let (first, second, ()) =
        tokio::join!(run(&toolbox, "first", &ctx), run(&toolbox, "second", &ctx), cancel);
    for result in [first.unwrap(), second.unwrap()] {
        assert_eq!(result.status, ResultStatus::Cancelled);
    }
    assert_eq!(*inside.order.lock().unwrap(), ["first"], "what waited never began");
}

// L7: if a call completes while it is cancelled, its result is kept.
#[tokio::test]
async fn a_finished_result_takes_precedence_over_a_cancellation() {
    let inside = Arc::new(Inside { gate: Some(Semaphore::new(0)), ..Inside::default() });
    let toolbox = toolbox(vec![fake("a", Concurrency::Parallel, Does::Waits(inside.clone()))]);
    let token = CancellationToken::new();
    let ctx = context().with_cancellation(token.clone());
    let end = async {
        tokio::task::yield_now().await;
        inside.gate.as_ref().unwrap().add_permits(1);
        token.cancel();
    };
    let (result, ()) = tokio::join!(run(&toolbox, "a", &ctx), end);
    assert_eq!(result.unwrap().status, ResultStatus::Ok);
}

// L8
#[tokio::test]
async fn a_panic_fails_its_call_and_nothing_else() {
    let tools = vec![
        fake("bad", Concurrency::Exclusive, Does::Panics),
        fake("good", Concurrency::Exclusive, Does::Says("fine".into())),
    ];
    let (toolbox, ctx) = (toolbox(tools), context());
    assert_eq!(run(&toolbox, "bad", &ctx).await.unwrap().status, ResultStatus::Error);
    assert_eq!(run(&toolbox, "good", &ctx).await.unwrap().wire_text(), "fine");
}

// L8: a panic fails only its own call, wherever in the tool it happens.
#[tokio::test]
async fn a_panic_before_the_future_fails_its_call_too() {
    let tools = vec![
        fake("bad", Concurrency::Exclusive, Does::PanicsAtOnce),
        fake("worse", Concurrency::Exclusive, Does::PanicsWhenAsked),
        fake("good", Concurrency::Exclusive, Does::Says("fine".into())),
    ];
    let (toolbox, ctx) = (toolbox(tools), context());
    assert_eq!(run(&toolbox, "bad", &ctx).await.unwrap().status, ResultStatus::Error);
    let refused = toolbox.check(&call("worse", "{}")).err().unwrap();
    assert_eq!(refused.status, ResultStatus::Error, "what a call would do has to be known before it runs");
    assert_eq!(run(&toolbox, "good", &ctx).await.unwrap().wire_text(), "fine");
}

// R9: two calls never write one file, however alike their ids are.
#[tokio::test]
async fn outputs_of_two_calls_lie_in_two_files() {
    let long = |text: &str| text.repeat(200);
    let tools = ["a", "b"].map(|name| fake(name, Concurrency::Parallel, Does::Says(long(name))));
    let toolbox = toolbox(tools.to_vec());
    let folder = tempfile::tempdir().unwrap();
    for (name, id) in [("a", "call/1"), ("b", "call_1")] {
        let ctx = Context::new(CallId::new(id).unwrap()).with_outputs(folder.path());
        let text = run(&toolbox, name, &ctx).await.unwrap().wire_text();
        let (_, rest) = text.split_once("@outputs/").unwrap();
        let (file, _) = rest.split_once(".]").unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join(file)).unwrap(), long(name));
    }
    let texts: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(texts.len(), 2);
}

#[tokio::test]
async fn a_fatal_error_is_not_a_result() {
    let toolbox = toolbox(vec![fake("a", Concurrency::Parallel, Does::Fails)]);
    assert!(matches!(run(&toolbox, "a", &context()).await, Err(ToolError::Fatal(_))));
}

// R9
#[tokio::test]
async fn a_long_output_is_shortened_and_stored_completely_in_a_file() {
    let long = format!("{}hidden{}", "ä".repeat(60), "ö".repeat(60));
    let toolbox = toolbox(vec![fake("a", Concurrency::Parallel, Does::Says(long.clone()))]);
    let folder = tempfile::tempdir().unwrap();
    let text = run(&toolbox, "a", &context().with_outputs(folder.path())).await.unwrap().wire_text();
    assert!(
        text.starts_with("[The output has 246 bytes in 1 lines; 146 bytes in the middle are left out."),
        "{text}"
    );
    assert!(text.contains("@outputs/call_1-0.txt"), "{text}");
    assert!(text.contains(&"ä".repeat(25)) && !text.contains("hidden"), "{text}");
    // The advice follows the tail.
    assert!(text.ends_with(&format!("{}\nPage the whole with read_file.", "ö".repeat(25))), "{text}");
    assert_eq!(std::fs::read_to_string(folder.path().join("call_1-0.txt")).unwrap(), long);
    let nowhere = run(&toolbox, "a", &context()).await.unwrap().wire_text();
    assert!(!nowhere.contains("@outputs"), "without a folder no file is promised");
}

// SECURITY "Secrets and output": invisible characters and untrusted text are flagged.
#[tokio::test]
async fn results_are_flagged_as_external_and_with_invisible_chars() {
    let (hidden, plain) = ("hi\u{e0049}\u{e0067}".to_owned(), "plain, größe, 日本\r\n".to_owned());
    for (does, flags) in [
        (Does::Says(plain.clone()), vec![]),
        (Does::Says(hidden.clone()), vec![ResultFlag::InvisibleChars]),
        (Does::Fetches(plain), vec![ResultFlag::External]),
        (Does::Fetches(hidden), vec![ResultFlag::InvisibleChars, ResultFlag::External]),
    ] {
        let toolbox = toolbox(vec![fake("say", Concurrency::Parallel, does)]);
        assert_eq!(run(&toolbox, "say", &context()).await.unwrap().flags, flags);
    }
}

// H5: a call whose facts have changed when its turn comes does not start.
#[tokio::test]
async fn a_call_whose_recheck_fails_is_not_run() {
    let toolbox = toolbox(vec![fake("say", Concurrency::Parallel, Does::Panics)]);
    let checked = toolbox.check(&call("say", "{}")).ok().unwrap();
    let gone = ToolResult::text(checked.call.id.clone(), ResultStatus::Denied, "stale");
    let still = std::future::ready(Err(Box::new(gone)));
    let result = toolbox.run_rechecked(&checked, &context(), still).await.unwrap();
    assert_eq!((result.status, result.wire_text().as_str()), (ResultStatus::Denied, "[denied] stale"));
}

// N3: a name close to that of a tool that can do harm is not resolved.
#[test]
fn tools_with_effects_match_only_by_exact_name() {
    let says = fake("read_it", Concurrency::Parallel, Does::Says("x".into()));
    let fetches = fake("fetch_it", Concurrency::Parallel, Does::Fetches("x".into()));
    let toolbox = toolbox(vec![says, fetches]);
    for (name, is_there) in
        [("Read-It", true), ("fetch_it", true), ("Fetch_It", false), ("functions.fetch_it", true)]
    {
        assert_eq!(toolbox.check(&call(name, "{}")).is_ok(), is_there, "{name}");
    }
}
