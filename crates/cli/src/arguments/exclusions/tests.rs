//! The options that are refused, for each command.

use clap::CommandFactory;

use super::find_ignored;
use crate::arguments::Windlass;

fn find_in(line: &str) -> Vec<String> {
    let matches = Windlass::command().try_get_matches_from(line.split(' ')).unwrap();
    find_ignored(Windlass::command(), &matches).map(|ignored| ignored.options).unwrap_or_default()
}

#[test]
fn a_resumed_run_refuses_its_own_settings_by_name() {
    let line = "windlass run --resume 1-2 --model m --max-turns 3 --mode ask --preset minimal --json --yes";
    assert_eq!(find_in(line), ["--model", "--mode", "--preset", "--max-turns"]);
    assert_eq!(find_in("windlass run --replay f --autonomy auto-edit"), ["--autonomy"]);
    assert_eq!(find_in("windlass workflow run --resume 1-2 --root x"), ["--root"]);
}

#[test]
fn a_continued_session_takes_what_may_change_and_refuses_the_rest_by_name() {
    let line =
        "windlass run more --continue last --model m --autonomy auto-edit --mode ask --preset full --json";
    assert_eq!(find_in(line), [""; 0]);
    assert_eq!(find_in(&format!("{line} --root x --policy p")), ["--root", "--policy"]);
}

#[cfg(all(feature = "acp", feature = "server"))]
#[test]
fn commands_that_serve_clients_refuse_the_options_of_one_run_by_name() {
    for command in ["serve", "acp"] {
        assert_eq!(find_in(&format!("windlass {command} --model m --proxy p --store s")), [""; 0]);
        let line = format!("windlass {command} --resume 1-2 --json --yes --learn --otlp u");
        assert_eq!(find_in(&line), ["--resume", "--yes", "--learn", "--otlp", "--json"]);
    }
}

#[cfg(feature = "tui")]
#[test]
fn a_conversation_takes_settings_and_sessions_and_refuses_the_rest_by_name() {
    assert_eq!(find_in("windlass --model m --resume"), [""; 0]);
    assert_eq!(find_in("windlass --model m --continue 17"), [""; 0]);
    assert_eq!(find_in("windlass --model m --json --yes"), ["--yes", "--json"]);
}

#[test]
fn options_of_the_process_are_taken() {
    let line =
        "windlass run --resume 1-2 --salvage --json --config f --proxy p --ca-file c --otlp u --suspend";
    assert!(find_in(line).is_empty());
    assert!(find_in("windlass run task --model m --max-turns 3").is_empty());
}

#[test]
fn every_option_of_the_process_exists() {
    let command = Windlass::command();
    let run = command.find_subcommand("run").unwrap();
    let lists = super::OF_THE_PROCESS.into_iter().chain(super::OF_THE_ENGINE);
    for id in lists.chain(super::OF_A_CONTINUATION).chain(super::OF_ONE_RUN) {
        assert!(run.get_arguments().any(|argument| argument.get_id() == id), "{id}");
    }
}

#[test]
fn a_run_of_an_engine_is_resumed_with_the_options_of_its_connection() {
    let line = "windlass run --resume run-1 --engine temporal://h:1/d --content c --key-file k --suspend";
    assert_eq!(find_in(line), [""; 0]);
    assert_eq!(find_in(&format!("{line} --queue q")), ["--queue"]);
}

#[test]
fn a_run_of_an_engine_refuses_the_options_of_its_worker() {
    let line = "windlass run task --engine temporal://h:1/d --queue q --model-queue m --root x --json --yes";
    assert_eq!(find_in(line), [""; 0]);
    assert_eq!(find_in(&format!("{line} --model m --store s")), ["--store", "--model"]);
}
