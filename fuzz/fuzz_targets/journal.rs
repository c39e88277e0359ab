#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| links_pages::fuzz_journal(bytes));
