//! Checkpoints that are damaged or forged.

use super::*;
use crate::checkpoint::layout::{HEAD, Head, Header};

/// Replaces the content of a file, and resumes.
fn resume_with(
    place: &Place,
    file: &str,
    bytes: &[u8],
) -> Result<Checkpointed<Rumour>, CheckpointError> {
    let path = place.path("one").join(file);
    fs::write(path, bytes).unwrap();
    run(&Reference, &resume(&place.path("one")), &limited())
}

/// Checks for the right result, from the older checkpoint if the newer one was skipped.
fn check(done: Checkpointed<Rumour>, right: &[u64], what: &str) {
    assert_eq!(done.outcome.states, right, "{what}");
    let after = if done.skipped.is_some() { 10 } else { 20 };
    assert_eq!(done.resumed_after, Some(after), "{what}");
}

#[test]
fn a_checkpoint_that_is_cut_short_is_not_used() {
    let (place, right) = (Place::with_checkpoints("one"), right());
    let whole = fs::read(place.path("one").join(NEWER)).unwrap();
    for length in 0..whole.len() {
        let done = resume_with(&place, NEWER, &whole[..length]).unwrap();
        assert!(done.skipped.is_some(), "{length} bytes");
        check(done, &right, &format!("{length} bytes"));
    }
    let longer = [&whole[..], b"\0"].concat();
    check(resume_with(&place, NEWER, &longer).unwrap(), &right, "one byte more");
    fs::remove_file(place.path("one").join(NEWER)).unwrap();
    check(run(&Reference, &resume(&place.path("one")), &limited()).unwrap(), &right, "none");
}

#[test]
fn a_checkpoint_with_a_changed_byte_is_not_used() {
    let (place, right) = (Place::with_checkpoints("one"), right());
    let whole = fs::read(place.path("one").join(NEWER)).unwrap();
    let head = Head::decode(whole[..HEAD].try_into().unwrap(), whole.len() as u64).unwrap();
    // Only the padding between sections has no checksum.
    let is_padding = |at: usize| {
        let at = at as u64;
        at >= HEAD as u64
            && !head.sections.iter().any(|s| (s.start..s.start + s.length).contains(&at))
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        match resume_with(&place, NEWER, &bytes) {
            Ok(done) => {
                assert_eq!(done.skipped.is_none(), is_padding(at), "byte {at}");
                check(done, &right, &format!("byte {at}"));
            }
            // A checkpoint of another version is an error, and not skipped.
            Err(error) => assert!((8..12).contains(&at), "byte {at}: {error}"),
        }
    }
}

#[test]
fn if_all_checkpoints_are_damaged_the_error_names_each() {
    let place = Place::with_checkpoints("one");
    for (file, length) in [(NEWER, 100), (OLDER, 300)] {
        let path = place.path("one").join(file);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..length]).unwrap();
    }
    let error = run(&Reference, &resume(&place.path("one")), &limited()).unwrap_err();
    let said = error.to_string();
    let (newer, older) = said.split_once("; ").unwrap();
    assert!(newer.contains(&format!("{NEWER}: expected ")) && newer.ends_with("has 100"), "{said}");
    assert!(older.contains(&format!("{OLDER}: expected ")) && older.ends_with("has 300"), "{said}");
}

#[test]
fn a_damaged_manifest_is_an_error() {
    let place = Place::with_checkpoints("one");
    let whole = fs::read(place.path("one").join("manifest")).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let error = resume_with(&place, "manifest", &bytes).unwrap_err();
        assert!(matches!(error, CheckpointError::Manifest { .. }), "byte {at}: {error}");
        let error = resume_with(&place, "manifest", &whole[..at]).unwrap_err();
        assert!(matches!(error, CheckpointError::Manifest { .. }), "{at} bytes: {error}");
    }
    resume_with(&place, "manifest", &whole).unwrap();
}

#[test]
fn a_checkpoint_under_another_name_is_not_used() {
    let (place, right) = (Place::with_checkpoints("one"), right());
    let older = fs::read(place.path("one").join(OLDER)).unwrap();
    let done = resume_with(&place, NEWER, &older).unwrap();
    let skipped = done.skipped.as_ref().unwrap().to_string();
    assert!(skipped.ends_with("this is not the file that the manifest lists"), "{skipped}");
    check(done, &right, "a copy of the older one");
}

/// Resumes from a checkpoint with these sections, correct checksums and a manifest.
fn forge(header: Header, contents: [&[u8]; 5]) -> Result<Checkpointed<Rumour>, CheckpointError> {
    let place = Place::new();
    let folder = place.path("one");
    fs::create_dir(&folder).unwrap();
    let head =
        Head::new(header, contents.map(|bytes| (crate::io::checksum(bytes), bytes.len() as u64)));
    let mut bytes = head.encode().to_vec();
    for (section, content) in head.sections.iter().zip(contents) {
        bytes.resize(section.start as usize, 0);
        bytes.extend(content);
    }
    let entry = manifest::Entry { superstep: 20, length: head.length, crc: head.crc };
    fs::write(folder.join(entry.file()), bytes).unwrap();
    manifest::write(&folder, &[entry]).unwrap();
    run(&Reference, &resume(&folder), &limited())
}

#[test]
fn forged_checkpoints_are_refused() {
    let place = Place::with_checkpoints("one");
    let whole = fs::read(place.path("one").join(NEWER)).unwrap();
    let head = Head::decode(whole[..HEAD].try_into().unwrap(), whole.len() as u64).unwrap();
    let parts = head.sections.map(|s| &whole[s.start as usize..(s.start + s.length) as usize]);
    let header = head.header;
    assert_eq!(forge(header, parts).unwrap().outcome.states, right());

    let with = |number: usize, bytes: &[u8]| {
        let mut parts = parts;
        parts[number] = bytes;
        forge(header, parts)
    };
    says(with(0, &[0xFF, b'\n']), "the facts are not lines of names and values");
    says(with(0, b""), "without program, but this run has");
    says(with(0, &vec![b' '; (1 << 20) + 1]), "at most 1048576 bytes of facts");
    // Too many or too few states, votes and aggregates.
    for (number, part) in parts.into_iter().enumerate().skip(1) {
        says(with(number, &part[1..]), "as long as their values");
        says(with(number, &[part, &[0]].concat()), "as long as their values");
    }
    let mut votes = parts[2].to_vec();
    votes[11] = 4;
    says(with(2, &votes), "expected a vote from 0 to 3, found 4 for vertex 11");
    // Sizes other than those of this program and graph. No memory is allocated for them.
    let other = |header| says(forge(header, parts), "the number of vertices and the sizes");
    other(Header { vertices: u32::MAX, ..header });
    other(Header { vertices: 39, ..header });
    other(Header { state: u32::MAX, ..header });
    other(Header { aggregate: 0, ..header });
}
