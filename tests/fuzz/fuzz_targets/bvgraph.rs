#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pregel_fuzz::bvgraph(data));
