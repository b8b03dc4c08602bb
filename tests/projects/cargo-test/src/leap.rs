pub fn is_leap(year: u32) -> bool {
    year % 4 == 0
}
