//! Fuzzes the property `encoded_history`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::encoded_history(bytes));
