#![no_main]

use pregel_core::io::Format;

// Bytes that are no archive are those of the target `matrix_market`.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if data.get(257..262).is_some_and(|magic| magic == b"ustar") {
        pregel_fuzz::file(Format::MatrixMarket, data);
    }
});
