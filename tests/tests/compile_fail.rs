//! What must not compile does not, and says why in words a user can act on.

/// The compiler whose words are recorded beside the cases. Other versions
/// word the same errors differently; there the compile-fail doctests of
/// `pregel_core::program` still check that nothing of this compiles. After
/// raising it, record again with `TRYBUILD=overwrite`.
const RECORDED: &str = "rustc 1.95.";

#[test]
fn messages_are_readable() {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let version = std::process::Command::new(rustc).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    if !version.as_ref().is_ok_and(|version| version.starts_with(RECORDED)) {
        eprintln!("SKIPPED: messages were recorded with {RECORDED}x, this is {version:?}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
