#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;

use super::*;
use crate::graph::{edge_hash, weight_sum};

fn spec(text: &str) -> Spec {
    text.parse().unwrap()
}

/// Compares a generated graph with the figures published for it.
fn check(text: &str, vertices: u32, edges: u64, hash: u64, weights: u64, sources: &[VertexId]) {
    let spec = spec(text);
    let graph = spec.weighted().unwrap();
    assert_eq!(graph.vertex_count(), vertices, "{text}");
    assert_eq!(graph.edge_count(), edges, "{text}");
    assert_eq!(edge_hash(&graph), hash, "{text}");
    assert_eq!(weight_sum(&graph), weights, "{text}");
    assert_eq!(spec.sources(&graph, sources.len()), sources, "{text}");
    assert_eq!(graph.directed(), !spec.sym, "{text}");
}

#[test]
fn small_graphs_have_the_published_hashes() {
    check("rmat:scale=10", 1_024, 20_870, 0x759a_0b27_622f_4294, 2_670_016, &[]);
    check(
        "rmat:scale=10,perm=0,dedup=0,sym=0",
        1_024,
        16_384,
        0x6116_ece6_dd4d_be02,
        2_113_620,
        &[],
    );
    check("uniform:n=1000,m=16000", 1_000, 31_454, 0xbf7a_0cde_f67e_f23d, 4_056_276, &[]);
    check(
        "grid:rows=30,cols=40,drop=50,maxw=1000",
        1_200,
        4_418,
        0x9692_cb4a_f492_7fdd,
        2_213_376,
        &[],
    );
    check(
        "rmat:scale=16,seed=7",
        65_536,
        1_818_950,
        0x38bd_f3d7_9ec2_6f3d,
        232_619_552,
        &[24425, 4399, 1562],
    );
}

/// The figures of a second program, written from the definitions.
#[test]
fn the_newer_options_have_their_hashes() {
    check(
        "rmat:scale=10,n=1500,m=20000,a=0.4325,b=0.15,c=0.15,d=0.2675,sym=0,dedup=0",
        1_500,
        20_000,
        0x1c16_eca9_0abd_31c7,
        2_552_129,
        &[1184, 655, 1150],
    );
    check("rmat:scale=5,n=1000,m=300,seed=9", 1_000, 226, 0x349d_1fb7_4f2e_ba84, 29_586, &[905]);
    check(
        "rmat:scale=8,m=1000,a=0.333333,b=0.333333,c=0.333333,d=0",
        256,
        1_704,
        0x74e1_4e27_9ba3_56a5,
        226_798,
        &[202, 255, 111],
    );
    for (degree, edges, hash, weights) in [
        (6, 6_922, 0xb0c9_5805_4495_a4eb, 884_312),
        (8, 9_184, 0xf18e_e44a_a8ad_fa9e, 1_165_436),
        (12, 13_704, 0x3639_743f_61b0_c00e, 1_742_432),
        (16, 17_960, 0x74a1_1631_0d38_79e1, 2_279_304),
    ] {
        let text = format!("lattice:rows=30,cols=40,degree={degree}");
        check(&text, 1_200, edges, hash, weights, &[947, 1196, 524]);
    }
    check(
        "lattice:rows=30,cols=40,degree=8,hubs=5,hubdegree=90,seed=2",
        1_200,
        10_214,
        0x3599_1e60_bbb6_80f3,
        1_320_788,
        &[1130, 898, 1169],
    );
    check(
        "lattice:rows=30,cols=40,degree=6,hubs=10",
        1_200,
        18_016,
        0xbf44_19eb_2052_5b0e,
        2_295_060,
        &[],
    );
    check(
        "lattice:rows=30,cols=40,degree=16,hubs=1,sym=0,dedup=0",
        1_200,
        10_580,
        0x88a9_e2ef_ab59_3e5d,
        1_338_944,
        &[],
    );
    for (options, edges, hash, weights) in [
        ("m=2400", 2_400, 0x1267_e28e_b880_87ec, 309_868),
        ("m=2900", 2_900, 0xf9a6_5d55_e104_679e, 371_732),
        ("m=2300", 2_300, 0xb260_dda4_2068_ecf4, 296_155),
        ("m=2400,seed=5,sym=1,dedup=1", 4_734, 0xaec2_542e_2103_a8e9, 611_940),
    ] {
        let text = format!("indegree:n=1000,max=90,receivers=500,s=1.25,q=7.5,{options}");
        check(&text, 1_000, edges, hash, weights, &[]);
    }
}

