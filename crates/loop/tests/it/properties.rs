//! Any input in any order: no panic, and every request is valid.

use proptest::prelude::*;
use windlass_loop::{Input, InterruptId, InterruptReason};
use windlass_protocol::{CallId, ResultStatus};
use windlass_testkit::oracle;

use crate::driven::{Driven, config};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_request_is_paired_and_every_record_resumes(operations in prop::collection::vec(any::<u8>(), 0..160)) {
        oracle::machine(&operations);
    }

    #[test]
    fn unexpected_inputs_change_nothing(id in "[a-z]{1,8}") {
        let mut run = Driven::start(config());
        let before = run.machine.transcript().clone();
        run.result(&id, ResultStatus::Ok);
        run.step(Input::Fatal { call: CallId::new(id.clone()).unwrap(), message: "x".into() });
        for number in 0..2 {
            let id = InterruptId::new(InterruptReason::Budget, number);
            run.step(Input::InterruptReply { id, words: Some("y".into()) });
        }
        run.step(Input::Start { task: "again".into() });
        prop_assert_eq!(run.machine.transcript(), &before);
        prop_assert!(run.outcome().is_none());
    }
}
