//! What is old or too much goes: snapshots first, then whatever content no snapshot has any more. At every moment what
//! is still marked as a snapshot is whole: marks go before content, and content is written anew before it is deleted.

use std::collections::{HashMap, HashSet};
use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::crash::point;
use crate::digest::{Digest, SnapshotId};
use crate::error::{Attempt, SnapshotError};
use crate::manifest::{self, Kind};
use crate::pack::{self, PackIndex, PackNumber, PackWriter, Place, Reader, SMALL};
use crate::record::Record;
use crate::vault::{Access, Kept, Vault};

/// A pack that wastes this share of its bytes is written anew.
const WASTE: f64 = 0.5;
/// Packs up to this size are put together when there are many.
const SMALL_PACK: u64 = 4 << 20;
const MANY: usize = 16;

/// Which snapshots stay. The latest always does, and what an unfinished restore and the undoing of the last
/// one need.
#[derive(Debug, Clone)]
pub struct Keep {
    /// As much as all snapshots together may take up; the oldest go first.
    pub max_bytes: u64,
    pub max_age: Duration,
    /// These stay whatever they cost.
    pub pinned: Vec<SnapshotId>,
}

/// What a sweep came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept {
    pub dropped: Vec<SnapshotId>,
    pub kept: usize,
    pub bytes_before: u64,
    pub bytes_after: u64,
}

impl Vault {
    /// Lets go of what need not be kept.
    pub fn sweep(&self, keep: &Keep, now: SystemTime) -> Result<Swept, SnapshotError> {
        let _lock = self.lock(Access::Alone)?;
        self.clear_leftovers()?;
        let bytes_before = self.size()?;
        let mut reader = self.reader()?;
        let (live, dropped, kept) = self.choose(keep, now, &mut reader)?;
        for id in &dropped {
            let mark = self.mark(*id);
            std::fs::remove_file(&mark).attempt("remove", &mark)?;
            point("snapshot.sweep.unmarked");
        }
        if !dropped.is_empty() {
            self.sync_directory()?;
        }
        point("snapshot.sweep.chosen");
        self.compact(&live, reader)?;
        Ok(Swept { dropped, kept, bytes_before, bytes_after: self.size()? })
    }

    /// Whether a sweep would find something to do: too much, too old, or in too many pieces.
    pub fn is_sweep_due(&self, keep: &Keep, now: SystemTime) -> Result<bool, SnapshotError> {
        let is_old = |kept: &Kept| now.duration_since(kept.taken).is_ok_and(|age| age > keep.max_age);
        let packs = pack::numbers(&self.directory).attempt("list the snapshots at", &self.directory)?;
        let is_small = |meta: std::fs::Metadata| meta.len() <= SMALL_PACK;
        let small = packs.iter().filter(|number| number.pack(&self.directory).metadata().is_ok_and(is_small));
        Ok(small.count() > 2 * MANY
            || self.size()? > keep.max_bytes
            || self.list()?.last().is_some_and(is_old))
    }

    /// What the files of the vault take up.
    pub fn size(&self) -> Result<u64, SnapshotError> {
        let sizes = std::fs::read_dir(&self.directory).and_then(|entries| {
            entries.map(|entry| Ok(entry?.metadata()?.len())).collect::<std::io::Result<Vec<u64>>>()
        });
        Ok(sizes.attempt("measure", &self.directory)?.iter().sum())
    }

