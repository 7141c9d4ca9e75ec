use object::{Object, ObjectKind, ObjectSection};

/// A way to make a program, and to start it.
pub(super) struct Shape {
    pub(super) name: &'static str,
    /// Of the compiler, for the last step: linking.
    pub(super) flags: &'static [&'static str],
    pub(super) treatment: Treatment,
    pub(super) starts_loader: bool,
    pub(super) has_build_id: bool,
    pub(super) has_lines: bool,
    /// Whether names tell type parameters.
    pub(super) keeps_parameters: bool,
}

/// What is done to the linked file before it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    None,
    /// Symbols are taken away; another copy keeps them.
    Stripped,
    /// Symbols and debug information are taken away; a file of their own keeps them.
    Split,
}

const PLAIN: Shape = Shape {
    name: "plain",
    flags: &[],
    treatment: Treatment::None,
    starts_loader: false,
    has_build_id: true,
    has_lines: true,
    keeps_parameters: false,
};

pub(super) const SHAPES: &[Shape] = &[
    PLAIN,
    Shape { name: "through-loader", starts_loader: true, ..PLAIN },
    Shape { name: "stripped", treatment: Treatment::Stripped, ..PLAIN },
    Shape { name: "split", treatment: Treatment::Split, ..PLAIN },
    Shape { name: "no-debug-information", flags: &["-Cstrip=debuginfo"], has_lines: false, ..PLAIN },
    Shape { name: "full-debug-information", flags: &["-Cdebuginfo=2"], ..PLAIN },
    Shape { name: "v0-mangling", flags: &["-Csymbol-mangling-version=v0"], keeps_parameters: true, ..PLAIN },
    Shape { name: "no-build-id", flags: &["-Clink-arg=-Wl,--build-id=none"], has_build_id: false, ..PLAIN },
    Shape { name: "separate-code", flags: &["-Clink-arg=-Wl,-z,separate-code"], ..PLAIN },
    Shape { name: "large-pages", flags: &["-Clink-arg=-Wl,-z,max-page-size=2097152"], ..PLAIN },
    Shape { name: "fixed", flags: &[FIXED], ..PLAIN },
    Shape { name: "gnu-ld", flags: &[GNU_LD], ..PLAIN },
    Shape { name: "gnu-ld-one-segment", flags: &[GNU_LD, "-Clink-arg=-Wl,-z,noseparate-code"], ..PLAIN },
    Shape { name: "gnu-ld-fixed", flags: &[GNU_LD, FIXED], ..PLAIN },
    Shape { name: "static-pie", flags: &[STATIC], ..PLAIN },
    Shape { name: "static-fixed", flags: &[STATIC, FIXED], ..PLAIN },
];

const GNU_LD: &str = "-Clink-arg=-fuse-ld=bfd";
const FIXED: &str = "-Crelocation-model=static";
const STATIC: &str = "-Ctarget-feature=+crt-static";

impl Shape {
    /// What is not as the flags ask for, if anything is: a linker may not know one of them.
    pub(super) fn fault_in(&self, file: &[u8]) -> Option<String> {
        let object = object::File::parse(file).map_err(|error| error.to_string());
        let object = match object {
            Ok(object) => object,
            Err(error) => return Some(error),
        };
        let has = |flag| self.flags.contains(&flag);
        let section = |name| object.section_by_name(name);
        let comment = section(".comment").and_then(|section| section.data().ok()).unwrap_or_default();
        let is_of_lld = comment.windows(3).any(|bytes| bytes == b"LLD");
        let facts = [
            ("fixed", object.kind() == ObjectKind::Executable, has(FIXED)),
            ("without a loader", section(".interp").is_none(), has(STATIC)),
            ("with lines", section(".debug_line").is_some(), self.has_lines),
            ("with a build id", object.build_id().is_ok_and(|id| id.is_some()), self.has_build_id),
        ];
        let mut faults = facts.iter().filter(|(_, is, should)| is != should);
        if let Some((what, is, _)) = faults.next() {
            return Some(format!("{what}: {is}"));
        }
        (has(GNU_LD) && is_of_lld).then(|| "it was linked by LLD".to_owned())
    }
}
