use shop::total::total;

#[test]
fn nothing_costs_nothing() {
    assert_eq!(total(&[]), 0);
}

#[test]
fn every_price_counts() {
    assert_eq!(total(&[1, 2, 3]), 6);
}
