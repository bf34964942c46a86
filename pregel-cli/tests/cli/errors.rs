//! What goes wrong: one readable message, the right exit code, no files.

use crate::common::Place;

const FAILED: i32 = 1;
const USAGE: i32 = 2;

#[test]
fn commands_that_make_no_sense() {
    let place = Place::with_graph();
    place.refuses("run", USAGE, &["<ALGO>"]);
    place.refuses("run pagerank", USAGE, &["<GRAPH>"]);
    place.refuses("walk graph.txt", USAGE, &["walk"]);
    let suggestion = ["invalid value 'pagernk'", "similar value exists: 'pagerank'"];
    place.refuses("run pagernk graph.txt", USAGE, &suggestion);
    for engine in ["gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0"] {
        let expected = ["--engine", "auto, cpu, cuda, cuda:N or reference"];
        place.refuses(&format!("run bfs graph.txt --engine {engine}"), USAGE, &expected);
    }
    for sort in ["log:3", "linear:x", "linear", "region"] {
        let expected = ["--gpu-sort", "none, log, linear:N, stable or exact"];
        place.refuses(&format!("run bfs graph.txt --gpu-sort {sort}"), USAGE, &expected);
    }
    for option in ["--gpu-hot", "--gpu-bins", "--gpu-resident", "--gpu-priority"] {
        let expected = [option, "auto, on, off"];
        place.refuses(&format!("run bfs graph.txt {option} maybe"), USAGE, &expected);
    }
    for option in ["--threads 0", "--trials 0", "--threads -1", "--trials many"] {
        let (name, value) = option.split_once(' ').unwrap();
        let words = [name, &format!("'{value}'"), "expected a whole number from 1"];
        place.refuses(&format!("run bfs graph.txt {name}={value}"), USAGE, &words);
    }
    let words = ["'x' for '--supersteps", "expected a whole number from 0 to 4294967295"];
    place.refuses("run bfs graph.txt --supersteps x", USAGE, &words);
    place.refuses("run bfs graph.txt --directed --undirected", USAGE, &["--undirected"]);
    place.refuses(
        "run pagerank graph.txt --damping 1.5",
        USAGE,
        &["expected a number from 0 to 1"],
    );
    place.refuses(
        "run pagerank graph.txt --damping -0.1",
        USAGE,
        &["expected a number from 0 to 1"],
    );
    place.refuses("run pagerank graph.txt --damping x", USAGE, &["expected a number from"]);
    place.refuses("run pagerank graph.txt --tolerance NaN", USAGE, &["expected a number"]);
    place.refuses("run sssp graph.txt --delta 0", USAGE, &["expected a number greater than 0"]);
    place.refuses("run bfs graph.txt --max-decompressed 1X", USAGE, &["64M"]);
}

#[test]
fn an_algorithm_without_run() {
    let place = Place::with_graph();
    for algorithm in ["pagerank", "wcc"] {
        let tip = format!("'pregel run {algorithm} <GRAPH>'");
        let words = ["unrecognized subcommand", "is an algorithm", &tip];
        place.refuses(&format!("{algorithm} graph.txt"), USAGE, &words);
    }
}

#[test]
fn a_slip_does_not_start_a_million_threads() {
    let expected = ["--threads", "from 1 to 4096"];
    Place::with_graph().refuses("info graph.txt --threads 1000000", USAGE, &expected);
}

#[test]
fn weights_mean_one_thing() {
    let place = Place::new();
    // Which weights to read, for commands that read; whether to write them is another option.
    let words = ["'--weights'", "'--weighted'"];
    place.refuses("generate rmat:scale=8 g.tsv --weights", USAGE, &words);
}

