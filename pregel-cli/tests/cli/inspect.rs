//! Programs of the gallery, looking inside a run, and a crate of one's own.

use crate::common::Place;

#[test]
fn programs_of_the_gallery_verify() {
    let place = Place::new();
    let graphs = ["rmat:scale=9", "rmat:scale=8,sym=0,dedup=0", "grid:rows=12,cols=15,drop=80"];
    for algorithm in [
        "mis",
        "mis --seed 7",
        "colouring",
        "colouring --seed 7",
        "katz",
        "widest",
        "closeness --sources 70",
    ] {
        for graph in graphs {
            for way in ["--engine reference", "--engine cpu", "--engine cpu --strategy mailbox"] {
                place.out(&format!("run {algorithm} {graph} --verify {way}"));
            }
        }
    }
    let place = Place::with_graph();
    assert_eq!(
        place.out("run widest graph.txt --source 1 -q -o -"),
        "1\tinf\n2\t0.5\n3\t2\n10\t0\n20\t0\n"
    );
    let katz = place.out("run katz graph.txt --attenuation 0.5 -q -o -");
    assert_eq!(katz, "1\t1\n2\t1.5\n3\t2.25\n10\t1\n20\t1.5\n");
    place.out("run eigenvector rmat:scale=8 --verify");
    place.refuses("run eigenvector graph.txt --verify", 1, &["did not converge", "Without cycles"]);
    let near = place.out("run closeness graph.txt --verify -q -o -");
    assert_eq!(near, "1\t0\n2\t0.25\n3\t0.5\n10\t0\n20\t0.25\n");
    let near = place.out("run harmonic graph.txt --verify -q -o -");
    assert_eq!(near, "1\t0\n2\t1\n3\t2\n10\t0\n20\t1\n");
    // One of five sources counts five times.
    place.write("one.txt", "1\n");
    let near = place.out("run harmonic graph.txt --sources one.txt -q -o -");
    assert_eq!(near, "1\t0\n2\t5\n3\t5\n10\t0\n20\t0\n");
    let set = place.out("run mis graph.txt --weights none");
    assert!(set.contains(" in the set ("), "{set}");
    let colours = place.out("run colouring graph.txt");
    assert!(colours.contains("3 colours\n"), "{colours}");
    place.refuses(
        "run bfs graph.txt --seed 3",
        2,
        &["--seed means nothing to bfs", "mis and colouring"],
    );
    place.refuses("run katz graph.txt --attenuation 0", 2, &["--attenuation"]);
}

#[test]
fn katz_says_that_it_did_not_converge() {
    let place = Place::new();
    place.write("loop.txt", "1 1\n");
    place.refuses("run katz loop.txt --attenuation 2 --verify", 1, &["did not converge"]);
}

#[test]
fn a_vertex_is_followed() {
    let place = Place::with_graph();
    let out = place.out("run sssp graph.txt --source 1 --follow 3");
    let history = "what happened to 3, which is vertex 2 in states and messages

superstep 0
  state     inf
  vote      Halt
superstep 1
  messages  2.0 from 1
  state     inf → 2.0
  vote      Scatter
superstep 2
  messages  1.5 from 2
  state     2.0 → 1.5
  vote      Scatter
";
    assert!(out.contains(history), "{out}");
    // Lists are followed too, and so are programs that take inputs.
    let out = place.out("run cdlp graph.txt --follow 20 --supersteps 2");
    assert!(out.contains("superstep 1\n  messages  3 from 10\n  state     4 → 3\n"), "{out}");
    place.out("run pagerank graph.txt --source 1 --follow 20");
    place.refuses("run bfs graph.txt --follow 99", 1, &["vertex «99» is not in graph.txt"]);
    place.refuses("run wcc graph.txt --follow 1", 2, &["--follow is for a single run", "hcc is"]);
    place.refuses("run bfs graph.txt --sources 2 --follow 1", 2, &["--sources and --follow"]);
}

