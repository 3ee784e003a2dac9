//! The table of faults, each with the tests or the harness function that injects it.

mod provider;

use self::FaultProof::{By, Here};
use super::InjectedFault;

/// A fault, by its group and name.
pub(super) struct Row {
    pub(super) group: &'static str,
    pub(super) fault: &'static str,
    pub(super) shown: FaultProof,
}

/// The proof that a fault is survived.
#[derive(Clone, Copy)]
pub(super) enum FaultProof {
    /// Tests of the workspace: pairs of a crate and a test's path in it.
    By(&'static [(&'static str, &'static str)]),
    /// The harness itself, in a process of its own.
    Here(InjectedFault),
}

const fn row(group: &'static str, fault: &'static str, shown: FaultProof) -> Row {
    Row { group, fault, shown }
}

/// Returns all rows.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    provider::ROWS.iter().chain(ROWS)
}

/// The rows of all groups but the provider's, in the order of the catalogue.
const ROWS: &[Row] = &[
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
            ("tools-shell", "command::a_cancelled_command_returns_its_output_so_far"),
        ]),
    ),
    row(
        "loop",
        "cancel in mid-stream",
        By(&[
            ("loop", "execution::cancelling_while_the_answer_streams_keeps_its_text"),
            ("loop", "properties::every_request_is_paired_and_every_record_resumes"),
        ]),
    ),
    row("loop", "kill -9 at any point", Here(InjectedFault::Kills)),
    row(
        "loop",
        "torn or corrupt journal",
        By(&[
            ("journal", "file::tests::a_truncated_journal_keeps_whole_records_and_accepts_appends"),
            ("journal", "file::tests::no_damage_loses_a_record_before_it"),
            ("journal", "file::tests::zeros_at_the_end_are_a_cut_record"),
            ("cli", "suspend::a_damaged_record_is_resumed_with_salvage"),
        ]),
    ),
    row(
        "loop",
        "two processes resume one session",
        By(&[
            ("journal", "file::tests::a_second_writer_is_refused"),
            ("cli", "suspend::a_second_process_cannot_resume_an_active_run"),
        ]),
    ),
    row(
        "loop",
        "journal of another version",
        By(&[
            ("loop", "record::a_record_of_a_later_version_is_refused"),
            ("loop", "record::unknown_fields_are_read_over"),
            ("loop", "record::a_record_of_any_version_resumes_from_any_cut"),
        ]),
    ),
    row(
        "loop",
        "clock jumps",
        By(&[("agent", "suspension::a_wall_clock_that_jumps_makes_no_question_end_early_or_late")]),
    ),
    row(
        "loop",
        "repeating model",
        By(&[
            ("loop", "execution::repeated_rounds_of_calls_are_stopped"),
            ("loop", "streaming::text_only_answers_are_nudged_a_limited_number_of_times"),
        ]),
    ),
    row(
        "loop",
        "sub-agent fails",
        By(&[
            ("subagent", "rights::a_panic_of_an_agent_is_one_error_result"),
            ("subagent", "rights::tools_are_those_of_the_definition_that_the_caller_has"),
            ("subagent", "limits::agents_go_three_deep_and_no_deeper"),
            ("subagent", "limits::agents_end_with_their_caller"),
        ]),
    ),
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
    row("files", "crash during write", Here(InjectedFault::Crash)),
    row(
        "files",
        "non-UTF-8 text",
        By(&[
            ("tools-edit", "edit::files_that_are_not_utf8_are_refused_by_kind"),
            ("tools-edit", "edit::bytes_outside_the_hunk_are_identical"),
        ]),
    ),
    row("files", "binary file", By(&[("tools-fs", "read::files_that_are_not_utf8_are_refused_by_kind")])),
    row("files", "huge file", Here(InjectedFault::Huge)),
    row("files", "metadata", By(&[("tools-fs", "odd::modes_and_links_are_kept")])),
    row("files", "odd names", By(&[("tools-fs", "odd::odd_names_are_listed_escaped_and_addressable_again")])),
    row("files", "Windows paths", By(&[("sandbox", "windows::tests::each_spelling_has_its_class")])),
    row(
        "files",
        "large directory",
        By(&[("tools-fs", "odd::large_and_deep_folders_are_refused_or_shortened_with_a_message")]),
    ),
    row(
        "files",
        "patch fails in file k of n",
        By(&[
            ("tools-edit", "patch::a_failure_in_one_file_changes_none"),
            ("tools-edit", "commit::tests::written_files_are_rolled_back_if_a_later_step_fails"),
        ]),
    ),
    row(
        "process",
        "grandchildren and daemons",
        By(&[
            ("tools-shell", "faults::f56_grandchildren_and_daemons_end_with_the_call"),
            ("sandbox", "leashed::all_processes_end_with_the_leash"),
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
            ("tools-shell", "command::a_grandchild_with_an_open_pipe_does_not_delay_the_result"),
            ("tools-shell", "faults::f58_an_open_pipe_does_not_delay_the_result"),
        ]),
    ),
    row(
        "process",
        "binary or control output",
        By(&[
            ("tools-shell", "command::control_characters_are_shown_and_kept_in_a_file"),
            ("hitl", "approvals::hidden_characters_are_shown"),
        ]),
    ),
    row(
        "process",
        "stubborn child",
        By(&[
            ("tools-shell", "command::a_command_that_ignores_term_is_killed_with_its_group"),
            ("tools-shell", "faults::f61_stubborn_children_leak_no_processes_or_descriptors"),
            ("sandbox", "confined::no_child_survives_and_no_descriptor_stays_over_100_runs"),
        ]),
    ),
    row(
        "process",
        "fork bomb, memory bomb, disk filler",
        By(&[
            ("sandbox", "leashed::processes_are_bounded"),
            ("sandbox", "leashed::memory_of_one_process_is_bounded"),
            ("sandbox", "confined::resource_limits_are_enforced"),
            ("tools-shell", "faults::f62_a_disk_filler_is_stopped_in_time"),
        ]),
    ),
    row("process", "host gets TERM, HUP, INT, KILL", Here(InjectedFault::Signals)),
    row(
        "mcp",
        "server dies in mid-call",
        By(&[
            ("mcp", "calls::a_call_is_not_repeated_after_a_crash_and_the_server_restarts"),
            ("mcp", "child::a_server_that_exits_in_a_call_ends_it_though_its_helper_holds_the_pipe"),
        ]),
    ),
    row(
        "mcp",
        "dirty stdio",
        By(&[
            ("mcp", "calls::dirty_lines_are_skipped_and_counted"),
            ("mcp", "calls::a_line_of_a_hundred_megabytes_is_skipped"),
            ("mcp", "calls::any_bytes_in_a_call_end_in_one_result"),
        ]),
    ),
    row(
        "mcp",
        "tools change in the session",
        By(&[
            ("mcp", "calls::a_changed_tool_does_not_run_under_its_old_definition"),
            ("mcp", "accepted::each_changed_definition_needs_a_new_acceptance"),
        ]),
    ),
    row(
        "mcp",
        "HTTP session lost",
        By(&[
            ("mcp", "http::a_lost_session_is_reinitialized_once_and_no_call_is_sent_twice"),
            ("mcp", "http::a_cut_stream_without_a_mark_ends_the_call_and_nothing_is_sent_again"),
            ("mcp", "http::a_broken_stream_resumes_at_its_last_event_id"),
            ("mcp", "http::an_accepted_but_unanswered_call_times_out_and_is_not_repeated"),
        ]),
    ),
    row("soak", "10 000 turns, 5 % random faults, fixed seeds", Here(InjectedFault::Soak)),
];
