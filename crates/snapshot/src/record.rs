//! What a snapshot is besides its tree: a few lines of text whose digest is the snapshot's id. It holds no time, so
//! that the same tree under the same rules is the same snapshot.

use crate::digest::{Digest, TreeHash};

const FIRST: &str = "ralph snapshot 1";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) tree: TreeHash,
    /// The patterns that held in the tree and lay outside of it, if there were any.
    pub(crate) exclude: Option<Digest>,
    /// A tree whose paths were looked at although the rules ignore some of them: what this snapshot does not have of
    /// them was not there.
    pub(crate) covers: Option<TreeHash>,
    pub(crate) counts: Counts,
}

/// How much a snapshot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) files: u64,
    pub(crate) links: u64,
    pub(crate) directories: u64,
    pub(crate) pipes: u64,
    pub(crate) bytes: u64,
}

impl Record {
    pub(crate) fn text(&self) -> String {
        let Counts { files, links, directories, pipes, bytes } = self.counts;
        let exclude = self.exclude.map_or("-".to_owned(), |digest| digest.to_string());
        let covers = self.covers.map_or("-".to_owned(), |tree| tree.to_string());
        format!(
            "{FIRST}\ntree {}\nexclude {exclude}\ncovers {covers}\nfiles {files}\nlinks {links}\ndirectories {directories}\npipes {pipes}\nbytes {bytes}\n",
            self.tree
        )
    }

    pub(crate) fn parse(text: &[u8]) -> Option<Record> {
        let mut lines = std::str::from_utf8(text).ok()?.lines();
        if lines.next()? != FIRST {
            return None;
        }
        let mut said = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ');
        let tree = said("tree")?.parse().ok()?;
        let mut optional = |key: &str| match said(key)? {
            "-" => Some(None),
            hex => Digest::from_hex(hex.as_bytes()).map(Some),
        };
        let exclude = optional("exclude")?;
        let covers = optional("covers")?.map(TreeHash);
        let mut count = |key: &str| said(key)?.parse().ok();
        let counts = Counts {
            files: count("files")?,
            links: count("links")?,
            directories: count("directories")?,
            pipes: count("pipes")?,
            bytes: count("bytes")?,
        };
        Some(Record { tree, exclude, covers, counts })
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Record};
    use crate::digest::{Digest, TreeHash};

    #[test]
    fn a_record_is_read_back() {
        let counts = Counts { files: 1, links: 2, directories: 3, pipes: 4, bytes: 5 };
        for exclude in [None, Some(Digest::of(b"e"))] {
            let covers = exclude.map(TreeHash);
            let record = Record { tree: TreeHash(Digest::of(b"t")), exclude, covers, counts };
            assert_eq!(Record::parse(record.text().as_bytes()), Some(record));
        }
        assert_eq!(Record::parse(b"ralph snapshot 2\n"), None);
    }
}
