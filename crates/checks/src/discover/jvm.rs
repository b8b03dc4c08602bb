//! Maven and Gradle; a wrapper in the project comes before what is installed.

use super::dir::Dir;
use super::{Criterion, Proposal, proposal};
use crate::tool::Tool;

const GRADLE: [&str; 4] = ["settings.gradle.kts", "settings.gradle", "build.gradle.kts", "build.gradle"];

pub(super) fn maven(dir: &Dir) -> Vec<Proposal> {
    if !dir.has("pom.xml") {
        return Vec::new();
    }
    let program = if dir.has("mvnw") { "./mvnw" } else { "mvn" };
    // Batch mode, and every module even if one fails.
    let command = |goal: &[&'static str]| [&[program, "-B", "-fae"], goal].concat();
    vec![
        proposal(Criterion::TestPass, Tool::Maven, &command(&["test"]), "pom.xml"),
        proposal(Criterion::BuildSuccess, Tool::Maven, &command(&["-DskipTests", "package"]), "pom.xml"),
        proposal(Criterion::TypeCheck, Tool::Maven, &command(&["test-compile"]), "pom.xml"),
    ]
}

pub(super) fn gradle(dir: &Dir) -> Vec<Proposal> {
    let Some(why) = dir.first(&GRADLE) else { return Vec::new() };
    let program = if dir.has("gradlew") { "./gradlew" } else { "gradle" };
    let command = |tasks: &[&'static str]| [&[program, "--console=plain", "--continue"], tasks].concat();
    vec![
        proposal(Criterion::TestPass, Tool::Gradle, &command(&["test"]), why),
        proposal(Criterion::BuildSuccess, Tool::Gradle, &command(&["assemble"]), why),
        proposal(Criterion::TypeCheck, Tool::Gradle, &command(&["classes", "testClasses"]), why),
    ]
}
