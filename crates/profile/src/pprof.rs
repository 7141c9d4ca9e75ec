//! The pprof format, which `go tool pprof`, Pyroscope, speedscope and others read.

mod comments;
mod decode;
mod details;
mod drop_frames;
mod encode;
mod fields;
mod messages;
mod no_module;
mod positions;
mod read;
mod strings;

use std::io::{BufRead, BufReader, Read};

use flate2::Compression;
use flate2::bufread::{GzEncoder, MultiGzDecoder};

use crate::limit::Budget;
use crate::{Error, Limit, Place, Profile};
pub(crate) use comments::TOTAL;
use fields::Fields;

/// The key of the label that holds a sample's tag.
const TAG: &str = "tag";

/// The label of samples that are those of an interval: its key, and its text.
const NO_DELTA: [&str; 2] = ["__delta__", "false"];

/// What gzip data begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

impl Profile {
    /// The profile in the pprof format, not compressed. Equal profiles give equal bytes.
    ///
    /// Values are rounded here, once, to whole objects and bytes, and are never negative. A sample whose four
    /// values all become zero is left out, unless it is a part of the peak, and so are locations and functions that no other sample uses.
    ///
    /// What the format has no place for is in fields that other readers skip, so that [`Profile::from_pprof`] gives it
    /// back: variances, live objects, the peak, lifetimes, sizes, what the allocator said of itself. The standard errors of
    /// the totals and the losses are comments, for people.
    pub fn to_pprof(&self) -> Vec<u8> {
        encode::message(self).into_bytes()
    }

    /// The same as gzip data, which is what a file `heap.pb.gz` contains.
    pub fn to_pprof_gzip(&self) -> Vec<u8> {
        let plain = self.to_pprof();
        let mut packed = Vec::new();
        // Reading from and writing to memory cannot fail.
        let _ = GzEncoder::new(&*plain, Compression::default()).read_to_end(&mut packed);
        packed
    }

    /// Reads a heap profile in the pprof format, plain or gzip.
    ///
    /// Any order of the sample types will do, and any subset of the four of a heap profile; figures that the
    /// file does not have are zero, and so are variances of other writers. Labels but `tag` are ignored, and addresses are taken to lie
    /// inside the call, as the format has it.
    ///
    /// The file may be a stranger's: what it may take is bounded by each [`Limit`], while it is read. Texts come
    /// as they are, control characters included, so whoever shows one escapes it; the errors do.
    ///
    /// ```
    /// use allometer_profile::{Error, Profile};
    ///
    /// let bytes = Profile::default().to_pprof_gzip();
    /// assert_eq!(Profile::from_pprof(&bytes)?.samples.len(), 0);
    /// assert!(matches!(Profile::from_pprof(b""), Err(Error::StringTable)));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is malformed or refers to something that does not exist, with its place; a profile of something
    /// else than a heap.
    pub fn from_pprof(data: &[u8]) -> Result<Self, Error> {
        let length = data.len() as u64;
        if !data.starts_with(&GZIP) {
            return read(Fields::new(data, Limit::Unpacked.max(), Limit::Unpacked));
        }
        if length > Limit::Packed.max() {
            return Err(Error::TooLarge { place: Place::Byte(Limit::Packed.max()), limit: Limit::Packed });
        }
        let unpacked = BufReader::new(MultiGzDecoder::new(data));
        let (by_ratio, most) = (length * Limit::Ratio.max(), Limit::Unpacked.max());
        let limit = if by_ratio < most { Limit::Ratio } else { Limit::Unpacked };
        read(Fields::new(unpacked, by_ratio.min(most), limit))
    }
}

fn read(fields: Fields<impl BufRead>) -> Result<Profile, Error> {
    let memory = Budget::new(Limit::Memory);
    decode::profile(&read::message(fields, &memory)?, &memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_and_plain_hold_the_same() {
        let profile = Profile::default();
        let packed = profile.to_pprof_gzip();
        assert!(packed.starts_with(&GZIP));
        assert_eq!(packed, profile.to_pprof_gzip());
        assert_eq!(Profile::from_pprof(&packed).unwrap(), Profile::from_pprof(&profile.to_pprof()).unwrap());
    }

    #[test]
    fn refuses_what_is_no_profile() {
        assert!(matches!(Profile::from_pprof(b"\x1f\x8bnot gzip"), Err(Error::Gzip(_))));
        assert!(matches!(Profile::from_pprof(b"not protobuf"), Err(Error::Message { .. })));
        assert!(matches!(Profile::from_pprof(b""), Err(Error::StringTable)));
        let cut = Profile::default().to_pprof_gzip();
        assert!(matches!(Profile::from_pprof(&cut[..cut.len() - 9]), Err(Error::Gzip(_))));
    }

    fn pack(plain: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        GzEncoder::new(plain, Compression::default()).read_to_end(&mut packed).unwrap();
        packed
    }

    #[test]
    fn refuses_what_grows_too_much() {
        // A field that is not known, in pieces of 4 MiB: without a limit all of it would be unpacked.
        let mut plain = Vec::new();
        for _ in 0..4 {
            plain.extend([0xfa, 0x7f, 0x80, 0x80, 0x80, 2]);
            plain.resize(plain.len() + (4 << 20), 0);
        }
        let error = Profile::from_pprof(&pack(&plain)).unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit: Limit::Ratio, .. }), "{error}");
        assert!(matches!(Profile::from_pprof(&plain), Err(Error::StringTable)));
    }

    #[test]
    fn refuses_what_is_too_long() {
        let mut data = vec![0; Limit::Packed.max() as usize + 1];
        data[..2].copy_from_slice(&GZIP);
        let error = Profile::from_pprof(&data).unwrap_err().to_string();
        assert_eq!(error, "byte 67108864: more than 64 MiB of compressed data");
    }

    #[test]
    fn the_place_of_what_is_malformed_is_named() {
        let of = |data: &[u8]| Profile::from_pprof(data).unwrap_err().to_string();
        let error = of(&[0x10, 1]);
        assert!(
            error.starts_with("sample 0: not a pprof message: ") && error.contains("wire type"),
            "{error}"
        );
        let error = of(&[0x12, 0, 0x12, 3, 0x0a, 9, 1]);
        assert!(error.starts_with("sample 1: ") && error.contains("Sample.location_id"), "{error}");
        let text = of(&[0x32, 0, 0x32, 1, 0xff]);
        assert!(text.starts_with("string 1: ") && text.contains("invalid string value"), "{text}");
        let function = of(&[0x2a, 2, 0x08, 0x80]);
        assert!(
            function.starts_with("function number 0: ") && function.ends_with("invalid varint"),
            "{function}"
        );
    }
}
