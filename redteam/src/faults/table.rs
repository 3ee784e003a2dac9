//! The table of faults: each with the tests that inject it, or with the issue that owns it.

use self::Shown::{By, Here, Later};
use super::Injected;

/// A fault by its group and its words.
pub(super) struct Row {
    pub(super) group: &'static str,
    pub(super) fault: &'static str,
    pub(super) shown: Shown,
}

/// What shows that a fault is survived.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    /// Tests of the workspace: a crate, and a test's path in it.
    By(&'static [(&'static str, &'static str)]),
    /// The harness itself, in a process of its own.
    Here(Injected),
    /// The issue that owns it.
    Later(u32),
}

const fn row(group: &'static str, fault: &'static str, shown: Shown) -> Row {
    Row { group, fault, shown }
}

/// In the order of the catalogue.
pub(super) const TABLE: &[Row] = &[
    row(
        "provider",
        "429 with Retry-After",
        By(&[("client", "pace::the_provider_knows_best_how_long_to_wait")]),
    ),
    row(
        "provider",
        "429 without Retry-After",
        By(&[
            ("client", "retry::five_failures_are_given_up_with_their_number"),
            ("client", "pace::retries_wait_no_longer_than_doubling_waits"),
        ]),
    ),
    row(
        "provider",
        "quota or spend limit reached",
        By(&[("client", "retry::what_will_not_pass_is_sent_once")]),
    ),
    row("provider", "500/502/503/504/529", By(&[("client", "retry::what_may_pass_is_sent_again")])),
    row(
        "provider",
        "400/401/403/404/413/422",
        By(&[
            ("client", "retry::what_will_not_pass_is_sent_once"),
            ("client", "failure::the_key_is_in_no_error"),
        ]),
    ),
    row(
        "provider",
        "odd Retry-After",
        By(&[
            ("client", "retry::a_date_to_wait_for_is_read"),
            ("client", "retry::a_wait_beyond_the_total_timer_is_not_waited"),
        ]),
    ),
    row(
        "provider",
        "connection refused, DNS failure, TLS error, reset",
        By(&[
            ("client", "failure::an_unreachable_server_is_named_and_tried_again"),
            ("client", "hostile::every_switch_ends_in_an_error_or_a_right_answer_in_time"),
        ]),
    ),
    row(
        "provider",
        "disconnect after text, before any tool call",
        By(&[
            ("loop", "streaming::a_dropped_stream_runs_nothing_and_is_asked_for_again"),
            ("client", "scripted::what_breaks_off_finishes_no_call"),
        ]),
    ),
    row("provider", "idle stall", By(&[("client", "answer::a_silence_ends_with_the_timer_that_ended_it")])),
    row(
        "provider",
        "keep-alive pings for ever",
        By(&[("client", "pace::only_what_says_something_keeps_an_answer_alive")]),
    ),
    row(
        "provider",
        "slow drip",
        By(&[("client", "pace::an_answer_that_never_ends_is_ended_by_the_total_timer")]),
    ),
    row(
        "provider",
        "SSE line that never ends",
        By(&[("sse", "limits::an_endless_line_is_refused_before_it_is_held")]),
    ),
    row(
        "provider",
        "malformed argument JSON",
        By(&[
            ("assemble", "arguments::arguments_that_are_not_json_say_where"),
            ("assemble", "arguments::arguments_nested_too_deeply_are_malformed"),
            ("toolbox", "check::a_key_twice_is_refused_where_something_changes"),
            ("assemble", "arguments::repairs_are_made_where_they_are_asked_for_and_told"),
        ]),
    ),
    row(
        "provider",
        "wrong types, missing or extra fields",
        By(&[("toolbox", "check::wrong_arguments_are_told_with_path_met_and_wanted")]),
    ),
    row(
        "provider",
        "empty arguments",
        By(&[("assemble", "endings::no_arguments_are_an_empty_object_where_the_answer_ended_properly")]),
    ),
    row(
        "provider",
        "unknown tool",
        By(&[
            ("toolbox", "check::an_unknown_tool_is_answered_with_the_ones_there_are"),
            ("toolbox", "check::a_forgiving_name_that_fits_two_tools_fits_none"),
        ]),
    ),
    row(
        "provider",
        "event order",
        By(&[
            ("assemble", "keying::fragments_find_their_call_by_index"),
            ("assemble", "properties::any_sequence_of_chunks_ends_each_call_once"),
        ]),
    ),
    row(
        "provider",
        "stop reason contradicts content",
        By(&[
            ("loop", "streaming::a_stop_with_calls_is_still_calls"),
            ("loop", "streaming::an_empty_answer_is_not_kept_and_asked_for_again_before_the_nudge"),
            ("loop", "streaming::a_refusal_stops_the_run"),
        ]),
    ),
    row(
        "provider",
        "UTF-8 split over chunks",
        By(&[
            ("sse", "properties::the_properties_hold_for_bytes"),
            ("sse", "parser::what_is_not_utf8_is_replaced_and_the_stream_goes_on"),
        ]),
    ),
    row(
        "loop",
        "tool hangs",
        By(&[("tools-shell", "command::a_command_that_ignores_term_is_killed_with_its_group")]),
    ),
    row("loop", "some of N parallel tools fail", By(&[("loop", "execution::results_are_in_call_order")])),
    row(
        "loop",
        "cancel while an approval waits",
        By(&[("agent", "approver::a_cancelled_question_runs_nothing_and_has_one_result")]),
    ),
    row(
        "loop",
        "approval times out",
        By(&[
            ("agent", "approver::a_question_times_out_once_and_stays_ended"),
            ("hitl", "approvals::a_question_is_overdue_at_its_time_and_not_before"),
        ]),
    ),
    row(
        "loop",
        "cancel during execution",
        By(&[
            ("agent", "run::cancelling_stops_what_runs_and_every_call_has_its_result"),
            ("tools-shell", "command::stopping_yields_what_came"),
        ]),
    ),
    row(
        "loop",
        "cancel in mid-stream",
        By(&[
            ("loop", "execution::cancelling_while_the_answer_streams_keeps_its_words"),
            ("loop", "properties::every_request_is_paired_and_every_record_resumes"),
        ]),
    ),
    row("loop", "kill -9 at any point", Later(7)),
    row("loop", "torn or corrupt journal", Later(7)),
    row("loop", "two processes resume one session", Later(7)),
    row("loop", "journal of another version", Later(7)),
    row("loop", "clock jumps", Later(7)),
    row("loop", "repeating model", Later(7)),
    row("loop", "sub-agent fails", Later(8)),
    row(
        "files",
        "two writers",
        By(&[
            ("sandbox", "attacks::racing_writers_never_lose_an_update_silently"),
            ("sandbox", "writers::two_processes_lose_no_update"),
        ]),
    ),
    row(
        "files",
        "file changed on disk since read",
        By(&[("tools-edit", "edit::a_file_that_changed_since_it_was_read_is_refused_with_its_text")]),
    ),
    row("files", "crash during write", Here(Injected::Crash)),
    row(
        "files",
        "non-UTF-8 text",
        By(&[
            ("tools-edit", "edit::what_is_no_utf8_text_is_refused_by_name"),
            ("tools-edit", "edit::bytes_outside_the_hunk_are_identical"),
        ]),
    ),
    row("files", "binary file", By(&[("tools-fs", "read::what_is_no_utf8_text_is_refused_by_name")])),
    row("files", "huge file", Here(Injected::Huge)),
    row("files", "metadata", By(&[("tools-fs", "odd::modes_and_links_are_kept")])),
    row("files", "odd names", By(&[("tools-fs", "odd::odd_names_are_listed_escaped_and_addressable_again")])),
    row("files", "Windows paths", By(&[("sandbox", "windows::tests::each_spelling_has_its_class")])),
    row(
        "files",
        "large directory",
        By(&[("tools-fs", "odd::a_large_or_deep_folder_ends_with_a_word_about_it")]),
    ),
    row(
        "files",
        "patch fails in file k of n",
        By(&[
            ("tools-edit", "patch::a_failure_in_one_file_changes_none"),
            ("tools-edit", "commit::tests::what_was_written_is_taken_back_when_a_later_step_fails"),
        ]),
    ),
    row(
        "process",
        "grandchildren and daemons",
        By(&[
            ("tools-shell", "faults::f56_grandchildren_and_daemons_end_with_the_call"),
            ("sandbox", "leashed::everybody_ends_with_the_leash"),
            ("sandbox", "confined::no_child_survives_and_no_descriptor_stays_over_100_runs"),
        ]),
    ),
    row(
        "process",
        "output flood",
        By(&[
            ("tools-shell", "command::a_flood_is_shown_by_head_and_tail_and_spilled_whole"),
            ("tools-shell", "faults::f57_both_streams_and_one_endless_line_are_bounded"),
        ]),
    ),
    row(
        "process",
        "grandchild keeps the pipe open",
        By(&[
            ("tools-shell", "command::a_grandchild_that_holds_the_pipe_is_not_waited_for"),
            ("tools-shell", "faults::f58_who_holds_the_pipe_is_not_waited_for"),
        ]),
    ),
    row(
        "process",
        "binary or control output",
        By(&[
            ("tools-shell", "command::control_characters_are_shown_and_kept_in_a_file"),
            ("hitl", "approvals::what_hides_is_shown"),
        ]),
    ),
    row(
        "process",
        "stubborn child",
        By(&[
            ("tools-shell", "command::a_command_that_ignores_term_is_killed_with_its_group"),
            ("tools-shell", "faults::f61_stubborn_children_leave_nothing_run_after_run"),
            ("sandbox", "confined::no_child_survives_and_no_descriptor_stays_over_100_runs"),
        ]),
    ),
    row(
        "process",
        "fork bomb, memory bomb, disk filler",
        By(&[
            ("sandbox", "leashed::processes_are_bounded"),
            ("sandbox", "leashed::memory_of_one_process_is_bounded"),
            ("sandbox", "confined::limits_hold"),
            ("tools-shell", "faults::f62_a_disk_filler_is_stopped_in_time"),
        ]),
    ),
    row("process", "host gets TERM, HUP, INT, KILL", Here(Injected::Signals)),
    row(
        "mcp",
        "server dies in mid-call",
        By(&[
            ("mcp", "calls::a_server_that_dies_in_a_call_is_not_asked_again_and_starts_anew"),
            ("mcp", "child::a_server_that_exits_in_a_call_ends_it_though_its_helper_holds_the_pipe"),
        ]),
    ),
    row(
        "mcp",
        "dirty stdio",
        By(&[
            ("mcp", "calls::dirty_lines_are_skipped_and_counted"),
            ("mcp", "calls::a_line_of_a_hundred_megabytes_goes_past_unkept"),
            ("mcp", "calls::any_bytes_in_a_call_end_in_one_result"),
        ]),
    ),
    row(
        "mcp",
        "tools change in the session",
        By(&[
            ("mcp", "calls::a_changed_tool_does_not_run_under_its_old_definition"),
            ("mcp", "accepted::each_change_of_a_definition_asks_again_with_what_changed"),
        ]),
    ),
    row("mcp", "HTTP session lost", Later(8)),
    row("soak", "10 000 turns, 5 % random faults, fixed seeds", Later(7)),
];