#[test]
fn rmat_scale_20_has_the_published_hash() {
    check(
        "rmat:scale=20",
        1_048_576,
        31_395_922,
        0xdf5a_5c9e_ef0d_e4d5,
        4_019_733_974,
        &[828_206, 1_045_155, 458_451],
    );
}

#[test]
fn large_graphs_have_the_hashes_of_a_second_program() {
    for (text, hash) in [
        (
            "rmat:scale=19,n=1000000,m=16000000,a=0.4325,b=0.15,c=0.15,d=0.2675,sym=0,dedup=0",
            0x04cf_21b7_bfea_3c3e,
        ),
        (
            "indegree:n=107614,m=13673453,max=17058,receivers=107506,s=1.7502,q=612.6",
            0xe3e8_b6d7_0838_717a,
        ),
    ] {
        assert_eq!(edge_hash(&spec(text).plain().unwrap()), hash, "{text}");
    }
}

#[test]
fn specs_are_written_as_they_are_read() {
    for text in [
        "rmat:scale=20",
        "rmat:scale=0,ef=3,perm=0,seed=0,sym=0,dedup=0,maxw=9,wseed=4",
        "uniform:n=0,m=0",
        "uniform:n=4294967295,m=1,seed=18446744073709551615",
        "grid:rows=3,cols=4,drop=1000,seed=2",
        "rmat:scale=19,n=1000000,m=16000000,a=0.4325,b=0.15,c=0.15,d=0.2675,sym=0,dedup=0",
        "rmat:scale=31,n=4294967295,m=288230376151711743,a=1,b=0,c=0,d=0.000000001,perm=0",
        "lattice:rows=3,cols=4,degree=6",
        "lattice:rows=3,cols=4,degree=16,hubs=1000,hubdegree=0,seed=2,sym=0",
        "lattice:rows=1,cols=4294967295,degree=8,hubs=1,hubdegree=4294967295",
        "indegree:n=1,m=0,max=2,receivers=1,s=0,q=0",
        "indegree:n=9,m=1099511627776,max=4294967295,receivers=9,s=100,q=0.5,sym=1,dedup=1,maxw=2",
    ] {
        assert_eq!(spec(text).to_string(), text);
    }
    let defaults = spec("rmat:seed=1,wseed=1,maxw=255,perm=1,dedup=1,sym=1,ef=16,scale=20");
    assert_eq!(defaults, spec("rmat:scale=20"));
    for (text, short) in [
        ("rmat:a=.57,b=.190,c=0.19,d=0.05,n=1024,scale=10", "rmat:scale=10"),
        (
            "rmat:scale=1,m=3,d=.25,c=.25,b=.25,a=0.2500",
            "rmat:scale=1,m=3,a=0.25,b=0.25,c=0.25,d=0.25",
        ),
        (
            "lattice:degree=8,cols=2,hubdegree=800,rows=1,hubs=7",
            "lattice:rows=1,cols=2,degree=8,hubs=7",
        ),
        ("lattice:rows=1,cols=2,degree=8,hubs=0", "lattice:rows=1,cols=2,degree=8"),
        (
            "indegree:q=612.60,s=1.,receivers=2,max=3,m=4,n=5,sym=0,dedup=0",
            "indegree:n=5,m=4,max=3,receivers=2,s=1,q=612.6",
        ),
    ] {
        assert_eq!(spec(text).to_string(), short);
        assert_eq!(spec(text), spec(short));
    }
}

