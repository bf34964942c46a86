//! Compiles the programs for GPUs, or warns that there is no compiler for that.

fn main() {
    pregel_build::build_script_or_warn("programs");
}