    /// The content to keep, the snapshots to drop, and how many stay.
    fn choose(
        &self,
        keep: &Keep,
        now: SystemTime,
        reader: &mut Reader<'_>,
    ) -> Result<(HashSet<Digest>, Vec<SnapshotId>, usize), SnapshotError> {
        let all = self.list()?;
        let mut pinned: HashSet<SnapshotId> = keep.pinned.iter().copied().collect();
        pinned.extend(all.first().map(|latest| latest.id));
        for intent in [self.intent()?, self.finished()?].into_iter().flatten() {
            pinned.extend(intent.needs());
        }
        let (first, rest): (Vec<Kept>, Vec<Kept>) =
            all.into_iter().partition(|kept| pinned.contains(&kept.id));
        let mut reach = Reach::new(reader);
        let mut dropped = Vec::new();
        let mut kept = 0;
        for one in first {
            // Whatever has become of it.
            reach.follow(one.id)?;
            kept += 1;
        }
        let mut is_full = false;
        for one in rest {
            let is_old = now.duration_since(one.taken).is_ok_and(|age| age > keep.max_age);
            let found = if is_old || is_full { None } else { reach.follow(one.id)? };
            match found {
                Some(_) if reach.cost <= keep.max_bytes => kept += 1,
                Some(news) => {
                    is_full = true;
                    reach.forget(&news);
                    dropped.push(one.id);
                }
                None => dropped.push(one.id),
            }
        }
        Ok((reach.live, dropped, kept))
    }