#[test]
fn wrong_specs_say_what_was_expected() {
    for (text, reason) in [
        ("", "unknown kind «», expected rmat, uniform, grid, lattice or indegree"),
        ("ring:n=3", "unknown kind «ring», expected rmat, uniform, grid, lattice or indegree"),
        ("rmat:", "the option scale=NUMBER is missing"),
        (
            "rmat:scal=10",
            "unknown option «scal», expected one of scale, n, ef, m, a, b, c, d, perm, seed, sym, \
             dedup, maxw, wseed; did you mean scale?",
        ),
        (
            "grid:rows=3,columns=4",
            "unknown option «columns», expected one of rows, cols, drop, seed, sym, dedup, maxw, \
             wseed",
        ),
        ("rmat:scale", "«scale» is not KEY=VALUE"),
        ("rmat:scale=10,", "«» is not KEY=VALUE"),
        ("rmat:scale=10,scale=11", "scale is given twice"),
        ("rmat:scale=32", "scale=32: expected a whole number from 0 to 31"),
        ("rmat:scale=-1", "scale=-1: expected a whole number from 0 to 31"),
        ("rmat:scale=10,sym=2", "sym=2: expected a whole number from 0 to 1"),
        ("rmat:scale=10,maxw=0", "maxw=0: expected a whole number from 1 to 16777216"),
        ("uniform:n=4294967296,m=1", "n=4294967296: expected a whole number from 0 to 4294967295"),
        (
            "uniform:n=1,m=1,perm=1",
            "unknown option «perm», expected one of n, m, seed, sym, dedup, maxw, wseed",
        ),
        (
            "grid:rows=65536,cols=65536",
            "4294967296 vertices are more than 32-bit ids can name (4294967295)",
        ),
        ("rmat:scale=3,ef=2,m=9", "ef and m both say how many edges: give one"),
        ("rmat:scale=3,n=7", "n=7: expected a whole number from 8 to 4294967295"),
        (
            "rmat:scale=3,m=288230376151711744",
            "m=288230376151711744: expected a whole number from 0 to 288230376151711743",
        ),
        (
            "rmat:scale=3,a=0.5,c=0.5",
            "give all of a, b, c and d or none of them: b and d are missing",
        ),
        (
            "rmat:scale=3,a=0.5,b=0.25,c=0.25",
            "give all of a, b, c and d or none of them: d is missing",
        ),
        ("rmat:scale=3,a=0.5,b=0.25,c=0.2,d=0.04", "a, b, c and d sum to 0.99, but must sum to 1"),
        ("rmat:scale=3,a=1,b=1,c=1,d=1", "a, b, c and d sum to 4, but must sum to 1"),
        (
            "rmat:scale=3,a=NaN,b=1,c=0,d=0",
            "a=NaN: expected a number from 0 to 1 with at most 9 decimals, such as 0.25",
        ),
        (
            "rmat:scale=3,a=1.5,b=-0.5,c=0,d=0",
            "a=1.5: expected a number from 0 to 1 with at most 9 decimals, such as 0.25",
        ),
        (
            "rmat:scale=3,a=0.5,b=-0.5,c=0.5,d=0.5",
            "b=-0.5: expected a number from 0 to 1 with at most 9 decimals, such as 0.25",
        ),
        ("lattice:rows=3,cols=4", "the option degree=NUMBER is missing"),
        ("lattice:rows=3,cols=4,degree=7", "degree=7: expected 6, 8, 12 or 16"),
        ("lattice:rows=3,cols=4,degree=99", "degree=99: expected a whole number from 6 to 16"),
        (
            "lattice:rows=3,cols=4,degree=6,hubs=1001",
            "hubs=1001: expected a whole number from 0 to 1000",
        ),
        (
            "lattice:rows=3,cols=4,degree=6,hubdegree=3",
            "hubdegree needs hubs, of which there are none: give hubs=NUMBER too",
        ),
        (
            "lattice:rows=65536,cols=65536,degree=6",
            "4294967296 vertices are more than 32-bit ids can name (4294967295)",
        ),
        (
            "indegree:n=0,m=0,max=2,receivers=0,s=1,q=0",
            "n=0: expected a whole number from 1 to 4294967295",
        ),
        (
            "indegree:n=5,m=9,max=3,receivers=6,s=1,q=0",
            "receivers=6: expected a whole number from 1 to 5",
        ),
        (
            "indegree:n=5,m=9,max=1,receivers=5,s=1,q=0",
            "max=1: expected a whole number from 2 to 4294967295",
        ),
        ("indegree:n=5,m=9,max=3,receivers=5,s=1", "the option q=NUMBER is missing"),
        (
            "indegree:n=5,m=9,max=3,receivers=5,s=inf,q=0",
            "s=inf: expected a number from 0 to 100 with at most 9 decimals, such as 0.25",
        ),
    ] {
        let error = text.parse::<Spec>().unwrap_err();
        assert_eq!((error.spec.as_str(), error.reason.as_str()), (text, reason));
    }
}

