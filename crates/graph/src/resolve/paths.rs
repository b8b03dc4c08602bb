//! Whether an import names a file, as far as paths tell.

use super::index::last;
use crate::extract::module;
use crate::language::Language;

/// What stands together: a crate in Rust, a directory elsewhere.
pub(super) fn package(language: Language, path: &str) -> &str {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    if language != Language::Rust {
        return folder;
    }
    for part in ["/src/", "/tests/", "/benches/", "/examples/"] {
        if let Some((before, _)) = path.split_once(part) {
            return before;
        }
    }
    if path.starts_with("src/") || path.starts_with("tests/") { "" } else { folder }
}

/// Whether the import `import`, written in `from`, names the file at `path` or something in this container.
pub(super) fn names(import: &str, from: (Language, &str), to: &str, container: &str) -> bool {
    let module = module(to);
    if let Some(exact) = import.strip_prefix('/') {
        return module == exact || (module.is_empty() && exact.is_empty());
    }
    let folder = to.rsplit_once('/').map_or("", |(folder, _)| folder);
    if let Some(own) = import.strip_prefix("crate") {
        let own = own.trim_start_matches('/');
        let is_own = package(from.0, from.1) == package(from.0, to);
        return is_own && (own.is_empty() && module.ends_with("src") || holds(module, container, own));
    }
    holds(module, container, import)
        || ends_with(folder, import)
        || (!folder.is_empty() && from.0 == Language::Go && ends_with(import, folder))
        || (module.contains('/') && ends_with(import, module))
}

/// A module of this path, or something in it that is called so.
fn holds(module: &str, container: &str, wanted: &str) -> bool {
    if wanted.is_empty() {
        return false;
    }
    if ends_with(module, wanted) {
        return true;
    }
    // Most containers are told apart by their last part, for which nothing has to be put together.
    if container.is_empty() || wanted.rsplit('/').next() != Some(last(container)) {
        return false;
    }
    let container = container.replace("::", "/").replace(['.', '\\'], "/");
    ends_with(&container, wanted) || ends_with(&format!("{module}/{container}"), wanted)
}

/// At a boundary between parts.
fn ends_with(path: &str, end: &str) -> bool {
    !end.is_empty() && path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::{names, package};
    use crate::language::Language;

    #[test]
    fn an_import_names_a_file_by_the_end_of_its_path() {
        let rust = (Language::Rust, "crates/a/src/x.rs");
        let cases = [
            (true, "crate/rank", rust, "crates/a/src/rank.rs", ""),
            (true, "crate/rank", rust, "crates/a/src/rank/mod.rs", ""),
            (false, "crate/rank", rust, "crates/b/src/rank.rs", ""),
            (true, "crate", rust, "crates/a/src/lib.rs", ""),
            (true, "crate/rank/Kind", rust, "crates/a/src/rank.rs", "Kind"),
            (false, "std/rank", rust, "crates/a/src/rank.rs", ""),
            (true, "/a/x", (Language::Python, "a/b.py"), "a/x.py", ""),
            (true, "/a", (Language::Python, "a/b.py"), "a/__init__.py", ""),
            (false, "/x", (Language::Python, "a/b.py"), "a/x.py", ""),
            (true, "com/foo", (Language::Java, "A.java"), "src/com/foo/Bar.java", "com.foo"),
            (true, "Foo/Bar", (Language::CSharp, "A.cs"), "any/where.cs", "Foo.Bar"),
            (true, "example.com/x/rank", (Language::Go, "main.go"), "rank/sum.go", ""),
            (false, "example.com/x/rank", (Language::Go, "main.go"), "frank/sum.go", ""),
            (true, "inc/x", (Language::C, "a.c"), "lib/inc/x.h", ""),
        ];
        for (expected, import, from, to, container) in cases {
            assert_eq!(names(import, from, to, container), expected, "{import} in {} and {to}", from.1);
        }
        assert_eq!(package(Language::Rust, "crates/a/src/b/c.rs"), "crates/a");
        assert_eq!(package(Language::Go, "a/b/c.go"), "a/b");
    }
}
