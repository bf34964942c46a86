//! The graphs of the thesis: real ones where their files are at hand, stand-ins otherwise.

use std::path::Path;

use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::io::{self, LoadOptions};

use crate::ReplicationError;
use crate::data::{find, origin};

/// A row of Table 5.1.
pub struct Described {
    pub name: &'static str,
    pub vertices: u64,
    pub edges: u64,
    pub largest: u64,
    /// Vertices with an in-degree above 1, in per cent.
    pub above_one: f64,
    /// Seconds that Medusa's preparation takes (Table 5.3).
    pub medusa: f64,
    /// Seconds that PregelGPU's takes (Table 5.3).
    pub pipeline: f64,
    /// What the file of SNAP is called, without the suffix of a compression.
    file: Option<&'static str>,
    /// What stands in for it, or generates it.
    spec: &'static str,
}

/// Table 5.1, and the seconds of Table 5.3.
pub const GRAPHS: [Described; 6] = [
    Described {
        name: "ego-Gplus",
        vertices: 107_614,
        edges: 13_673_453,
        largest: 17_058,
        above_one: 99.9,
        medusa: 0.21,
        pipeline: 0.016,
        file: Some("gplus_combined.txt"),
        spec: "indegree:n=107614,m=13673453,max=17058,receivers=107506,s=1.7502,q=612.6",
    },
    Described {
        name: "soc-Pokec",
        vertices: 1_632_803,
        edges: 30_633_564,
        largest: 6_808,
        above_one: 76.3,
        medusa: 0.449,
        pipeline: 0.02,
        file: Some("soc-pokec-relationships.txt"),
        spec: "indegree:n=1632803,m=30633564,max=6808,receivers=1245829,s=1.1387,q=985.4",
    },
    Described {
        name: "com-LiveJournal",
        vertices: 3_997_962,
        edges: 34_681_189,
        largest: 2_454,
        above_one: 76.7,
        medusa: 1.002,
        pipeline: 0.03,
        file: Some("com-lj.ungraph.txt"),
        spec: "indegree:n=3997962,m=34681189,max=2454,receivers=3066437,s=0.9076,q=1211.3",
    },
    Described {
        name: "cit-Patents",
        vertices: 3_774_768,
        edges: 16_518_948,
        largest: 779,
        above_one: 61.9,
        medusa: 0.665,
        pipeline: 0.012,
        file: Some("cit-Patents.txt"),
        spec: "indegree:n=3774768,m=16518948,max=779,receivers=2336581,s=0.7408,q=743.8",
    },
    Described {
        name: "RMAT",
        vertices: 1_000_000,
        edges: 16_000_000,
        largest: 555,
        above_one: 52.4,
        medusa: 0.305,
        pipeline: 0.012,
        file: None,
        // The thesis names no probabilities. With these and 19 levels, its largest in-degree
        // and its share of vertices with several in-edges come out.
        spec: "rmat:scale=19,n=1000000,m=16000000,a=0.4325,b=0.15,c=0.15,d=0.2675,sym=0,dedup=0",
    },
    Described {
        name: "Random",
        vertices: 1_000_000,
        edges: 16_000_000,
        largest: 41,
        above_one: 99.9,
        medusa: 0.328,
        pipeline: 0.011,
        file: None,
        spec: "uniform:n=1000000,m=16000000,sym=0,dedup=0",
    },
];

/// Small graphs of the same kinds.
const QUICK: [&str; 6] = [
    "indegree:n=1000,m=40000,max=700,receivers=990,s=1.2,q=20",
    "indegree:n=2000,m=30000,max=200,receivers=1500,s=1,q=40",
    "indegree:n=3000,m=32400,max=100,receivers=2300,s=1,q=100",
    "indegree:n=3000,m=14000,max=40,receivers=1900,s=0.7,q=50",
    "rmat:scale=9,n=1000,m=16000,a=0.4325,b=0.15,c=0.15,d=0.2675,sym=0,dedup=0",
    "uniform:n=1000,m=16000,sym=0,dedup=0",
];

/// A graph to measure on.
pub struct Used {
    pub described: &'static Described,
    /// Where it comes from.
    pub origin: String,
    pub graph: Graph<()>,
}

impl Used {
    /// Reads or generates graph number `number` of [`GRAPHS`].
    pub fn open(number: usize, data: Option<&Path>, quick: bool) -> Result<Self, ReplicationError> {
        let described = &GRAPHS[number];
        let file = described.file.filter(|_| !quick).and_then(|name| find(data?, "", &[name]));
        if let Some(path) = file {
            let options = LoadOptions::default().with_directed(true);
            let graph = io::load(&path, &options)?.graph.plain();
            return Ok(Self { described, origin: origin(&path), graph });
        }
        let spec = if quick { QUICK[number] } else { described.spec };
        let origin = match described.file {
            Some(_) => format!("stand-in {spec}"),
            None => spec.to_owned(),
        };
        Ok(Self { described, origin, graph: spec.parse::<Spec>()?.plain()? })
    }
}
