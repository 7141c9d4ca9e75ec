use std::io::BufRead;

use crate::{Error, Limit, Place};

/// The fields of the outermost message one by one, as the bytes they are in the file: one is held at a time.
pub(super) struct Fields<R> {
    source: R,
    /// Bytes that were read.
    offset: u64,
    /// How many may be read, and which limit that is.
    max: u64,
    limit: Limit,
    bytes: Vec<u8>,
}

/// A field with its key.
pub(super) struct Field<'bytes> {
    pub(super) number: u64,
    pub(super) bytes: &'bytes [u8],
    /// Where it begins.
    pub(super) place: Place,
}

impl<R: BufRead> Fields<R> {
    /// Of at most `max` bytes, else `limit` is exceeded.
    pub(super) fn new(source: R, max: u64, limit: Limit) -> Self {
        Self { source, offset: 0, max, limit, bytes: Vec::new() }
    }

    /// The next field; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Field<'_>>, Error> {
        self.bytes.clear();
        let place = self.here();
        if self.source.fill_buf().map_err(Error::Gzip)?.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        match key & 7 {
            0 => drop(self.varint()?),
            1 => self.take(8)?,
            2 => {
                let place = self.here();
                let length = self.varint()?;
                if length > Limit::Field.max() {
                    return Err(Error::TooLarge { place, limit: Limit::Field });
                }
                self.take(length as usize)?;
            }
            5 => self.take(4)?,
            wire_type => return Err(malformed(place, format!("there is no wire type {wire_type}"))),
        }
        Ok(Some(Field { number: key >> 3, bytes: &self.bytes, place }))
    }

    /// Where reading stands.
    fn here(&self) -> Place {
        Place::Byte(self.offset)
    }

    /// Up to ten bytes of seven bits.
    fn varint(&mut self) -> Result<u64, Error> {
        let (place, start) = (self.here(), self.bytes.len());
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            self.take(1)?;
            let byte = self.bytes.last().copied().unwrap_or_default();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                let fits = self.bytes.len() - start < 10 || byte <= 1;
                return if fits { Ok(number) } else { Err(too_long(place)) };
            }
        }
        Err(too_long(place))
    }

    /// Moves so many bytes from the source to `bytes`.
    fn take(&mut self, mut count: usize) -> Result<(), Error> {
        let start = self.here();
        while count > 0 {
            let ready = self.source.fill_buf().map_err(Error::Gzip)?;
            if ready.is_empty() {
                return Err(malformed(start, format!("the data ends {count} bytes too early")));
            }
            let part = ready.len().min(count);
            self.bytes.extend_from_slice(&ready[..part]);
            self.source.consume(part);
            self.offset += part as u64;
            count -= part;
            if self.offset > self.max {
                return Err(Error::TooLarge { place: start, limit: self.limit });
            }
        }
        Ok(())
    }
}

fn too_long(place: Place) -> Error {
    malformed(place, "a number of more than 64 bits".to_owned())
}

fn malformed(place: Place, reason: String) -> Error {
    Error::Message { place, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(data: &[u8], max: u64) -> Result<Vec<(u64, Vec<u8>)>, String> {
        // Two bytes at a time, so that fields lie over the borders of what is ready.
        let source = std::io::BufReader::with_capacity(2, data);
        let mut fields = Fields::new(source, max, Limit::Unpacked);
        let mut seen = Vec::new();
        while let Some(field) = fields.next().map_err(|error| error.to_string())? {
            seen.push((field.number, field.bytes.to_vec()));
        }
        Ok(seen)
    }

    fn complaint(data: &[u8]) -> String {
        all(data, 1000).unwrap_err()
    }

    #[test]
    fn each_field_comes_whole() {
        let data = [0x0a, 2, 7, 8, 0x10, 0x96, 1, 0x1d, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8];
        let fields = all(&data, 21).unwrap();
        assert_eq!(fields.iter().map(|field| field.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(fields.iter().flat_map(|field| field.1.clone()).collect::<Vec<_>>(), data);
        assert_eq!(all(&data, 20).unwrap_err(), "byte 13: more than 512 MiB once decompressed");
        assert_eq!(all(&[], 0), Ok(Vec::new()));
    }

    #[test]
    fn what_is_malformed_is_named_with_its_place() {
        assert_eq!(complaint(&[0x08, 1, 0x0b]), "byte 2: not a pprof message: there is no wire type 3");
        let long = "byte 1: not a pprof message: a number of more than 64 bits";
        assert_eq!(complaint(&[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), long);
        assert_eq!(complaint(&[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2]), long);
        assert!(all(&[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], 1000).is_ok());
        assert_eq!(
            complaint(&[0x12, 5, 1, 2]),
            "byte 2: not a pprof message: the data ends 3 bytes too early"
        );
        assert_eq!(complaint(&[0x12]), "byte 1: not a pprof message: the data ends 1 bytes too early");
        assert_eq!(complaint(&[0x12, 0x81, 0x80, 0x80, 2]), "byte 1: a field of more than 4 MiB");
    }
}