#[test]
fn options_that_contradict() {
    let place = Place::with_graph();
    let damping = ["--damping means nothing to bfs; it is for pagerank"];
    place.refuses("run bfs graph.txt --damping 0.5", USAGE, &damping);
    let target = ["--target means nothing to hcc; it is for sssp and bfs"];
    place.refuses("run hcc graph.txt --target 1", USAGE, &target);
    let both = ["--source and --personalize exclude each other"];
    place.refuses("run pagerank graph.txt --source 1 --personalize graph.txt", USAGE, &both);
    for option in ["--source 1", "--target 1", "--parents", "--checkpoint d", "--resume d"] {
        let words = [option.split(' ').next().unwrap(), "exclude each other"];
        place.refuses(&format!("run bfs graph.txt --sources 2 {option}"), USAGE, &words);
    }
    let many = ["--sources means nothing to hcc; it is for sssp and bfs"];
    place.refuses("run hcc graph.txt --sources 2", USAGE, &many);
    for number in ["0", "-1", "99999999999999999999"] {
        let words = ["a whole number from 1, or a file of vertex ids"];
        place.refuses(&format!("run bfs graph.txt --sources={number}"), USAGE, &words);
    }
    let sym = ["--undirected is for files", "sym=0"];
    place.refuses("run bfs rmat:scale=8 --undirected", USAGE, &sym);
    for option in ["--duplicates first", "--header yes", "--columns 2,1"] {
        let words = [option.split(' ').next().unwrap(), "is for files"];
        place.refuses(&format!("info rmat:scale=8 {option}"), USAGE, &words);
    }
    place.out("generate rmat:scale=4 g.pregel");
    let words = ["g.pregel: snapshot files have no header to choose"];
    place.refuses("info g.pregel --header yes", FAILED, &words);
    let words = ["g.pregel: snapshot files have no columns to choose"];
    place.refuses("info g.pregel --columns 2,1", FAILED, &words);
    place.refuses("info graph.txt --columns 2", USAGE, &["FROM,TO"]);
    let program = ["wcc is not a vertex program", "hcc computes the same"];
    place.refuses("run wcc graph.txt --engine reference", USAGE, &program);
    let program = ["lcc is not a vertex program and does not run on --engine reference"];
    place.refuses("run lcc graph.txt --engine reference", USAGE, &program);
    place.refuses("run lcc graph.txt --supersteps 3", USAGE, &["lcc has no strategies"]);
    for option in ["--strategy push", "--order degree", "--order given", "--supersteps 3"] {
        place.refuses(&format!("run wcc graph.txt {option}"), USAGE, &["label propagation (hcc)"]);
    }
    let strategy = ["--strategy pull is for --engine cpu"];
    place.refuses("run bfs graph.txt --engine reference --strategy pull", USAGE, &strategy);
    let order = ["--order degree is for --engine cpu"];
    place.refuses("run bfs graph.txt --engine reference --order degree", USAGE, &order);
    place.out("run bfs graph.txt --engine reference --order given");
    for engine in ["auto", "cpu", "reference"] {
        let medusa = ["--strategy medusa is for --engine cuda"];
        let command = format!("run bfs graph.txt --engine {engine} --strategy medusa");
        place.refuses(&command, USAGE, &medusa);
    }
    let layouts = [
        "--gpu-sort none",
        "--gpu-group 32",
        "--gpu-whole-hubs",
        "--gpu-hot off",
        "--gpu-bins on",
        "--gpu-resident on",
        "--gpu-priority on",
    ];
    for option in layouts {
        let layout = [option.split(' ').next().unwrap(), "is for --engine cuda"];
        place.refuses(&format!("run bfs graph.txt --engine cpu {option}"), USAGE, &layout);
        let nothing = [option.split(' ').next().unwrap(), "means nothing to wcc"];
        place.refuses(&format!("run wcc graph.txt --engine cuda {option}"), USAGE, &nothing);
    }
}

#[test]
fn gpus_that_are_not_there() {
    let place = Place::with_graph();
    // Whatever this machine has: said before the graph is read.
    for algorithm in ["bfs", "wcc"] {
        let command = format!("run {algorithm} missing.txt --engine cuda:4096");
        place.refuses(&command, FAILED, &["driver"]);
    }
}

#[test]
fn specs_that_cannot_be() {
    let place = Place::new();
    place.refuses("run bfs rmat:scale=99", USAGE, &["rmat:scale=99"]);
    place.refuses("run bfs rmat:size=3", USAGE, &["rmat:size=3", "size"]);
    let words = ["unknown option «scal»", "did you mean scale?"];
    place.refuses("run bfs rmat:scal=10", USAGE, &words);
    place.refuses("generate rmat:scal=10 out.pregel", USAGE, &words);
    place.refuses("run bfs rmat:ef=8", USAGE, &["scale=NUMBER is missing"]);
    let words = ["«rmt:scale=10» is neither a file nor a generator spec", "rmat:"];
    place.refuses("run bfs rmt:scale=10", USAGE, &words);
    place.refuses("generate web.txt out.pregel", USAGE, &["«web.txt» is not a generator spec"]);
}

