//! What `pregel info --fits` says beforehand, and what runs then take.

use serde_json::Value;

use crate::common::{Place, command};

/// Runs `pregel info GRAPH --fits TEXT OPTIONS`; returns its exit code, stdout and stderr.
fn info(place: &Place, graph: &str, text: &str, options: &str) -> (Option<i32>, String, String) {
    let mut command = command(&place.path(""), &format!("info {graph} {options} --fits"));
    let output = command.arg(text).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), out, err)
}

/// The bytes in the row of a table that begins with these words.
fn bytes_of(out: &str, name: &str) -> Option<u64> {
    let line = out.lines().find_map(|line| line.trim_start().strip_prefix(name))?;
    line.split_whitespace().next()?.replace(',', "").parse().ok()
}

#[test]
#[cfg(target_os = "linux")]
fn what_is_foreseen_is_what_runs_take() {
    let place = Place::new();
    // Snapshots, which take little more than the graph while they are read.
    for (name, spec) in
        [("undirected", "rmat:scale=18"), ("directed", "rmat:scale=18,sym=0,dedup=0")]
    {
        place.out(&format!("generate {spec} {name}.pregel --quiet"));
        let graph = format!("{name}.pregel");
        for algorithm in [
            "pagerank",
            "pagerank --precision f32",
            "bfs",
            "sssp",
            "hcc",
            "wcc",
            "kcore",
            "cdlp --supersteps 3",
            "pagerank --order degree --supersteps 3",
        ] {
            let (code, out, err) = info(&place, &graph, algorithm, "--engine cpu --quiet");
            assert_eq!(code, Some(0), "{name}, {algorithm}: {err}");
            assert!(out.contains("\nfits: the run adds "), "{out}");
            // A graph that would be copied in another order is put in it. Of a directed one, twice
            // as much would be moved.
            let moved = name == "undirected" && algorithm.starts_with("pagerank")
                || algorithm.contains("--order degree");
            let copied = bytes_of(&out, "run: renumbered graph");
            let in_order = bytes_of(&out, "graph: order of the vertices");
            assert_eq!(copied, None, "{name}, {algorithm}");
            assert_eq!(in_order.is_some(), moved, "{out}");
            let foreseen = bytes_of(&out, "peak ").unwrap();
            place.out(&format!("run {algorithm} {graph} --engine cpu -q --report report.json"));
            let report: Value = serde_json::from_str(&place.read("report.json")).unwrap();
            let taken = report["peak_memory_bytes"].as_u64().unwrap();
            let ratio = foreseen as f64 / taken as f64;
            eprintln!("{name}, {algorithm}: {foreseen} foreseen, {taken} taken, {ratio:.3}");
            assert!((0.9..1.1).contains(&ratio), "{name}, {algorithm}: {ratio}\n{out}");
        }
    }
}

#[test]
fn every_algorithm_is_foreseen() {
    let place = Place::with_graph();
    for algorithm in [
        "pagerank",
        "sssp",
        "hcc",
        "wcc",
        "scc",
        "bfs",
        "cdlp",
        "lcc",
        "triangles",
        "kcore",
        "widest",
        "katz",
        "eigenvector",
        "closeness",
        "harmonic",
        "mis",
        "colouring",
        "apsp",
        "bfs --parents",
        "sssp --sources 3",
        "apsp --method floyd",
        "pagerank --source 3",
    ] {
        let (code, out, err) = info(&place, "graph.txt", algorithm, "--engine cpu");
        assert_eq!(code, Some(0), "{algorithm}: {err}");
        assert!(out.contains(&format!("memory of {algorithm}\n")), "{algorithm}: {out}");
        assert!(bytes_of(&out, "graph: rows ").is_some(), "{algorithm}: {out}");
        assert!(out.contains("run: "), "{algorithm}: {out}");
    }
    // A file is read with the weights that the algorithm uses.
    let held =
        |algorithm| bytes_of(&info(&place, "graph.txt", algorithm, "").1, "graph: edge values");
    assert_eq!((held("bfs").is_some(), held("sssp").is_some()), (false, true));
    assert_eq!(place.files(), ["graph.txt"]);
}

#[test]
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
fn a_gpu_need_not_be_there() {
    let place = Place::with_graph();
    for algorithm in ["pagerank", "wcc", "triangles", "scc", "apsp", "closeness"] {
        let (_, out, err) = info(&place, "graph.txt", algorithm, "--engine cuda");
        assert!(out.contains(&format!("memory of {algorithm} on ")), "{algorithm}: {out}{err}");
        assert!(bytes_of(&out, "all of it ").unwrap() > 0, "{algorithm}: {out}");
    }
}

#[test]
fn a_run_that_does_not_fit_is_an_error() {
    let place = Place::new();
    // A matrix of 16 TiB for distances, and as much for paths.
    place.write(
        "far.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n2000000 2000000 1\n1 2\n",
    );
    let text = "apsp --method floyd";
    let (code, out, err) = info(&place, "far.mtx", text, "--engine cpu");
    if cfg!(target_os = "linux") {
        assert_eq!(code, Some(1), "{out}");
        assert!(out.contains("does not fit: the run adds 14.6 TiB, "), "{out}");
        assert!(err.contains("error: does not fit: "), "{err}");
    }
}

#[test]
fn what_cannot_be_foreseen_is_refused() {
    let place = Place::with_graph();
    for (text, options, words) in [
        ("", "", "expected an algorithm"),
        ("bfs --help", "", "expected an algorithm"),
        ("nonsense", "", "nonsense"),
        ("bfs --damping 0.5", "", "--damping means nothing to bfs"),
        ("bfs --undirected", "", "--undirected is an option of pregel info"),
        ("bfs --output levels.tsv", "", "leave --output out"),
        ("bfs --checkpoint saved", "", "leave --checkpoint out"),
        ("bfs", "--engine reference", "--engine cpu, cuda and auto"),
    ] {
        let (code, out, err) = info(&place, "graph.txt", text, options);
        assert_eq!((code, &*out), (Some(2), ""), "{text}: {err}");
        assert!(err.contains(words), "{text}: {err}");
    }
    assert_eq!(place.files(), ["graph.txt"]);
    place.refuses("info graph.txt --engine cpu", 2, &["--fits"]);
}
