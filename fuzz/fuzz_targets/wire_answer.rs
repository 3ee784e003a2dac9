//! Fuzzes the property `wire_answer`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::wire_answer(bytes));
