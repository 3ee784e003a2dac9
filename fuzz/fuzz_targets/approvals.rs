//! Fuzzes the property `approvals`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::approvals(bytes));
