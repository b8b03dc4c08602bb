//! When two diffs are the same attempt.

use ralph_checks::diff::{Change, fingerprint, fingerprint_unified, similarity};

const A: &str = "\
diff --git a/src/total.rs b/src/total.rs
index 1111111..2222222 100644
--- a/src/total.rs
+++ b/src/total.rs
@@ -1,3 +1,3 @@
 pub fn total(prices: &[u32]) -> u32 {
-    prices.iter().take(prices.len().saturating_sub(1)).sum()
+    prices.iter().skip(1).sum()
 }
";

fn like(a: &str, b: &str) -> f64 {
    similarity(&fingerprint_unified(a), &fingerprint_unified(b))
}

#[test]
fn the_same_change_is_the_same_wherever_it_stands() {
    let moved = A
        .replace("@@ -1,3 +1,3 @@", "@@ -41,3 +52,3 @@ mod x")
        .replace("1111111..2222222", "3333333..4444444");
    assert_eq!(like(A, &moved), 1.0);
    let spaced = A.replace("skip(1).sum()", "skip( 1 ) .sum( )").replace("+    ", "+\t");
    assert_eq!(like(A, &spaced), 1.0);
    let context =
        A.replace(" pub fn total(prices: &[u32]) -> u32 {", " pub fn total(items: &[u32]) -> u32 {");
    assert_eq!(like(A, &context), 1.0);
    let commented = A.replace("skip(1).sum()", "skip(1).sum() // all but the first");
    assert_eq!(like(A, &commented), 1.0);
}

#[test]
fn another_change_is_another() {
    let other_file = A.replace("total.rs", "slug.rs");
    assert_eq!(like(A, &other_file), 0.0);
    let other_way = A.replace(".skip(1)", ".map(|price| price * 2)");
    assert!(like(A, &other_way) < 0.7, "{}", like(A, &other_way));
    let undone = A.replace("-    ", "~    ").replace("+    ", "-    ").replace("~    ", "+    ");
    assert!(like(A, &undone) < 0.3, "{}", like(A, &undone));
    let nearly = A.replace("skip(1)", "skip(2)");
    assert!((0.3..1.0).contains(&like(A, &nearly)), "{}", like(A, &nearly));
}

#[test]
fn what_changes_nothing_has_no_fingerprint() {
    let blank = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a  +  b\n-// one\n+a + b\n+// two\n";
    for nothing in ["", "diff --git a/x b/x\nindex 1..2 100644\n", blank, "no diff at all\n"] {
        let found = fingerprint_unified(nothing);
        assert!(found.is_empty(), "{nothing}");
        assert_eq!(similarity(&found, &found), 0.0);
    }
    assert!(fingerprint(&[Change::between("x", "a\nb\n", "b\na\n")]).is_empty());
}

#[test]
fn a_unified_diff_and_the_files_themselves_agree() {
    let before = "pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().take(prices.len().saturating_sub(1)).sum()\n}\n";
    let after = before.replace(".take(prices.len().saturating_sub(1))", ".skip(1)");
    let whole = fingerprint(&[Change::between("src/total.rs", before, &after)]);
    assert_eq!(whole, fingerprint_unified(A));
}

#[test]
fn what_is_no_text_is_a_change_too() {
    let rename = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
    let mode = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n";
    let binary = "diff --git a/x b/x\nBinary files a/x and b/x differ\n";
    for change in [rename, mode, binary] {
        assert!(!fingerprint_unified(change).is_empty(), "{change}");
    }
    assert_eq!(like(rename, mode), 0.0);
}

#[test]
fn a_line_of_minuses_in_a_hunk_is_no_header() {
    let diff = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,1 @@\n--- a comment of SQL\n-select 1\n+select 2\n";
    let other = diff.replace("select 2", "select 3");
    assert!(!fingerprint_unified(diff).is_empty() && like(diff, &other) < 1.0);
}

#[test]
fn of_a_huge_diff_a_sample_is_compared() {
    let diff = |from: usize| {
        let lines: String =
            (from..from + 20_000).map(|n| format!("+word{n} next{n} last{n} end{n}\n")).collect();
        format!("--- a/x\n+++ b/x\n@@ -0,0 +1,20000 @@\n{lines}")
    };
    assert_eq!(like(&diff(0), &diff(0)), 1.0);
    let half = like(&diff(0), &diff(10_000));
    assert!((0.25..0.42).contains(&half), "a third of all, as the sets go: {half}");
    assert!(like(&diff(0), &diff(50_000)) < 0.05);
}
