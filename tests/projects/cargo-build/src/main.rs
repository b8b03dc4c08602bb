mod leap;
mod slug;
mod total;

fn main() {
    println!("{} {} {}", total::total(&[1, 2]), slug::slug("Hello World"), leap::is_leap(2024));
}
