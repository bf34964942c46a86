//! Programs that must not compile do not, and the compiler's messages help the user.

/// The compiler whose messages are recorded beside the cases. Other versions word the
/// same errors differently, and on other processors they suggest other types; the
/// compile-fail doctests of `pregel_core::program` still check there that the programs
/// do not compile. After raising the version, record the messages again with
/// `TRYBUILD=overwrite`.
const RECORDED: &str = "rustc 1.95.";

#[test]
fn messages_are_readable() {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let version = std::process::Command::new(rustc).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let same = version.as_ref().is_ok_and(|version| version.starts_with(RECORDED));
    if !same || !cfg!(target_arch = "x86_64") {
        eprintln!("SKIPPED: messages were recorded with {RECORDED}x, this is {version:?}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
