#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| links_sdk::fuzzing::journal(bytes));
