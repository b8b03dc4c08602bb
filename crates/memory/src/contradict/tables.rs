//! What words mean where it matters whether two sentences can both be true.

/// Say nothing about what a claim is about.
const FILLERS: &str = "project code codebase repo repository app application system team we our this here now currently \
    always all every just also still must should need needs needed require requires required instead please note remember \
    thing things actually really since today anymore any longer shall would could may might will via per each everything \
    everywhere there its it's they them you your as so then yet already new existing current latest ever again but because \
    be been let least most up whole entire both march";

/// Words that are written in several ways, and what they count as.
const SAME: [(&str, &str); 44] = [
    ("db", "database"),
    ("databas", "database"),
    ("config", "configuration"),
    ("configur", "configuration"),
    ("prod", "production"),
    ("product", "production"),
    ("dev", "development"),
    ("develop", "development"),
    ("dir", "directory"),
    ("directori", "directory"),
    ("folder", "directory"),
    ("deps", "dependency"),
    ("depend", "dependency"),
    ("env", "environment"),
    ("auth", "authentication"),
    ("authent", "authentication"),
    ("postgresql", "postgres"),
    ("postgr", "postgres"),
    ("pg", "postgres"),
    ("k8s", "kubernetes"),
    ("js", "javascript"),
    ("ts", "typescript"),
    ("utilise", "use"),
    ("utilize", "use"),
    ("uses", "use"),
    ("used", "use"),
    ("using", "use"),
    ("func", "function"),
    ("param", "parameter"),
    ("params", "parameter"),
    ("paramet", "parameter"),
    ("spec", "test"),
    ("specs", "test"),
    ("ran", "run"),
    ("execut", "run"),
    ("resid", "live"),
    ("locat", "live"),
    ("licens", "license"),
    ("licenc", "license"),
    ("default", "default"),
    ("sec", "second"),
    ("secs", "second"),
    ("min", "minute"),
    ("mins", "minute"),
];

/// Words that turn a claim around.
const DENIALS: &str =
    "not never no without cannot avoid avoids forget skip forbidden prohibited disallowed neither lacks";

/// What is said to be so with these may be otherwise now and then.
const HEDGES: &str =
    "some most many often sometimes usually mostly partly few rarely occasionally perhaps maybe";

