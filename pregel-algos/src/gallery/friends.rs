//! Friends of friends: with whom does a person have most friends in common?
//!
//! In the first superstep the person tells its friends, who tell theirs in the second; what
//! arrives is counted. The highest counts among those who are not friends already are the ones
//! to recommend.
//!
//! Directions are ignored; parallel edges count as often as they occur. Idiom: a fixed number of
//! hops, where a struct remembers in which one a vertex is. Two supersteps, and no more messages
//! than the person and its friends have edges.
//!
//! ```
//! use pregel_algos::gallery::friends::FriendsOfFriends;
//! use pregel_core::prelude::*;
//!
//! let graph = Graph::from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (2, 4)])?;
//! let outcome =
//!     Cpu::new().run(&graph, &FriendsOfFriends { person: 0 }, &RunOptions::default())?;
//! let recommended: Vec<u32> = outcome.states.iter().map(|person| person.recommended()).collect();
//! assert_eq!(recommended, [0, 0, 0, 2, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, GraphFacts, Nothing, Program, Sum, VertexCompute,
    VertexId, Vote,
};

/// What is known of a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Person {
    /// 1 for the person asked about and its friends, otherwise 0.
    pub known: u32,
    /// Number of friends in common.
    pub common: u32,
}

impl Person {
    /// Number of friends in common, or 0 for those who need no introduction.
    pub fn recommended(&self) -> u32 {
        if self.known == 0 { self.common } else { 0 }
    }
}

/// How many friends everyone has in common with one person.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FriendsOfFriends {
    /// The person who asks.
    pub person: VertexId,
}

impl Program for FriendsOfFriends {
    type Input = ();
    type State = Person;
    type Signal = ();
    type Edge = ();
    type Combiner = Sum<u32>;
    type Aggregate = Nothing;
    const DIRECTION: Direction = Direction::Both;
}

impl EdgeCompute for FriendsOfFriends {
    fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<u32> {
        Some(1)
    }
}

impl VertexCompute for FriendsOfFriends {
    fn init(&self, context: &mut Context<'_, Self>) -> (Person, Vote) {
        if context.vertex() == self.person {
            (Person { known: 1, common: 0 }, Vote::Scatter)
        } else {
            (Person::default(), Vote::Halt)
        }
    }

    fn vertex_compute(
        &self,
        person: &mut Person,
        sum: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        if context.superstep() == 1 {
            person.known = 1;
            // The person has told its friends already.
            return if context.vertex() == self.person { Vote::Halt } else { Vote::Scatter };
        }
        person.common = sum.unwrap_or(0);
        Vote::Halt
    }

    fn signal(&self, _: &Person, _: &Context<'_, Self>) {}

    fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
        if self.person < graph.vertex_count {
            Ok(())
        } else {
            Err("the person is not in the graph")
        }
    }
}
