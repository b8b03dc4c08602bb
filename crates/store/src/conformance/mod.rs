//! What every store must do, whatever it keeps things in.
//!
//! ```ignore
//! ralph_store::conformance!(MyWorld::new());
//! ```

#![expect(clippy::unwrap_used, reason = "a case that cannot go on has failed")]

pub mod controls;
pub mod journal;
pub mod loops;
pub mod outbox;
pub mod race;
pub mod runs;
pub mod sample;
pub mod sessions;
pub mod tasks;
pub mod trust;
pub mod vectors;

use std::future::Future;

use crate::store::Store;

/// A project's lasting state, and the means to open it.
pub trait World: Sync {
    type Store: Store;

    fn open(&self) -> Self::Store;

    /// As another process would; `None` where nothing outlives the handle.
    fn open_beside(&self) -> Option<Self::Store>;
}

/// Runs a future on this thread.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

/// One `#[test]` per case.
#[macro_export]
macro_rules! conformance {
    ($world:expr) => {
        $crate::conformance! { @ $world;
            runs a_new_run_begins_its_journal_with_line_one
            runs what_was_created_is_read_back
            runs what_was_committed_is_read_back_whole
            runs every_step_survives_being_written
            runs a_second_run_is_refused_while_one_is_unfinished
            runs a_finished_run_is_in_nobodys_way
            runs a_stopped_run_that_may_be_resumed_is_in_the_way
            runs the_same_id_is_refused
            runs a_superseded_run_can_never_be_written_again
            runs a_superseded_run_is_in_nobodys_way
            runs a_run_that_was_taken_over_is_fenced
            runs a_run_can_be_taken_back
            runs looking_takes_nothing_over
            runs a_run_that_was_never_created_cannot_be_committed
            runs runs_are_listed_newest_first
            runs the_summary_follows_the_run
            runs a_prefix_finds_its_run
            runs a_heartbeat_is_folded_into_the_running_time
            runs a_heartbeat_never_goes_back
            runs a_fenced_handle_has_no_heartbeat
            journal every_event_is_read_back_as_it_was
            journal lines_have_no_gaps_over_commits
            journal two_journals_do_not_mix
            journal pages_join_without_loss
            journal a_commit_without_events_writes_the_checkpoint
            journal a_refused_commit_leaves_nothing
            journal the_view_of_the_journal_agrees_with_the_checkpoint
            controls a_control_waits_until_it_was_seen
            controls a_commit_that_has_not_seen_a_control_writes_nothing
            controls controls_keep_their_order_and_count_per_run
            controls a_run_that_ended_for_good_takes_no_controls
            controls a_stopped_run_still_takes_controls
            controls a_control_for_no_run_is_refused
            controls a_superseded_run_takes_no_controls
            controls every_control_is_read_back_as_it_was
            outbox a_delivery_is_due_until_it_was_made
            outbox a_delivered_call_is_never_due_again
            outbox a_failed_call_is_due_later_and_counted
            outbox a_call_that_was_given_up_is_not_due
            outbox a_hook_named_twice_for_an_event_is_called_once
            outbox a_refused_commit_delivers_nothing
            trust trust_is_for_exactly_one_hash
            trust trust_can_be_taken_back
            loops a_session_has_one_unfinished_loop
            loops a_session_may_have_a_loop_after_the_last_has_finished
            loops a_loop_stays_one_when_another_has_taken_its_session
            loops sessions_do_not_stand_in_each_others_way
            loops a_loop_is_found_with_and_without_its_host
            loops a_loop_moves_with_its_session
            loops a_loop_without_a_host_is_that_hosts_which_presents_it_first
            loops a_session_whose_host_is_not_known_may_be_any_of_that_name
            loops a_loop_does_not_keep_a_run_from_starting
            tasks a_task_is_read_back_as_it_was_added
            tasks ids_are_given_in_turn_and_never_twice
            tasks what_cannot_be_is_refused_whole
            tasks every_change_is_kept_and_what_is_so_already_is_none
            tasks lists_that_two_change_at_once_have_both_changes
            tasks tasks_and_runs_do_not_mix
            sessions a_session_is_read_back_as_it_was_seen
            sessions a_checkpoint_is_made_when_the_rule_says_so
            sessions a_session_is_found_by_number_name_and_beginning
            sessions a_resumed_session_is_active_with_a_checkpoint
            sessions a_session_names_its_loop_and_keeps_its_last_messages
            sessions what_is_told_of_a_session_later_adds_to_it
            sessions tools_belong_to_the_message_that_follows_them
            sessions observations_are_bounded_for_each_iteration
            vectors a_vector_is_read_back_by_the_number_of_its_note
            vectors vectors_of_another_text_take_the_place_of_the_old
            vectors of_two_who_make_the_same_vectors_the_second_is_told
            vectors what_is_forgotten_has_no_vector_by_any_measure
            vectors vectors_outlive_notes_that_are_made_again
            vectors the_measures_that_are_used_are_kept
            race no_commit_succeeds_that_has_not_seen_an_acknowledged_control
            race requests_from_many_threads_are_all_kept_in_order
        }
    };
    (@ $world:expr; $($area:ident $case:ident)*) => {
        $(
            #[test]
            fn $case() {
                $crate::conformance::$area::$case(&$world);
            }
        )*
    };
}