#[test]
fn programs_are_checked() {
    let place = Place::new();
    for run in ["bfs", "sssp", "hcc", "kcore", "cdlp", "mis", "widest", "katz"] {
        let done = place.pregel(&format!("run {run} rmat:scale=7 --check"));
        assert_eq!(done.code, Some(0), "{run}: {}", done.err);
        let said = format!(
            "{run} passes --check: all strategies agree with the reference, here and on 40 parts of \
             the graph; its combiner keeps the laws with messages from these runs"
        );
        assert!(done.err.contains(&said), "{}", done.err);
    }
    place.refuses("run triangles rmat:scale=7 --check", 2, &["--check is for a single run"]);
    for run in [
        "bfs rmat:scale=7 --parents",
        "sssp rmat:scale=7 --parents",
        "sssp rmat:scale=7 --target 1",
    ] {
        place.refuses(&format!("run {run} --check"), 2, &["several results of", "--verify"]);
    }
}

#[test]
fn a_timeline_has_every_superstep() {
    let place = Place::with_graph();
    place.out("run bfs graph.txt --source 1 --trace times.json");
    let timeline: serde_json::Value = serde_json::from_str(&place.read("times.json")).unwrap();
    let events = timeline["traceEvents"].as_array().unwrap();
    let spans = events.iter().filter(|event| event["ph"] == "X");
    let names: Vec<&str> = spans.map(|event| event["name"].as_str().unwrap()).collect();
    assert_eq!(&names[..3], ["load", "prepare", "run on cpu"]);
    assert!(names.contains(&"superstep 0") && names.contains(&"superstep 1"), "{names:?}");
    for event in events.iter().filter(|event| event["ph"] == "X") {
        assert!(event["ts"].as_f64().unwrap() >= 0.0 && event["dur"].as_f64().unwrap() >= 0.0);
    }
    place.refuses("run bfs graph.txt --trace graph.txt", 2, &["is an input of this command"]);
}

