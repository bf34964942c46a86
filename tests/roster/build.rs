//! Compiles the roster's own programs for the GPU, where that is asked for.

fn main() {
    #[cfg(feature = "gpu")]
    pregel_build::build_script("../programs");
}
