//! The files of a recording: their names, their modes, how one is begun, written and compressed.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, IoSlice, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};

use super::OutputError;
use super::record::{self, Header};

const RAW: &str = ".seg";
const COMPRESSED: &str = ".seg.lz4";

/// Below this a compressed file would save next to nothing.
const WORTH_COMPRESSING: u64 = 64 * 1024;

pub(super) fn raw_path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:08}{RAW}"))
}

pub(super) fn compressed_path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:08}{COMPRESSED}"))
}

/// The numbers of the segments that are there, in order; none when there is no directory.
pub(super) fn numbers(directory: &Path) -> Result<Vec<u64>, OutputError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(OutputError::io("list", directory))?,
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry.map_err(OutputError::io("list", directory))?.file_name();
        numbers.extend(number_in(&name.to_string_lossy()));
    }
    numbers.sort_unstable();
    // A crash between compressing and deleting leaves both files of one segment.
    numbers.dedup();
    Ok(numbers)
}

fn number_in(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(COMPRESSED).or_else(|| name.strip_suffix(RAW))?;
    digits.parse().ok()
}

/// The segment that is being written.
#[derive(Debug)]
pub(super) struct Segment {
    file: File,
    path: PathBuf,
    /// Bytes of output stored before it.
    start: u64,
    /// Not written yet: it goes out with the first record.
    header: Option<[u8; record::SEGMENT_HEADER]>,
    /// Bytes of the file that are whole records.
    length: u64,
}

impl Segment {
    /// Begins segment `number`, and the directory with it, after `stored` bytes of output.
    pub(super) fn create(directory: &Path, number: u64, stored: u64) -> Result<Segment, OutputError> {
        let path = raw_path(directory, number);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let file = match options.open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && number == 0 => {
                let mut builder = DirBuilder::new();
                let created = builder.recursive(true).mode(0o700).create(directory);
                created.map_err(OutputError::io("create", directory))?;
                options.open(&path)
            }
            opened => opened,
        };
        Ok(Segment {
            file: file.map_err(OutputError::io("create", &path))?,
            path,
            start: stored,
            header: Some(record::segment_header(stored)),
            length: 0,
        })
    }

    pub(super) fn start(&self) -> u64 {
        self.start
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Appends one record, after a mark of the time where one is due, in one system call. After an error the segment is
    /// as it was before.
    pub(super) fn append(
        &mut self,
        mark: Option<Header>,
        header: Header,
        bytes: &[u8],
    ) -> Result<(), OutputError> {
        let first = self.header.as_ref().map_or(&[][..], |header| &header[..]);
        let mark = mark.map(Header::encode);
        let mark = mark.as_ref().map_or(&[][..], |mark| &mark[..]);
        let record = header.encode();
        let parts = [first, mark, &record, bytes];
        let whole = parts.iter().map(|part| part.len() as u64).sum::<u64>();
        let parts = &mut parts.map(IoSlice::new);
        if let Err(error) = write_all(&self.file, parts) {
            self.undo_partial_record();
            return Err(OutputError::io("write output to", &self.path)(error));
        }
        self.length += whole;
        self.header = None;
        Ok(())
    }

    /// A record that was written in part would make everything after it unreadable.
    fn undo_partial_record(&mut self) {
        use std::io::Seek as _;
        // If this fails too, the reader reports a torn record; there is nothing better to do here.
        let _ = self.file.set_len(self.length);
        let _ = self.file.seek(io::SeekFrom::Start(self.length));
    }
}

fn write_all(mut file: &File, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
    IoSlice::advance_slices(&mut parts, 0);
    while !parts.is_empty() {
        match file.write_vectored(parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut parts, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Deletes segment `number`, which no longer counts.
pub(super) fn delete(directory: &Path, number: u64) -> Result<(), OutputError> {
    let path = raw_path(directory, number);
    fs::remove_file(&path).map_err(OutputError::io("delete", &path))
}

/// Replaces a larger segment by its compressed form and returns how many bytes it has on disk now.
pub(super) fn compress(directory: &Path, number: u64, length: u64) -> Result<u64, OutputError> {
    if length <= WORTH_COMPRESSING {
        return Ok(length);
    }
    let raw = raw_path(directory, number);
    let compressed = compressed_path(directory, number);
    let temporary = directory.join(format!("{number:08}.tmp"));
    let written = write_compressed(&raw, &temporary).inspect_err(|_| {
        // The raw segment is still whole, so only the space matters.
        let _ = fs::remove_file(&temporary);
    })?;
    fs::rename(&temporary, &compressed).map_err(OutputError::io("create", &compressed))?;
    delete(directory, number)?;
    Ok(written)
}

fn write_compressed(raw: &Path, temporary: &Path) -> Result<u64, OutputError> {
    let mut source = File::open(raw).map_err(OutputError::io("read", raw))?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let target = options.open(temporary).map_err(OutputError::io("create", temporary))?;
    let failed = || OutputError::io("write compressed output to", temporary);
    let frame = FrameInfo::new().block_size(BlockSize::Max256KB).content_checksum(true);
    let mut encoder = FrameEncoder::with_frame_info(frame, target);
    io::copy(&mut source, &mut encoder).map_err(failed())?;
    let target = encoder.finish().map_err(|error| failed()(error.into()))?;
    let written = target.metadata().map_err(failed())?;
    Ok(written.len())
}
