//! The compiled query of each language, and what each of its captures stands for.

use std::sync::OnceLock;

use tree_sitter::Query;

use crate::language::Language;
use crate::outline::{Kind, Relation};

/// What a capture of a query stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Symbol(Kind),
    Name,
    /// Where a name of several words begins and ends.
    NameBegin,
    NameEnd,
    /// A name with pointers, references and scopes around it, as C and C++ write it.
    Declarator,
    /// The type that a symbol belongs to without standing in it.
    Container,
    /// What is in it belongs to its name, and it is no symbol itself.
    Scope,
    /// The same for all of the file.
    FileScope,
    Mention(Relation),
    /// A name that is handed over: a mention if it is a function's.
    Value,
    /// A path or an object before a mention.
    Qualifier,
    /// A value before a mention.
    Receiver,
    Implementer,
    Import,
    ImportPath,
    /// A path from the file's own directory.
    ImportNear,
    ImportFile,
    ImportName,
    ImportAlias,
    ImportAll,
    /// Several at once, as Rust and PHP write them.
    ImportTree,
    /// Only looked at by the query itself.
    Private,
}

#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) query: Query,
    pub(super) roles: Vec<Role>,
}

/// Compiled when a language is first met.
pub(super) fn compiled(language: Language) -> &'static Compiled {
    static ALL: [OnceLock<Compiled>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];
    ALL[language as usize].get_or_init(|| {
        let text = language.queries().concat();
        let query = Query::new(&language.grammar(), &text)
            .unwrap_or_else(|error| panic!("the query for {} is wrong: {error}", language.name()));
        let roles = query.capture_names().iter().map(|name| role(name)).collect();
        Compiled { query, roles }
    })
}

fn role(capture: &str) -> Role {
    if capture.starts_with('_') {
        return Role::Private;
    }
    if let Some(kind) = capture.strip_prefix("symbol.") {
        let kind = Kind::ALL.into_iter().find(|one| one.name() == kind);
        return Role::Symbol(kind.unwrap_or_else(|| panic!("no kind of symbol is called {capture}")));
    }
    match capture {
        "name" => Role::Name,
        "name.begin" => Role::NameBegin,
        "name.end" => Role::NameEnd,
        "declarator" => Role::Declarator,
        "container" => Role::Container,
        "scope" => Role::Scope,
        "scope.file" => Role::FileScope,
        "call" => Role::Mention(Relation::Calls),
        "reference" => Role::Mention(Relation::References),
        "implements" => Role::Mention(Relation::Implements),
        "value" => Role::Value,
        "qualifier" => Role::Qualifier,
        "receiver" => Role::Receiver,
        "implementer" => Role::Implementer,
        "import" => Role::Import,
        "import.path" => Role::ImportPath,
        "import.near" => Role::ImportNear,
        "import.file" => Role::ImportFile,
        "import.name" => Role::ImportName,
        "import.alias" => Role::ImportAlias,
        "import.all" => Role::ImportAll,
        "import.tree" => Role::ImportTree,
        other => panic!("no capture is called {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::compiled;
    use crate::language::Language;

    #[test]
    fn the_query_of_every_language_compiles() {
        for language in Language::ALL {
            assert!(compiled(language).query.pattern_count() > 5, "{}", language.name());
        }
    }
}
