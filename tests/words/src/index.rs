use std::{collections::HashMap, fs, path::Path};

/// Words, and in which lines of which files they are.
#[derive(Debug, Default)]
pub struct Index {
    places: HashMap<String, Vec<(u32, u32)>>,
}

impl Index {
    /// Of every Rust source below a directory that is text.
    ///
    /// # Errors
    ///
    /// A directory cannot be read.
    pub fn of(directory: &Path) -> Result<Self, walkdir::Error> {
        let mut index = Self::default();
        let is_source = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
        let mut files = 0;
        for entry in walkdir::WalkDir::new(directory).sort_by_file_name() {
            let path = entry?.into_path();
            if let Some(text) = is_source(&path).then(|| fs::read_to_string(&path).ok()).flatten() {
                index.add(files, &text);
                files += 1;
            }
        }
        Ok(index)
    }

    fn add(&mut self, file: u32, text: &str) {
        for (number, line) in (1..).zip(text.lines()) {
            for word in line.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
                self.places.entry(word.to_owned()).or_default().push((file, number));
            }
        }
    }

    /// Forgets words that are in fewer places.
    pub fn forget(&mut self, places: usize) {
        self.places.retain(|_, of_word| of_word.len() >= places);
    }

    /// How many different words there are.
    #[must_use]
    pub fn words(&self) -> usize {
        self.places.len()
    }

    /// How many words there are.
    #[must_use]
    pub fn places(&self) -> usize {
        self.places.values().map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_are_forgotten() {
        let mut index = Index::default();
        index.add(0, "let a = b;\nlet b = a;");
        index.add(1, "let c;");
        assert_eq!((index.words(), index.places()), (4, 8));
        index.forget(2);
        assert_eq!((index.words(), index.places()), (3, 7));
        assert_eq!(index.places["let"], [(0, 1), (0, 2), (1, 1)]);
    }
}
