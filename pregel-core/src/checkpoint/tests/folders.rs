//! Which folders can be used, and what is left in them.

use std::ops::ControlFlow;

use super::*;

#[test]
fn two_checkpoints_are_kept_and_nothing_else() {
    let place = Place::with_checkpoints("one");
    assert_eq!(place.files("one"), ["lock", "manifest", OLDER, NEWER]);
    // What a killed process may leave: a temporary file, and a checkpoint that is not listed.
    let left = [".pregel-1a2b3c", "superstep-0000000025.checkpoint", "mine.txt"];
    for name in left {
        fs::write(place.path("one").join(name), "left").unwrap();
    }
    let folder = place.path("one");
    let again = every(8, &folder).with_resume(&folder);
    let done = run(&Reference, &again, &limited()).unwrap();
    assert_eq!((done.resumed_after, done.written), (Some(20), 1));
    let newest = "superstep-0000000024.checkpoint";
    assert_eq!(place.files("one"), ["lock", "manifest", "mine.txt", NEWER, newest]);
}

#[test]
fn checkpoints_are_never_destroyed_by_a_new_run() {
    let place = Place::with_checkpoints("one");
    let folder = place.path("one");
    says(run(&Reference, &every(5, &folder), &limited()), "resume from them, remove them, or save");
    let other = Place::with_checkpoints("two");
    let elsewhere = every(5, &folder).with_resume(other.path("two"));
    says(run(&Reference, &elsewhere, &limited()), "already holds");
    assert_eq!(place.files("one"), ["lock", "manifest", OLDER, NEWER]);
    // Nor by a second run with the same value.
    let fresh = Checkpoints::open(&every(10, &place.path("fresh"))).unwrap();
    let once = || fresh.run(&Reference, &rumour_graph(), &SOME, &inputs(), &limited());
    once().unwrap();
    says(once(), "already holds");
}

#[test]
fn unlisted_checkpoints_do_not_hinder_a_new_run() {
    let place = Place::with_checkpoints("one");
    let folder = place.path("one");
    fs::remove_file(folder.join("manifest")).unwrap();
    says(run(&Reference, &resume(&folder), &limited()), "holds no complete checkpoint");
    let done = run(&Reference, &every(8, &folder), &limited()).unwrap();
    assert_eq!((done.resumed_after, done.written), (None, 3));
    let [before, newest] = [16, 24].map(|n| format!("superstep-{n:010}.checkpoint"));
    assert_eq!(place.files("one"), ["lock", "manifest", &before, &newest]);
}

#[test]
fn a_folder_is_used_by_one_run_at_a_time() {
    let place = Place::with_checkpoints("one");
    let folder = place.path("one");
    let same = every(10, &folder).with_resume(&folder);
    let first = Checkpoints::open(&same).unwrap();
    let busy = |options: &CheckpointOptions| {
        matches!(Checkpoints::open(options), Err(CheckpointError::Busy { .. }))
    };
    assert!(busy(&same) && busy(&every(10, &folder)) && busy(&resume(&folder)));
    drop(first);
    // Several may read.
    let readers = [Checkpoints::open(&resume(&folder)), Checkpoints::open(&resume(&folder))];
    assert!(readers.iter().all(Result::is_ok) && busy(&same));
    drop(readers);
    assert!(Checkpoints::open(&same).is_ok());
    // A copy may lack the file that is locked.
    fs::remove_file(folder.join("lock")).unwrap();
    assert!(Checkpoints::open(&resume(&folder)).is_ok());
    assert_eq!(place.files("one"), ["manifest", OLDER, NEWER]);
}

/// Checks that this path can neither be written to nor resumed from.
fn unusable(path: &Path) {
    for options in [every(10, path), resume(path), every(10, path).with_resume(path)] {
        check_reason(path, &Checkpoints::open(&options).unwrap_err());
    }
}

/// Checks that the error names this folder and why the system does not list it.
fn check_reason(folder: &Path, error: &CheckpointError) {
    let CheckpointError::Directory { path, source } = error else { panic!("{error}") };
    assert_eq!(path, folder);
    assert_eq!(source.kind(), fs::read_dir(folder).unwrap_err().kind(), "{source}");
}

#[test]
fn folders_that_cannot_be_used_are_refused_at_once() {
    let place = Place::new();
    let refused = |options: &CheckpointOptions| Checkpoints::open(options).unwrap_err();
    let missing = refused(&every(10, &place.path("no/folder")));
    assert!(matches!(missing, CheckpointError::Directory { .. }), "{missing}");
    fs::write(place.path("file"), "").unwrap();
    unusable(&place.path("file"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("circle", place.path("circle")).unwrap();
        unusable(&place.path("circle"));
        symlink("file", place.path("link")).unwrap();
        unusable(&place.path("link"));
        // A link to nothing is no folder to write to, and none with checkpoints.
        symlink("gone", place.path("nowhere")).unwrap();
        let nowhere = refused(&every(10, &place.path("nowhere")));
        check_reason(&place.path("nowhere"), &nowhere);
        assert!(!place.path("gone").exists());
    }
    for same in [true, false] {
        let options = resume(&place.path("none"));
        let options = if same { options.with_directory(place.path("none")) } else { options };
        let empty = refused(&options);
        assert!(matches!(empty, CheckpointError::Empty { .. }), "{empty}");
    }
    assert!(!place.path("none").exists());
}

#[test]
fn a_folder_that_vanishes_ends_the_run() {
    let place = Place::new();
    let folder = place.path("one");
    let gone = folder.clone();
    let options = limited().with_observer(move |step| {
        if step.superstep == 15 {
            fs::remove_dir_all(&gone).unwrap();
        }
        ControlFlow::Continue(())
    });
    let error = run(&Reference, &every(10, &folder), &options).unwrap_err();
    assert!(matches!(error, CheckpointError::Write(_)), "{error}");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.starts_with("cannot write"), "{source}");
}

#[test]
fn a_write_that_fails_at_the_end_fails_the_run() {
    let place = Place::new();
    let folder = place.path("one");
    let options = every(12, &folder);
    // A folder stands where the last checkpoint belongs.
    let late = folder.join("superstep-0000000024.checkpoint");
    let limited = limited().with_observer(move |step| {
        if step.superstep == 1 {
            fs::create_dir_all(late.join("in-the-way")).unwrap();
        }
        ControlFlow::Continue(())
    });
    let error = run(&Reference, &options, &limited).unwrap_err();
    assert!(matches!(error, CheckpointError::Write(_)), "{error}");
}

#[test]
fn a_file_that_is_called_lock_keeps_its_content() {
    let place = Place::new();
    let folder = place.path("one");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("lock"), "mine").unwrap();
    run(&Reference, &every(10, &folder), &limited()).unwrap();
    assert_eq!(fs::read(folder.join("lock")).unwrap(), b"mine");
}