#[test]
fn graphs_that_cannot_be_read() {
    let place = Place::new();
    place.write("bad.txt", "1 2\n3 x\n");
    place.write("empty.txt", "# nothing\n");
    std::fs::create_dir(place.path("folder")).unwrap();
    place.refuses("run bfs none.txt", FAILED, &["cannot read none.txt", "No such file"]);
    place.refuses("info folder", FAILED, &["folder", "directory"]);
    place.refuses("run bfs bad.txt", FAILED, &["bad.txt, line 2: expected", "«x»"]);
    place.refuses("run bfs empty.txt", FAILED, &["empty.txt"]);
    place.refuses("run bfs bad.txt --input-format snapshot", FAILED, &["expected a snapshot"]);
}

#[test]
fn vertices_that_are_not_there() {
    let place = Place::with_graph();
    let sparse = ["vertex «4» is not in graph.txt; its ids are 5 integers between 1 and 20"];
    place.refuses("run bfs graph.txt --source 4", FAILED, &sparse);
    place.refuses("run pagerank graph.txt --source x", FAILED, &["vertex «x» is not in"]);
    place.refuses("run bfs graph.txt --source 1 --target 99", FAILED, &["vertex «99»"]);
    let range = ["vertex «256» is not in rmat:scale=8; its ids are the integers 0 to 255"];
    place.refuses("run sssp rmat:scale=8 --source 256", FAILED, &range);
    place.write("names.csv", "a,b\nb,c\n");
    place.refuses("run bfs names.csv --source z", FAILED, &["names such as «a» and «c»"]);
    place.write("teleport.tsv", "1\t1\n4\t1\n");
    let line = ["teleport.tsv:2: vertex «4» is not in the graph"];
    place.refuses("run pagerank graph.txt --personalize teleport.tsv", FAILED, &line);
    place.refuses("run pagerank graph.txt --personalize none", FAILED, &["cannot read none"]);
}

#[test]
fn sources_that_are_not_there() {
    let place = Place::with_graph();
    place.write("sources", "1\n\n4\n");
    let words = ["sources:3: vertex «4» is not in the graph; its ids are 5 integers between 1"];
    place.refuses("run bfs graph.txt --sources sources", FAILED, &words);
    place.refuses("run bfs graph.txt --sources none", FAILED, &["cannot read none"]);
    place.write("sources", "# none\n");
    let words = ["sources: there is no source in it"];
    place.refuses("run sssp graph.txt --sources sources", FAILED, &words);
    let words = ["has no vertex with an out-edge"];
    place.refuses("run sssp uniform:n=5,m=0 --sources 3", FAILED, &words);
    let words = ["sources is an input of this command"];
    place.refuses("run bfs graph.txt --sources sources -o sources", USAGE, &words);
}

#[test]
fn weights_that_an_algorithm_refuses() {
    let place = Place::new();
    place.write("negative.txt", "1 2 3\n2 3 -1\n");
    let edge = ["edge 2 → 3", "negative"];
    for engine in ["cpu", "reference"] {
        place.refuses(&format!("run sssp negative.txt --engine {engine}"), FAILED, &edge);
    }
    place.refuses("run pagerank negative.txt", FAILED, &["edge 2 → 3 is -1"]);
    place.out("run sssp negative.txt --weights none");
    place.out("run bfs negative.txt");
}

#[test]
fn a_result_cut_short_does_not_verify() {
    let place = Place::new();
    place.write("path.txt", "1 2\n2 3\n3 4\n");
    let words = ["the result of trial 1 is wrong (the superstep limit ended the run)", "2 → 3"];
    let run = "run bfs path.txt --source 1 --supersteps 1 --verify -o out.tsv --report r.json";
    place.refuses(run, FAILED, &words);
}