/// What a page must not have: anything that it would fetch, or that runs.
fn needs_nothing(page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</body></html>\n"));
    for foreign in ["src=", "href=", "<link", "<script", "url(", "@import"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for tag in ["table", "tr", "td", "p", "ul", "figure", "svg", "text"] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn a_page_shows_a_run() {
    let place = Place::with_graph();
    for run in ["bfs --source 1", "sssp --source 1", "hcc", "wcc", "pagerank", "cdlp", "triangles"]
    {
        place.out(&format!("run {run} graph.txt --html page.html --report report.json"));
        let page = place.read("page.html");
        needs_nothing(&page);
        assert_eq!(page.matches("<svg").count(), 2, "{run}");
        let report: serde_json::Value = serde_json::from_str(&place.read("report.json")).unwrap();
        let values = &report["values"];
        let counted: u64 = values["bins"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bin| bin["count"].as_u64().unwrap())
            .sum();
        let without = values["without"].as_u64().unwrap();
        if values["counted"] == "vertices" {
            assert_eq!(counted + without, 5, "{run}");
        }
        let degrees = &report["graph"]["degrees"];
        assert_eq!([&degrees[0]["name"], &degrees[1]["name"]], ["out-degree", "in-degree"]);
    }
    // An id is whatever the user calls it.
    place.write("names.txt", "<b>&\t\"x\"\n");
    place.out("run pagerank names.txt --html page.html");
    needs_nothing(&place.read("page.html"));
    assert!(place.read("page.html").contains("&lt;b&gt;&amp;"));
    let page = place.out("run bfs graph.txt --source 1 --html -");
    needs_nothing(&page);
    place.refuses("run bfs graph.txt --html graph.txt", 2, &["is an input of this command"]);
    place.refuses("run bfs graph.txt --html a --report a", 2, &["would be written twice"]);
}

#[test]
fn two_runs_are_compared() {
    let place = Place::with_graph();
    place.out("run bfs graph.txt --source 1 --strategy push --report a.json");
    place.out("run sssp graph.txt --source 1 --trials 3 --report b.json");
    let out = place.out("compare a.json b.json --html both.html");
    let line = |name: &str| out.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
    assert!(line("algorithm").contains("bfs") && line("algorithm").contains("sssp"));
    assert!(line("engine").contains("cpu (push)") && line("engine").contains("cpu (auto)"));
    let supersteps = |file: &str| -> f64 {
        let report: serde_json::Value = serde_json::from_str(&place.read(file)).unwrap();
        report["trials"][0]["supersteps"].as_f64().unwrap()
    };
    let ratio = format!("{:.2}", supersteps("b.json") / supersteps("a.json"));
    assert!(line("supersteps").trim_end().ends_with(&ratio), "{out}");
    let page = place.read("both.html");
    needs_nothing(&page);
    assert!(page.contains("A: active vertices") && page.contains("B: messages"));
    place.refuses("compare a.json graph.txt", 1, &["graph.txt is not a report that"]);
    place.refuses("compare a.json missing.json", 1, &["cannot read missing.json"]);
    place.refuses("compare a.json b.json --html a.json", 2, &["is an input of this command"]);
    // Every report can be shown, whatever its numbers are.
    let mut wild: serde_json::Value = serde_json::from_str(&place.read("b.json")).unwrap();
    wild["supersteps"][0]["seconds"] = 1e300.into();
    wild["supersteps"][1]["messages"] = u64::MAX.into();
    place.write("wild.json", &wild.to_string());
    place.out("compare wild.json a.json --html wild.html");
}

#[test]
fn a_new_crate_is_made_once() {
    let place = Place::new();
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let out = place.out(&format!("new my-search --path {sources}"));
    assert!(out.starts_with("made the crate my-search in my-search\n"), "{out}");
    assert_eq!(
        place.files_in("my-search"),
        [".gitignore", "Cargo.toml", "README.md", "build.rs", "programs", "src"]
    );
    let manifest = place.read("my-search/programs/Cargo.toml");
    assert!(manifest.contains("name = \"my-search-programs\""), "{manifest}");
    assert!(manifest.contains("/pregel-core\", version = \"0.1.0\", default-features = false }"));
    assert!(place.read("my-search/src/main.rs").contains("use my_search_programs::{Hops"));
    place.refuses("new my-search", 1, &["there is a my-search already"]);
    place.refuses("new My-Search", 2, &["cannot be the name of a crate"]);
    place.refuses("new other --path my-search", 1, &["there is no pregel-cli/Cargo.toml in it"]);
    place.out("new published");
    let manifest = place.read("published/Cargo.toml");
    assert!(manifest.contains("\npregel-core = { version = \"0.1.0\" }\n"), "{manifest}");
}

#[test]
fn shells_complete_and_manuals_are_written() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.out(&format!("completions {shell}"));
        assert!(script.contains("pagerank") && script.contains("strategy"), "{shell}");
    }
    place.refuses("completions tcsh", 2, &["tcsh", "bash"]);
    place.out("man pages");
    let pages = place.files_in("pages");
    assert!(pages.contains(&"pregel.1".to_owned()) && pages.contains(&"pregel-run.1".to_owned()));
    let run = place.read("pages/pregel-run.1");
    assert!(run.contains(".TH pregel-run 1") && run.contains("damping"), "{run}");
    place.write("file", "");
    place.refuses("man file", 1, &["cannot make the folder file"]);
}

/// The page is made by `cargo run -p pregel-cli -- reference >docs/src/command-line-reference.md`.
#[test]
fn the_book_has_the_reference_of_this_command_line() {
    let page = Place::new().out("reference");
    let committed = include_str!("../../../docs/src/command-line-reference.md");
    assert!(page == committed, "docs/src/command-line-reference.md is out of date:\n{page}");
}
