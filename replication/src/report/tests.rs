#![allow(clippy::unwrap_used)]

use super::*;

fn report() -> Report {
    let table = Table {
        columns: vec!["what", "count", "GTEPS"],
        rows: vec![
            vec!["a, \"quoted\" | one".into(), Cell::Count(1_234_567), Cell::Real(0.123_456, 2)],
            vec!["<b>".into(), Cell::Count(0), Cell::Empty],
        ],
    };
    let claim = |verdict| Claim { paper: "p|q".to_owned(), ours: "<o>".to_owned(), verdict };
    let figure = Figure {
        x: Axis::new("scale").whole(),
        y: Axis::new("GTEPS").logarithmic(),
        series: vec![Series::joined("one".to_owned(), vec![(1.0, 2.0), (2.0, 30.0)])],
    };
    let item = |name, figure| Item {
        name,
        title: "A title".to_owned(),
        method: "How.".to_owned(),
        table: table.clone(),
        figure,
        claims: vec![
            claim(Verdict::Holds),
            claim(Verdict::of(false, "of this")),
            claim(Verdict::NotComparable("of that".to_owned())),
        ],
        verbatim: Some("min_time: 1\n".to_owned()),
    };
    Report {
        name: "paper",
        title: "A paper".to_owned(),
        source: "Somebody, 2020",
        machine: Machine {
            cpu: "A & B".to_owned(),
            threads: 2,
            device: None,
            version: "0.1.0".to_owned(),
        },
        notes: vec!["A note.".to_owned()],
        failures: Vec::new(),
        items: vec![item("fig-1", Some(figure)), item("table-1", None)],
    }
}

#[test]
fn csv_is_for_programs() {
    let csv = report().items[0].table.csv();
    assert_eq!(csv, "what,count,GTEPS\n\"a, \"\"quoted\"\" | one\",1234567,0.123456\n<b>,0,\n");
}

#[test]
fn markdown_has_every_verdict() {
    let text = report().markdown(true);
    assert!(text.contains("| a, \"quoted\" \\| one | 1,234,567 | 0.12 |\n| <b> | 0 | – |\n"));
    assert!(text.contains("| p\\|q | <o> | holds |\n"));
    assert!(text.contains("| holds no more, because of this |\n"));
    assert!(text.contains("| cannot be compared, because of that |\n"));
    assert!(text.contains("![A title](paper-fig-1.svg)"));
    assert!(text.contains("- GPU: none used\n"));
    assert!(!report().markdown(false).contains("!["));
}

#[test]
fn html_is_one_page_that_needs_nothing() {
    let page = report().html().unwrap();
    assert!(page.contains("A &amp; B") && page.contains("&lt;o&gt;"));
    assert_eq!(page.matches("<svg").count(), 1);
    assert!(!page.contains("src=") && !page.contains("<link"));
    assert_eq!(page.matches("<table>").count(), page.matches("</table>").count());
}

#[test]
fn all_files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("new");
    let paths = report().write(&inner).unwrap();
    let names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap()).collect();
    assert_eq!(
        names,
        ["paper-fig-1.csv", "paper-fig-1.svg", "paper-table-1.csv", "paper.md", "paper.html"]
    );
    assert_eq!(std::fs::read_dir(&inner).unwrap().count(), 5);
    // A second time they replace the first.
    report().write(&inner).unwrap();
    assert_eq!(std::fs::read_dir(&inner).unwrap().count(), 5);
}