#[test]
fn places_that_cannot_be_written_are_found_before_the_run() {
    let place = Place::with_graph();
    std::fs::create_dir(place.path("folder")).unwrap();
    // The graph does not exist: a message about the output came first.
    place.refuses("run bfs none.txt -o no/out.tsv", FAILED, &["cannot write no/out.tsv: No such"]);
    place.refuses("run bfs none.txt -o folder", FAILED, &["folder: it is a folder"]);
    place.refuses("run bfs none.txt --report no/r.json", FAILED, &["cannot write no/r.json"]);
    place.refuses("info none.txt --plot no/p.svg", FAILED, &["cannot write no/p.svg"]);
    place.refuses("convert none.txt no/out.mtx", FAILED, &["cannot write no/out.mtx"]);
    place.refuses("convert none.txt out.xyz", USAGE, &["out.xyz", ".pregel, .mtx"]);
    place.refuses("convert none.txt out.gr", USAGE, &["out.gr", "not written as dimacs", ".tsv"]);
    let words = ["--output-format", "edge-list, matrix-market, parquet, snapshot"];
    place.refuses("convert none.txt out --output-format dimacs", USAGE, &words);
    place.refuses("generate rmat:scale=30 out.xyz", USAGE, &["out.xyz"]);
    place.refuses("generate rmat:scale=8 -", USAGE, &["graphs are written to files"]);
}

#[test]
fn inputs_are_never_overwritten() {
    let place = Place::with_graph();
    let before = place.read("graph.txt");
    let input = ["graph.txt is an input of this command"];
    place.refuses("run bfs graph.txt -o graph.txt", USAGE, &input);
    place.refuses("run bfs graph.txt -o ./graph.txt", USAGE, &input);
    place.refuses("run bfs graph.txt --report graph.txt", USAGE, &input);
    place.refuses("convert graph.txt graph.txt", USAGE, &input);
    place.refuses("info graph.txt --plot graph.txt", USAGE, &input);
    place.refuses("run bfs graph.txt -o new --report new", USAGE, &["new would be written twice"]);
    let twice = ["standard output would be written twice"];
    place.refuses("run bfs graph.txt -o - --report -", USAGE, &twice);
    place.refuses("run pagerank graph.txt --personalize t -o t", FAILED, &["cannot read t"]);
    assert_eq!(place.read("graph.txt"), before);
}

#[test]
fn files_that_belong_to_an_input_are_never_overwritten() {
    let place = Place::new();
    let files = [
        ("ex.v", "1\n2\n3\n"),
        ("ex.e", "1 2\n2 3\n"),
        ("ex.properties", "graph.ex.directed = true\n"),
    ];
    for (name, text) in files {
        place.write(name, text);
    }
    for input in ["ex", "ex.v", "ex.e", "ex.properties"] {
        for (output, _) in files {
            let words = [&format!("{output} is an input of this command")[..]];
            place.refuses(&format!("run bfs {input} -o {output}"), USAGE, &words);
            place.refuses(&format!("run bfs {input} --report {output}"), USAGE, &words);
            let convert = format!("convert {input} {output} --output-format edge-list");
            place.refuses(&convert, USAGE, &words);
        }
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.path("ex.e"), place.path("link.tsv")).unwrap();
        let words = ["link.tsv is an input of this command"];
        place.refuses("run bfs ex -o link.tsv", USAGE, &words);
    }
    for (name, text) in files {
        assert_eq!(place.read(name), text);
    }
    place.out("run bfs ex -o levels.tsv");
}

#[test]
fn names_that_promise_another_form() {
    let place = Place::with_graph();
    for name in ["ranks.json", "ranks.mtx", "ranks.tsv.bz2", "ranks.XLSX"] {
        let words = [name, "results are not written as", ".tsv, .csv"];
        place.refuses(&format!("run pagerank graph.txt -o {name}"), USAGE, &words);
    }
    for name in ["degrees.png", "degrees.pdf.gz", "degrees.SVGZ"] {
        let words = [name, "written as SVG only; call it degrees.svg"];
        place.refuses(&format!("info graph.txt --plot {name}"), USAGE, &words);
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_needs_a_feature() {
    let place = Place::with_graph();
    let words = ["built without Parquet", "--features parquet"];
    place.refuses("run bfs graph.txt -o out.parquet", USAGE, &words);
    for out in ["votes.parquet", "votes.PARQUET", "votes --output-format parquet"] {
        let words = ["votes", "writing parquet needs the feature `parquet`"];
        place.refuses(&format!("convert none.txt {out}"), USAGE, &words);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_compresses_by_itself() {
    let place = Place::with_graph();
    let words = ["compressed already", "out.parquet"];
    place.refuses("run bfs graph.txt -o out.parquet.gz", USAGE, &words);
}
