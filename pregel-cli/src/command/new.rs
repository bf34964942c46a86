//! `pregel new`: a crate with a vertex program.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use crate::args::NewArgs;
use crate::progress::Progress;
use crate::usage::UsageError;

/// The files, by their place in the crate. A crate inside another one would not be packaged if
/// it had a file of that name, so `.gitignore` has another one here.
const FILES: [(&str, &str); 8] = [
    ("Cargo.toml", include_str!("../../template/Cargo.toml.in")),
    (".gitignore", include_str!("../../template/gitignore")),
    ("README.md", include_str!("../../template/README.md")),
    ("build.rs", include_str!("../../template/build.rs")),
    ("src/main.rs", include_str!("../../template/src/main.rs")),
    ("programs/Cargo.toml", include_str!("../../template/programs/Cargo.toml.in")),
    ("programs/src/lib.rs", include_str!("../../template/programs/src/lib.rs")),
    ("programs/tests/all_engines.rs", include_str!("../../template/programs/tests/all_engines.rs")),
];

/// What the files say of this project's crates, and the features that they are used with.
const CRATES: [(&str, &str, &str); 5] = [
    ("pregel-cli", "pregel-cli", ", default-features = false, features = [\"cuda\"]"),
    ("pregel-core", "pregel-core", ""),
    ("pregel-core-no-std", "pregel-core", ", default-features = false"),
    ("pregel-build", "pregel-build", ", default-features = false"),
    ("pregel-testing", "pregel-testing", ""),
];

/// What a user should know who does not give `--path`.
const UNPUBLISHED: &str = "the crates that it depends on are not on crates.io yet; until they \
                           are, give --path DIR, a folder with the sources of this project, so \
                           that it can be built";

/// Makes the folder and writes the files.
pub fn execute(args: NewArgs) -> Result<()> {
    let name = crate_name(&args.folder)?;
    let sources = args.path.as_deref().map(find_sources).transpose()?;
    let values = values(&name, sources.as_deref());
    fs::create_dir(&args.folder).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            let folder = args.folder.display();
            anyhow!("there is a {folder} already: give the crate another name, or remove it")
        }
        _ => anyhow!("cannot make the folder {}: {error}", args.folder.display()),
    })?;
    for (place, template) in FILES {
        let path = args.folder.join(place);
        let folder = path.parent().unwrap_or(&args.folder);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, fill(template, &values)))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if sources.is_none() {
        Progress::new(false).note(UNPUBLISHED);
    }
    let folder = args.folder.display();
    crate::output::print(&format!(
        "made the crate {name} in {folder}\n\n\
         cd {folder}\n\
         cargo test --workspace\n\
         cargo run --release -- rmat:scale=16 --source 9678\n\n\
         The program is programs/src/lib.rs; README.md says more.\n"
    ))
}

/// The name of the crate, which is that of the folder.
fn crate_name(folder: &Path) -> Result<String, UsageError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if !begins || !name.chars().all(plain) {
        return Err(UsageError::new(format!(
            "«{name}» cannot be the name of a crate: use lower-case letters, digits, - and _, a \
             letter first"
        )));
    }
    // Of the names that are left, those that cargo or the compiler take otherwise, and that of
    // this command.
    if ["core", "std", "alloc", "test", "proc-macro", "pregel"].contains(&name.as_str()) {
        return Err(UsageError::new(format!("«{name}» means something else; choose another name")));
    }
    Ok(name)
}

/// The absolute path of a folder that has the crates.
fn find_sources(folder: &Path) -> Result<PathBuf> {
    for (_, krate, _) in CRATES {
        if !folder.join(krate).join("Cargo.toml").is_file() {
            bail!("--path {}: there is no {krate}/Cargo.toml in it", folder.display());
        }
    }
    let absolute = folder.canonicalize();
    absolute.with_context(|| format!("cannot find {}", folder.display()))
}

/// What stands for each name in the files.
fn values(name: &str, sources: Option<&Path>) -> Vec<(String, String)> {
    let version = env!("CARGO_PKG_VERSION");
    let dependency = |(key, krate, features): (&str, &str, &str)| {
        let from = sources.map_or(String::new(), |folder| {
            // The escapes of a TOML string are those of a JSON string.
            let path = serde_json::Value::from(folder.join(krate).to_string_lossy());
            format!("path = {path}, ")
        });
        (key.to_owned(), format!("{{ {from}version = \"{version}\"{features} }}"))
    };
    let mut values: Vec<_> = CRATES.into_iter().map(dependency).collect();
    values.push(("name".into(), name.into()));
    values.push(("crate".into(), name.replace('-', "_")));
    values
}

/// Replaces `{{key}}` by its value.
fn fill(template: &str, values: &[(String, String)]) -> String {
    values.iter().fold(template.to_owned(), |text, (key, value)| {
        text.replace(&format!("{{{{{key}}}}}"), value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_to_fill_in() {
        for sources in [None, Some(Path::new("/a \"b\""))] {
            let values = values("my-search", sources);
            for (place, template) in FILES {
                let text = fill(template, &values);
                assert!(!text.contains("{{"), "{place}: {text}");
            }
        }
        let manifest = fill(FILES[0].1, &values("my-search", None));
        assert!(manifest.contains("pregel-core = { version = \"0.1.0\" }"), "{manifest}");
        assert!(manifest.contains("my-search-programs = { path = \"programs\" }"));
        let manifest = fill(FILES[0].1, &values("my-search", Some(Path::new("/a b"))));
        assert!(manifest.contains("{ path = \"/a b/pregel-core\", version = \"0.1.0\" }"));
    }

    #[test]
    fn names_of_crates_are_checked() {
        let name = |folder: &str| crate_name(Path::new(folder)).ok();
        assert_eq!(name("../some/my-search2").as_deref(), Some("my-search2"));
        for bad in ["", "..", "My", "2fast", "a b", "test", "pregel", "/", "é"] {
            assert_eq!(name(bad), None, "{bad}");
        }
    }
}
