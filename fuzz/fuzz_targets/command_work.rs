//! Fuzzes the property `command_work`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::command_work(bytes));
