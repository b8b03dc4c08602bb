use shop::leap::is_leap;

#[test]
fn every_fourth_year_is_one() {
    assert!(is_leap(2024));
}

#[test]
fn a_century_is_none() {
    assert!(!is_leap(1900));
}
