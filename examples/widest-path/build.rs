//! Compiles the programs to PTX, or warns that there is no compiler for it.

fn main() {
    pregel_build::build_script_or_warn("programs");
}
