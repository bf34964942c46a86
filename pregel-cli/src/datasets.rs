//! Real graphs that `pregel fetch` knows.

/// A graph with a public origin.
#[derive(Debug)]
pub struct Dataset {
    pub name: &'static str,
    pub url: &'static str,
    /// The SHA-256 of the file at `url`, in hexadecimal.
    pub sha256: &'static str,
    pub vertices: u32,
    /// Lines of the file that are edges.
    pub edges: u64,
    pub about: &'static str,
    /// What to cite, and under which terms the file is given away.
    pub origin: &'static str,
}

impl Dataset {
    /// The name of the file.
    pub fn file(&self) -> &'static str {
        self.url.rsplit('/').next().unwrap_or(self.name)
    }
}

/// All of them, in the order of their size. Only files whose checksum is known: from a copy, or
/// because independent users published the same one.
pub const DATASETS: [Dataset; 8] = [
    Dataset {
        name: "rome99",
        url: "https://www.diag.uniroma1.it/challenge9/data/rome/rome99.gr",
        sha256: "cbc914b1d02327c2ea788b6f68a332995feadbdc97c1c7890c5e6272152f099d",
        vertices: 3_353,
        edges: 8_870,
        about: "roads of Rome, lengths in metres",
        origin: "9th DIMACS Implementation Challenge (2006); no licence stated",
    },
    Dataset {
        name: "ego-Facebook",
        url: "https://snap.stanford.edu/data/facebook_combined.txt.gz",
        sha256: "125e84db872eeba443d270c70315c256b0af43a502fcfe51f50621166ad035d7",
        vertices: 4_039,
        edges: 88_234,
        about: "friends, without directions: add --undirected",
        origin: "SNAP; McAuley and Leskovec, NIPS 2012; no licence stated",
    },
    Dataset {
        name: "wiki-Vote",
        url: "https://snap.stanford.edu/data/wiki-Vote.txt.gz",
        sha256: "7d3e53626e14b8b09fb3b396bece9d481ad606bd64ceab066349ff57d4ada7fc",
        vertices: 7_115,
        edges: 103_689,
        about: "votes among Wikipedia's editors",
        origin: "SNAP; Leskovec, Huttenlocher and Kleinberg, CHI 2010; no licence stated",
    },
    Dataset {
        name: "email-Enron",
        url: "https://snap.stanford.edu/data/email-Enron.txt.gz",
        sha256: "55cfead79b1f0161786179a48796c2a119bd7026a246238b257b6be9d8b69b68",
        vertices: 36_692,
        edges: 367_662,
        about: "e-mails of a company; the file has each edge both ways",
        origin: "SNAP; Leskovec, Lang, Dasgupta and Mahoney, Internet Mathematics 2009; no licence stated",
    },
    Dataset {
        name: "soc-Epinions1",
        url: "https://snap.stanford.edu/data/soc-Epinions1.txt.gz",
        sha256: "69a2dab71fa5e3a0715487599fc16ca17ddc847379325a6c765bbad6e3e36938",
        vertices: 75_879,
        edges: 508_837,
        about: "trust among reviewers",
        origin: "SNAP; Richardson, Agrawal and Domingos, ISWC 2003; no licence stated",
    },
    Dataset {
        name: "com-DBLP",
        url: "https://snap.stanford.edu/data/bigdata/communities/com-dblp.ungraph.txt.gz",
        sha256: "9eb0bd30312ddd04e2624f7c36c0983a2e99b116f0385be5a7fce6d6170f4cb3",
        vertices: 317_080,
        edges: 1_049_866,
        about: "authors of papers, without directions: add --undirected",
        origin: "SNAP; Yang and Leskovec, ICDM 2012; no licence stated",
    },
    Dataset {
        name: "ego-Twitter",
        url: "https://snap.stanford.edu/data/twitter_combined.txt.gz",
        sha256: "d9f99b0e6a53b9204b8c215f41b3c10fb99a1e1e783858c012b06d0d3d4bd129",
        vertices: 81_306,
        edges: 2_420_766,
        about: "followers; some edges come several times",
        origin: "SNAP; McAuley and Leskovec, NIPS 2012; no licence stated",
    },
    Dataset {
        name: "com-Youtube",
        url: "https://snap.stanford.edu/data/bigdata/communities/com-youtube.ungraph.txt.gz",
        sha256: "dff1b97ba7d2fa9c59884b67dcd2275e717ff9501f86ed82ce6582ed4971f3e0",
        vertices: 1_134_890,
        edges: 2_987_624,
        about: "friends, without directions: add --undirected",
        origin: "SNAP; Yang and Leskovec, ICDM 2012; no licence stated",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_files_are_distinct_and_checksums_complete() {
        for (i, dataset) in DATASETS.iter().enumerate() {
            let Dataset { name, url, sha256, .. } = dataset;
            assert!(url.starts_with("https://") && url.ends_with(dataset.file()), "{name}");
            assert_eq!(sha256.len(), 64, "{name}");
            assert!(sha256.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')), "{name}");
            for other in &DATASETS[..i] {
                assert!(other.name != *name && other.sha256 != *sha256, "{name}");
            }
        }
    }
}