#[test]
fn impossible_graphs_are_refused() {
    for text in [
        "uniform:n=0,m=1",
        "rmat:scale=31,ef=18446744073709551615",
        "uniform:n=1,m=1152921504606846976",
        "rmat:scale=0,m=288230376151711743",
        "lattice:rows=1,cols=4294967295,degree=8,hubs=1000,hubdegree=4294967295",
        "indegree:n=2,m=0,max=2,receivers=1,s=0,q=0",
        "indegree:n=4294967295,m=1099511627776,max=4294967295,receivers=4294967295,s=0,q=0",
        "indegree:n=4294967295,m=1099511627776,max=4294967295,receivers=4294967295,\
         s=0.000000001,q=1000000000",
    ] {
        assert!(spec(text).plain().is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn hostile_specs_are_refused_or_written_back(
        kind in prop::sample::select(&["rmat", "uniform", "grid", "lattice", "indegree"][..]),
        options in prop::collection::vec((
            prop::sample::select(&[
                "scale", "n", "ef", "m", "a", "b", "c", "d", "perm", "rows", "cols", "drop",
                "degree", "hubs", "hubdegree", "max", "receivers", "s", "q", "seed", "sym",
                "dedup", "maxw", "wseed",
            ][..]),
            prop::sample::select(&[
                "0", "1", "2", "8", "16", "1000", "0.25", ".5", "1e9", "-1", "NaN", "inf", "",
                "4294967295", "4294967296", "18446744073709551615", "99999999999999999999",
                "0.9999999999", "18446744073.709551615",
            ][..]),
        ), 0..9),
    ) {
        let options: Vec<_> = options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        if let Ok(spec) = format!("{kind}:{}", options.join(",")).parse::<Spec>() {
            prop_assert_eq!(spec.to_string().parse::<Spec>(), Ok(spec));
        }
    }
}

#[test]
fn specs_are_told_from_file_names() {
    assert!(Spec::recognises("rmat:scale=3") && Spec::recognises("grid:"));
    assert!(Spec::recognises("lattice:rows=3") && Spec::recognises("indegree:n=1"));
    assert!(!Spec::recognises("rmat.txt") && !Spec::recognises("data/uniform:1"));
}

#[test]
fn kept_duplicates_are_mirrored_with_their_self_loops() {
    let graph = spec("rmat:scale=6,dedup=0").plain().unwrap();
    assert_eq!(graph.edge_count(), 2 * 16 * 64);
    let one_way = spec("rmat:scale=6,dedup=0,sym=0").plain().unwrap();
    for v in 0..64 {
        let both = one_way.out().degree(v) + one_way.incoming().degree(v);
        assert_eq!(graph.out().degree(v), both);
    }
}

#[test]
fn padded_vertices_are_spread_or_last() {
    let options = "rmat:scale=10,n=3000,ef=64,sym=0,a=0.25,b=0.25,c=0.25,d=0.25";
    let touched = |text: &str| {
        let graph = spec(text).plain().unwrap();
        let touched = |v| graph.out().degree(v) + graph.incoming().degree(v) > 0;
        (0..3000).filter(|v| touched(*v)).collect::<Vec<_>>()
    };
    assert_eq!(touched(&format!("{options},perm=0")), (0..1024).collect::<Vec<_>>());
    let spread = touched(options);
    assert_eq!(spread.len(), 1024);
    for range in [0..1000, 1000..2000, 2000..3000] {
        let here = spread.iter().filter(|v| range.contains(*v)).count();
        assert!((280..400).contains(&here), "{here} in {range:?}");
    }
}

#[test]
fn weights_have_a_seed_of_their_own() {
    let (graph, other) = (spec("uniform:n=9,m=50"), spec("uniform:n=9,m=50,wseed=2"));
    let (graph, other) = (graph.weighted().unwrap(), other.weighted().unwrap());
    assert_eq!(graph.out().targets(), other.out().targets());
    assert_ne!(graph.out_values(), other.out_values());
}

#[test]
fn weights_stay_in_bounds() {
    let weights = |text| spec(text).weighted().unwrap().out_values().to_vec();
    assert!(weights("uniform:n=99,m=500,maxw=3").iter().all(|w| [1.0, 2.0, 3.0].contains(w)));
}

#[test]
fn sources_end_when_there_are_no_more() {
    // Few edges, and many vertices without any.
    let grid = spec("grid:rows=1,cols=2000,drop=990");
    let graph = grid.plain().unwrap();
    let candidates: Vec<_> = (0..2000).filter(|v| graph.out().degree(*v) > 0).collect();
    let mut sources = grid.sources(&graph, usize::MAX);
    assert!(!candidates.is_empty());
    sources.sort_unstable();
    assert_eq!(sources, candidates);
    let none = spec("uniform:n=5,m=0");
    assert!(none.sources(&none.plain().unwrap(), 3).is_empty());
    let nothing = spec("uniform:n=0,m=0");
    assert!(nothing.sources(&nothing.plain().unwrap(), 3).is_empty());
}
