/// How much of addresses is looked up: what a reader of the profile gets, against what it costs to make it.
///
/// What is not looked up here can be looked up later, and elsewhere, where the program's files are: see
/// [`Symbolizer::symbolize`](crate::Symbolizer::symbolize).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Symbolization {
    /// Names, inlined functions, files and lines, as far as the program has debug information.
    #[default]
    Full,
    /// Names from symbol tables alone: one function for each address, without file and line. Debug information,
    /// which is most of a file, is not read.
    Names,
    /// Addresses, with the mappings and build ids that lead to their names. No file of the program is opened; each
    /// frame is called `module+0xoffset`.
    None,
}
