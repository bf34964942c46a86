//! Edge lists as tables: headers, chosen columns, quoted fields.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_core::io::{
    ColumnsError, Format, Header, IdKind, LineError, LoadError, LoadOptions, Loaded, Note, Weights,
    load_edges, parse_bytes,
};

fn auto() -> LoadOptions {
    LoadOptions::default()
}

fn columns(text: &str) -> LoadOptions {
    auto().with_columns(text.parse().ok())
}

fn load(text: &str, options: &LoadOptions) -> Result<Loaded, LoadError> {
    parse_bytes(Format::EdgeList, text.as_bytes(), options)
}

/// The edges as `source>target` or `source>target:weight`, by user ids.
#[track_caller]
fn edges(text: &str, options: &LoadOptions) -> Vec<String> {
    let loaded = load(text, options).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let weighted = loaded.graph.has_weights();
    let graph = loaded.graph.weighted();
    let mut edges = Vec::new();
    for source in 0..graph.vertex_count() {
        for place in graph.out().range(source) {
            let target = graph.ids().get(graph.out().targets()[place]);
            let weight = graph.out_values()[place];
            let weight = if weighted { format!(":{weight}") } else { String::new() };
            edges.push(format!("{}>{target}{weight}", graph.ids().get(source)));
        }
    }
    edges.sort();
    edges
}

#[track_caller]
fn notes(text: &str, options: &LoadOptions) -> Vec<String> {
    load(text, options).unwrap().notes.iter().map(Note::to_string).collect()
}

#[test]
fn a_header_above_names_is_no_edge() {
    let text = "person,knows,years\nAlice,Bob,3\nBob,Carl,4\n";
    assert_eq!(edges(text, &auto()), ["Alice>Bob:3", "Bob>Carl:4"]);
    assert_eq!(
        notes(text, &auto()),
        [
            "line 1 («person,knows,years») was taken as a header, not as an edge",
            "edges lead from column «person» to column «knows», weights are in column «years»"
        ]
    );
    // Nor when the weights are not wanted.
    let plain = auto().with_weights(Weights::None);
    assert_eq!(edges(text, &plain), ["Alice>Bob", "Bob>Carl"]);
}

#[test]
fn a_header_of_three_names_is_told() {
    let text = "# c\na b c\n1 2 3\n";
    assert_eq!(edges(text, &auto()), ["1>2:3"]);
    let header = "line 2 («a b c») was taken as a header, not as an edge";
    assert_eq!(notes(text, &auto())[0], header);
    assert_eq!(notes("source,target\n1,2\n", &auto()).len(), 1);
    assert!(notes("1,2\n2,3\n", &auto()).is_empty());
}

#[test]
fn names_that_occur_once_may_be_a_header() {
    let text = "person,knows\nAlice,Bob\nBob,Carl\n";
    assert_eq!(edges(text, &auto()), ["Alice>Bob", "Bob>Carl", "person>knows"]);
    let told = notes(text, &auto());
    assert!(told[0].starts_with("line 1 («person,knows») was taken as an edge"), "{told:?}");
    let header = auto().with_header(Header::Yes);
    assert_eq!(edges(text, &header), ["Alice>Bob", "Bob>Carl"]);
    assert!(notes(text, &header).is_empty());
    assert!(notes(text, &auto().with_header(Header::No)).is_empty());
    for connected in ["Alice,Bob\nBob,Carl\nCarl,Dan\n", "a b\nc d\n", "a b\n"] {
        assert!(notes(connected, &auto()).is_empty(), "{connected:?}");
    }
}

#[test]
fn a_header_can_be_denied() {
    let no = auto().with_header(Header::No);
    assert_eq!(edges("from,to\nto,sea\n", &no), ["from>to", "to>sea"]);
    let error = load("from,to\n1,2\n", &no.with_ids(IdKind::Integer)).unwrap_err();
    assert!(matches!(error, LoadError::Line { line: 1, .. }), "{error}");
}

#[test]
fn columns_go_by_their_names() {
    let text = "id,from,to\n7,1,2\n8,2,3\n";
    assert_eq!(edges(text, &auto()), ["1>2", "2>3"]);
    let told = notes(text, &auto());
    assert_eq!(told[1], "edges lead from column «from» to column «to», no column has weights");
    assert_eq!(edges(",Source,Target\n0,5,6\n1,6,7\n", &auto()), ["5>6", "6>7"]);
    assert_eq!(edges("weight;dst;src\n0.5;b;a\n", &auto()), ["a>b:0.5"]);
    assert_eq!(edges("from\tto\tlabel\tweight\n1\t2\tx y\t3\n", &auto()), ["1>2:3"]);
    // A third column that cannot be a weight is none.
    assert_eq!(edges("from,to,label\n1,2,friend\n", &auto()), ["1>2"]);
    // Two pairs of names: the first two columns.
    assert_eq!(
        edges("src,source,target,dst\n1,2,3,4\n", &auto().with_weights(Weights::None)),
        ["1>2"]
    );
}

#[test]
fn columns_can_be_chosen() {
    let text = "id,a,b,c\n1,10,20,0.5\n2,20,30,1.5\n";
    assert_eq!(edges(text, &columns("a,b")), ["10>20", "20>30"]);
    assert_eq!(edges(text, &columns("b,a,c")), ["20>10:0.5", "30>20:1.5"]);
    assert_eq!(edges(text, &columns("2,3,C")), ["10>20:0.5", "20>30:1.5"]);
    let numbers = "1,10,20\n2,20,30\n";
    assert_eq!(edges(numbers, &columns("2,3")), ["10>20", "20>30"]);
    assert_eq!(edges(numbers, &columns("3,1")), ["20>1", "30>2"]);
    assert_eq!(edges("x 1 2 3\n# c\ny  2 3 4\n", &columns("1,4")), ["x>3", "y>4"]);
}