    /// Deletes packs that nobody needs, and writes those anew that are mostly waste or too many.
    fn compact(&self, live: &HashSet<Digest>, mut reader: Reader<'_>) -> Result<(), SnapshotError> {
        let mut owned = HashSet::new();
        let mut uses: Vec<Use> = Vec::new();
        for (number, index) in &reader.index().packs {
            let path = number.pack(&self.directory);
            let bytes = path.metadata().attempt("measure", &path)?.len();
            let useful = |place: &&Place| live.contains(&place.digest) && owned.insert(place.digest);
            let mut places: Vec<Place> = index.places.iter().filter(useful).copied().collect();
            places.sort_unstable_by_key(|place| (place.frame, place.inner));
            uses.push(Use { number: *number, bytes, share: share(index, &places), places });
        }
        let small = uses.iter().filter(|one| one.bytes <= SMALL_PACK && !one.places.is_empty()).count();
        let (empty, rest): (Vec<Use>, Vec<Use>) = uses.into_iter().partition(|one| one.places.is_empty());
        let is_wasteful = |one: &Use| one.share < WASTE || (small > MANY && one.bytes <= SMALL_PACK);
        let wasteful: Vec<Use> = rest.into_iter().filter(is_wasteful).collect();
        let mut gone: Vec<PackNumber> = empty.into_iter().map(|one| one.number).collect();
        gone.extend(self.rewrite(&wasteful, &mut reader)?);
        for number in gone {
            for path in [number.pack(&self.directory), number.index(&self.directory)] {
                match std::fs::remove_file(&path) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    done => done.attempt("remove", &path)?,
                }
                point("snapshot.sweep.removed");
            }
        }
        Ok(())
    }

    /// Copies what is useful of some packs into a new one; says which are not needed any more.
    fn rewrite(&self, packs: &[Use], reader: &mut Reader<'_>) -> Result<Vec<PackNumber>, SnapshotError> {
        let writer = PackWriter::regardless(&self.directory, &self.indexes, reader.index());
        let mut done = Vec::new();
        for pack in packs {
            self.go_on()?;
            match copy(&pack.places, reader, &writer) {
                Ok(()) => done.push(pack.number),
                // What can still be read of it is not given up.
                Err(SnapshotError::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if writer.finish()?.is_some() {
            self.sync_directory()?;
            point("snapshot.sweep.rewritten");
        }
        Ok(done)
    }
}

/// How much of a pack is still of use.
struct Use {
    number: PackNumber,
    bytes: u64,
    share: f64,
    places: Vec<Place>,
}

fn share(index: &PackIndex, useful: &[Place]) -> f64 {
    let total = |places: &[Place]| places.iter().map(weight).sum::<u64>() as f64;
    total(useful) / total(&index.places).max(1.0)
}

/// With what surrounds it in an archive.
fn weight(place: &Place) -> u64 {
    place.size + 512
}

fn copy(places: &[Place], reader: &mut Reader<'_>, writer: &PackWriter<'_>) -> Result<(), SnapshotError> {
    let mut batch = writer.batch();
    for place in places {
        if place.size <= SMALL {
            let content = reader.read(place.digest)?;
            batch.put(place.digest, &content)?;
        } else if writer.claim(place.digest, place.size)? {
            let mut spool = writer.spool()?;
            reader.copy(place.digest, &mut spool)?;
            spool.seek(SeekFrom::Start(0)).attempt("read", Path::new("a copy"))?;
            writer.put_stream(place.digest, place.size, &mut spool)?;
        }
    }
    batch.flush()
}

/// What snapshots hold, and what that costs.
struct Reach<'r, 'v> {
    reader: &'r mut Reader<'v>,
    live: HashSet<Digest>,
    cost: u64,
    /// What the content of each frame comes to before compression.
    frames: HashMap<(PackNumber, u64), u64>,
}

impl<'r, 'v> Reach<'r, 'v> {
    fn new(reader: &'r mut Reader<'v>) -> Reach<'r, 'v> {
        let mut frames: HashMap<(PackNumber, u64), u64> = HashMap::new();
        for (number, index) in &reader.index().packs {
            for place in &index.places {
                *frames.entry((*number, place.frame)).or_default() += weight(place);
            }
        }
        Reach { reader, live: HashSet::new(), cost: 0, frames }
    }

    /// Adds all that a snapshot holds; says what of it is new. None if it is no snapshot: it was never finished.
    fn follow(&mut self, id: SnapshotId) -> Result<Option<Vec<Digest>>, SnapshotError> {
        let Some(record) = self.undamaged(id.0)?.and_then(|text| Record::parse(&text)) else {
            return Ok(None);
        };
        let mut news = Vec::new();
        self.add(id.0, &mut news);
        if let Some(exclude) = record.exclude {
            self.add(exclude, &mut news);
        }
        // What was covered for is kept with it: without its names the snapshot could not be restored exactly.
        let mut left: Vec<Digest> =
            [Some(record.tree), record.covers].into_iter().flatten().map(|tree| tree.0).collect();
        while let Some(digest) = left.pop() {
            if !self.add(digest, &mut news) {
                continue;
            }
            // What is damaged cannot be followed; the rest of the snapshot is still worth keeping.
            let entries = self.undamaged(digest)?.and_then(|text| manifest::parse(&text));
            for entry in entries.into_iter().flatten() {
                match entry.kind {
                    Kind::Directory => left.push(entry.digest),
                    Kind::File | Kind::Link => drop(self.add(entry.digest, &mut news)),
                    Kind::Pipe => {}
                }
            }
        }
        Ok(Some(news))
    }

    /// None for what is damaged. What only cannot be read now is an error: nothing is deleted for that.
    fn undamaged(&mut self, digest: Digest) -> Result<Option<Vec<u8>>, SnapshotError> {
        match self.reader.read(digest) {
            Ok(content) => Ok(Some(content)),
            Err(SnapshotError::Damaged { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn add(&mut self, digest: Digest, news: &mut Vec<Digest>) -> bool {
        let is_new = self.live.insert(digest);
        if is_new {
            self.cost += self.price(digest);
            news.push(digest);
        }
        is_new
    }

    fn forget(&mut self, news: &[Digest]) {
        for digest in news {
            self.live.remove(digest);
            self.cost -= self.price(*digest);
        }
    }

    /// Its part of the frame that it shares with others.
    fn price(&self, digest: Digest) -> u64 {
        let Some((number, place)) = self.reader.index().find(digest) else { return 0 };
        let frame = self.frames.get(&(number, place.frame)).copied().unwrap_or(1).max(1);
        let part = u128::from(place.length) * u128::from(weight(&place)) / u128::from(frame);
        u64::try_from(part).unwrap_or(u64::MAX)
    }
}
