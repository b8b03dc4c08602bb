//! Where code, packages and builds are kept.

use super::{Before, Look, Shape, key, shape, word};

pub(super) static BUILDS: [Shape; 28] = [
    key("github", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9]{36,}"),
    key("github", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{36,}"),
    key(
        "gitlab",
        &[
            "glpat-", "gloas-", "gldt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-",
            "glffct-",
        ],
        r"gl[a-z]{2,5}-[A-Za-z0-9_.-]{20,}",
    ),
    word("gitlab", &["glrt-", "GR1348941"], r"(?:glrt-|GR1348941)[A-Za-z0-9_-]{20,}"),
    word("bitbucket", &["ATBB"], r"ATBB[A-Za-z0-9]{24,}(?:[0-9A-F]{8})?"),
    key("atlassian", &["ATATT3", "ATCTT3"], r"AT[AC]TT3[A-Za-z0-9_=-]{60,}"),
    word("sourcegraph", &["sgp_"], r"sgp_(?:[A-Fa-f0-9]{16}_|local_)?[A-Fa-f0-9]{40}"),
    word("lichess", &["lip_"], r"lip_[A-Za-z0-9]{20}\b"),
    word("npm", &["npm_"], r"npm_[A-Za-z0-9]{36}"),
    key("pypi", &["pypi-AgE"], r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    key("rubygems", &["rubygems_"], r"rubygems_[a-f0-9]{48}"),
    word("cratesio", &["cio"], r"cio[A-Za-z0-9]{32}\b"),
    key("clojars", &["CLOJARS_"], r"CLOJARS_[a-z0-9]{60}"),
    key("dockerhub", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{27,}"),
    word("buildkite", &["bkua_"], r"bkua_[a-z0-9]{40}"),
    word("circleci", &["CCIPAT_"], r"CCIPAT_[A-Za-z0-9]{16,}_[a-f0-9]{40}"),
    key("sonar", &["sqp_", "squ_", "sqa_"], r"sq[pua]_[a-f0-9]{40}"),
    word("artifactory", &["AKCp"], r"AKCp[A-Za-z0-9]{69}"),
    key("artifactory", &["cmVmdGtuOjAxOj"], r"cmVmdGtuOjAxOj[A-Za-z0-9]{50}"),
    word("nuget", &["oy2"], r"oy2[a-z0-9]{43}\b"),
    shape("packagist", &["agist_"], Before::Bytes(4), Look::Any, r"packagist_[ou][ru]t_[a-f0-9]{64,}"),
    key("snyk", &["snyk_uat.", "snyk_sat."], r"snyk_[us]at\.[A-Za-z0-9_.-]{40,}"),
    word("octopus", &["API-"], r"API-[A-Z0-9]{26,36}\b"),
    word("checkly", &["cu_"], r"cu_[a-f0-9]{32}\b"),
    word("readme", &["rdme_"], r"rdme_[a-z0-9]{60,}"),
    word("gitbook", &["gb_api_"], r"gb_api_[A-Za-z0-9]{32,}"),
    word("wakatime", &["waka_"], r"waka_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    word("zuplo", &["zpka_"], r"zpka_[a-z0-9]{32}_[a-z0-9]{8}"),
];