#[test]
fn columns_that_are_not_there() {
    let problem = |text: &str, options: &LoadOptions| match load(text, options) {
        Err(LoadError::Columns { problem, .. }) => problem,
        other => panic!("{other:?}"),
    };
    let text = "id,a,b,b\n1,2,3,4\n";
    assert!(matches!(problem(text, &columns("a,x")), ColumnsError::NotFound { .. }));
    assert_eq!(
        problem(text, &columns("a,x")).to_string(),
        "expected a column «x», found «id», «a», «b», «b»"
    );
    assert!(matches!(problem(text, &columns("a,b")), ColumnsError::Twice { .. }));
    assert!(matches!(problem(text, &columns("2,A")), ColumnsError::Same { .. }));
    let no_header = columns("a,b").with_header(Header::No);
    assert!(matches!(problem(text, &no_header), ColumnsError::NoHeader { .. }));
    assert!(matches!(
        problem(text, &columns("a,9")),
        ColumnsError::TooFew { number: 9, columns: 4 }
    ));
    let short = load("1,2,3\n4,5\n", &columns("1,3")).unwrap_err();
    assert!(matches!(short, LoadError::Line { line: 2, problem: LineError::Missing { .. }, .. }));
}

#[test]
fn formats_without_columns_refuse_the_choice() {
    let dimacs = b"p tw 2 1\n1 2\n";
    for (options, name) in
        [(columns("1,2"), "columns"), (auto().with_header(Header::Yes), "header")]
    {
        let error = parse_bytes(Format::Dimacs, dimacs, &options).unwrap_err();
        assert!(matches!(error, LoadError::NoChoice { option, .. } if option == name), "{error}");
    }
}

#[test]
fn quoted_fields_are_read() {
    let text = "Bob,\"Carl, Jr.\"\n\"Carl, Jr.\",\"say \"\"hi\"\"\"\n";
    assert_eq!(edges(text, &auto()), ["Bob>Carl, Jr.", "Carl, Jr.>say \"hi\""]);
    assert_eq!(edges("\"from\",\"to\"\n\"1\",\"2\"\n\"2\",\"3\"\n", &auto()), ["1>2", "2>3"]);
    assert_eq!(edges("1,2\n\"3\",4\n", &auto()), ["1>2", "3>4"]);
    assert_eq!(edges("\"a b\" \"c\" \"2\"\n", &auto()), ["a b>c:2"]);
    // A quoted text over two lines in a column that is not read.
    let text = "from,to,weight,text\n1,2,3,\"x\n9,9,9\n\"\n4,5,6,y\n";
    assert_eq!(edges(text, &auto()), ["1>2:3", "4>5:6"]);
    assert_eq!(edges(text, &columns("to,from")), ["2>1", "5>4"]);
    let late = format!("{}\"7\",8\n", "1,2\n".repeat(300_000));
    assert_eq!(load(&late, &auto()).unwrap().graph.vertex_count(), 4);
}

#[test]
fn quotes_that_are_not_csv() {
    let line = |text: &str| match load(text, &auto()) {
        Err(LoadError::Line { line, problem, .. }) => (line, problem),
        other => panic!("{text:?}: {other:?}"),
    };
    for text in
        ["a,b\nc,\"d\n", "a,b\nc,\"d\"e\n", "1,2\n\"3,4\n5,6\n", "1,2,3,x\n1,2,3,\"x\n1,2,3\n"]
    {
        let (number, problem) = line(text);
        assert!(number == 2 && matches!(problem, LineError::Quote { .. }), "{text:?}: {problem}");
    }
    // Inside a field, or between tabs, a quote is a quote.
    assert_eq!(edges("a 5\" disk,b\n", &auto()), ["a 5\" disk>b"]);
    assert_eq!(edges("\"a\tb\n", &auto()), ["\"a>b"]);
    let (number, problem) = line("1,2\n3,x\"\n");
    assert!(number == 2 && matches!(problem, LineError::NotAnInteger { .. }), "{problem}");
}

#[test]
fn empty_fields_are_not_skipped() {
    for text in ["1,2\n,3,4\n", "1,2\n3,,4\n", "1,2,1\n3,4,,5\n", "a,b\n,c\n", "1,2\n3,;4\n"] {
        match load(text, &auto()) {
            Err(LoadError::Line { line: 2, .. }) => {}
            other => panic!("{text:?}: {other:?}"),
        }
    }
    assert_eq!(edges("1,2,,\n3 ,\t4;\n", &auto()), ["1>2", "3>4"]);
}

#[test]
fn lists_of_edges_follow_the_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.txt");
    std::fs::write(&path, "1 2 0.5\n2 3 1.5\n").unwrap();
    let values = |weights| {
        let (list, ids) = load_edges(&path, &auto().with_weights(weights)).unwrap();
        assert_eq!((list.vertex_count, ids.len()), (3, 3));
        list.values
    };
    assert_eq!(values(Weights::Auto), [0.5, 1.5]);
    assert_eq!(values(Weights::Unit), [1.0, 1.0]);
    assert_eq!(values(Weights::None), [0.0; 0]);
    let few = load_edges(&path, &auto().with_max_vertices(2));
    assert!(matches!(few, Err(LoadError::TooManyVertices { vertices: 3, limit: 2, .. })));
}