/// Pairs that exclude each other.
const OPPOSITES: [(&str, &str); 30] = [
    ("enabled", "disabled"),
    ("enable", "disable"),
    ("enables", "disables"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("synchronously", "asynchronously"),
    ("before", "after"),
    ("required", "optional"),
    ("mandatory", "optional"),
    ("allowed", "forbidden"),
    ("mutable", "immutable"),
    ("public", "private"),
    ("safe", "unsafe"),
    ("on", "off"),
    ("true", "false"),
    ("sequential", "parallel"),
    ("sequentially", "concurrently"),
    ("serially", "concurrently"),
    ("online", "offline"),
    ("relative", "absolute"),
    ("strict", "lenient"),
    ("case-sensitive", "case-insensitive"),
    ("ascending", "descending"),
    ("single-threaded", "multi-threaded"),
    ("lowercase", "uppercase"),
    ("eager", "lazy"),
    ("eagerly", "lazily"),
    ("stateless", "stateful"),
    ("inclusive", "exclusive"),
    ("first", "last"),
];

/// Things of which one has one: where one is used, the others of its line are not.
const CHOICES: [&str; 34] = [
    "postgres mysql mariadb sqlite oracle mssql cockroachdb",
    "redis memcached valkey",
    "npm yarn pnpm bun",
    "pip poetry uv pipenv conda pdm",
    "jest mocha vitest ava jasmine",
    "pytest unittest nose",
    "prettier biome dprint",
    "black yapf autopep8",
    "eslint tslint jshint",
    "webpack vite rollup esbuild parcel",
    "nginx apache caddy traefik",
    "kafka rabbitmq sqs nats pulsar",
    "jenkins circleci travis buildkite",
    "kubernetes nomad swarm",
    "react vue angular svelte",
    "django flask fastapi",
    "express koa fastify hapi",
    "tokio async-std smol",
    "reqwest ureq hyper isahc",
    "diesel sqlx sea-orm",
    "prisma typeorm sequelize drizzle",
    "json yaml toml xml ini",
    "tabs spaces",
    "utf-8 latin-1 utf-16 ascii",
    "lf crlf",
    "snake_case camelcase pascalcase kebab-case",
    "cmake bazel meson gradle maven",
    "rest graphql grpc",
    "bash zsh fish",
    "github gitlab bitbucket",
    "aws gcp azure",
    "docker podman",
    "python ruby rust java kotlin typescript javascript golang elixir php",
    "mit apache-2.0 gpl bsd mpl-2.0",
];

/// What has one value, so that two are one too many; any word can be it.
const HAS_ONE: &str = "branch name prefix suffix separator delimiter extension user owner region locale timezone shell format \
    languag runner linter formatt framework database orm engin backend license encod algorithm theme editor charset protocol \
    registri currenc manag level";
/// The same, but only what is written like a name or a path is a value.
const HAS_ONE_NAME: &str = "path file directory entri point host url key class function modul root target port version endpoint \
    command script variabl header tabl column timeout";

/// Where something can be so while it is not so elsewhere.
const PLACES: &str = "ci production staging development windows macos linux mac test tests docker release debug benchmark \
    benchmarks nightly local sandbox main master container containers";
const CONDITIONS: &str = "if when unless while except during where until whenever only";

/// Numbers of these say where work stands or where something was seen.
const PASSING: &str = "line issu pr step iter attempt day commit test file error warn failur pass fail time ticket bug page \
    row exit code item task result match hour ago";
const UNITS: &str = "second ms minute mb kb gb byte percent % s m h k g hour day";
/// Verbs that say nothing of what is chosen.
const CHOOSING: &str = "use run choos chose chosen prefer switch move migrat adopt pick decid set stand is are becom replac \
    chang write written build built base back manag";

pub(crate) fn is_filler(word: &str) -> bool {
    is_in(FILLERS, word)
}

pub(crate) fn canonical(word: &str) -> Option<&'static str> {
    SAME.iter().find(|(from, _)| *from == word).map(|(_, to)| *to)
}

pub(crate) fn denies(word: &str) -> bool {
    is_in(DENIALS, word) || word.ends_with("n't")
}

pub(super) fn hedges(word: &str) -> bool {
    is_in(HEDGES, word)
}

pub(super) fn are_opposite(one: &str, other: &str) -> bool {
    let is_without = |one: &str, other: &str| {
        let rest = one.strip_prefix("un").or_else(|| one.strip_prefix("non-"));
        rest == Some(other) && other.len() >= 5
    };
    if is_without(one, other) || is_without(other, one) {
        return true;
    }
    OPPOSITES.iter().any(|(a, b)| (one, other) == (*a, *b) || (one, other) == (*b, *a))
}

/// The line of choices that a word is one of.
pub(super) fn choice(stem: &str) -> Option<usize> {
    CHOICES.iter().position(|line| is_in(line, stem))
}

pub(super) fn has_one(stem: &str) -> bool {
    is_in(HAS_ONE, stem)
}

pub(super) fn has_one_name(stem: &str) -> bool {
    is_in(HAS_ONE_NAME, stem)
}

pub(super) fn is_place(word: &str) -> bool {
    is_in(PLACES, word)
}

pub(super) fn is_condition(word: &str) -> bool {
    is_in(CONDITIONS, word)
}

pub(super) fn is_passing(stem: &str) -> bool {
    is_in(PASSING, stem)
}

pub(super) fn is_unit(stem: &str) -> bool {
    is_in(UNITS, stem)
}

pub(super) fn chooses(stem: &str) -> bool {
    is_in(CHOOSING, stem)
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}
