//! Folders in which something else has the name of a file of ours.

use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;
use crate::io::SaveError;

/// What is in the place of a file.
#[derive(Clone, Copy, Debug)]
enum Foreign {
    Folder,
    /// Opening it would wait for its other end.
    Pipe,
    /// A link to itself.
    Circle,
}

impl Foreign {
    const ALL: [Self; 3] = [Self::Folder, Self::Pipe, Self::Circle];

    fn replace(self, file: &Path) {
        fs::remove_file(file).unwrap();
        match self {
            Self::Folder => fs::create_dir(file).unwrap(),
            Self::Pipe => mknodat(CWD, file, FileType::Fifo, Mode::RWXU, 0).unwrap(),
            Self::Circle => symlink(file.file_name().unwrap(), file).unwrap(),
        }
    }
}

/// Checks with this file replaced that the folder can neither be resumed from nor be saved
/// in; `is_right` looks at the errors.
fn refused(name: &str, is_right: impl Fn(&CheckpointError, &Path) -> bool) {
    for foreign in Foreign::ALL {
        let place = Place::with_checkpoints("one");
        let folder = place.path("one");
        foreign.replace(&folder.join(name));
        for options in [resume(&folder), every(10, &folder).with_resume(&folder)] {
            let error = Checkpoints::open(&options).unwrap_err();
            assert!(is_right(&error, &folder.join(name)), "{foreign:?}: {error}");
        }
    }
}

#[test]
fn a_lock_that_is_no_file_is_refused() {
    refused(
        "lock",
        |error, lock| matches!(error, CheckpointError::Directory { path, .. } if path == lock),
    );
}

#[test]
fn a_manifest_that_is_no_file_is_refused() {
    refused(
        "manifest",
        |error, manifest| matches!(error, CheckpointError::Unreadable { path, .. } if path == manifest),
    );
}

#[test]
fn a_checkpoint_that_is_no_file_is_neither_used_nor_replaced() {
    for foreign in [Foreign::Folder, Foreign::Pipe] {
        let (place, right) = (Place::with_checkpoints("one"), right());
        let folder = place.path("one");
        foreign.replace(&folder.join(NEWER));
        let resumed = || run(&Reference, &resume(&folder), &limited()).unwrap();
        let done = resumed();
        let skipped = done.skipped.unwrap().to_string();
        assert!(skipped.ends_with("expected a checkpoint, found other data"), "{skipped}");
        assert_eq!((done.resumed_after, done.outcome.states), (Some(10), right.clone()));
        // The run that goes on from there saves superstep 20 again.
        let again = every(10, &folder).with_resume(&folder);
        let error = run(&Reference, &again, &limited()).unwrap_err();
        let CheckpointError::Write(SaveError::Io { path, .. }) = &error else { panic!("{error}") };
        assert_eq!(path, &folder.join(NEWER), "{foreign:?}");
        assert_eq!(place.files("one"), ["lock", "manifest", OLDER, NEWER], "{foreign:?}");
        assert_eq!(resumed().outcome.states, right, "{foreign:?}");
    }
}

#[test]
fn a_checkpoint_that_links_to_itself_is_refused() {
    // It cannot be read now, which does not mean that it is damaged.
    let place = Place::with_checkpoints("one");
    let folder = place.path("one");
    Foreign::Circle.replace(&folder.join(NEWER));
    for options in [resume(&folder), every(10, &folder).with_resume(&folder)] {
        says(run(&Reference, &options, &limited()), "0020.checkpoint: cannot read the checkpoint");
    }
}
