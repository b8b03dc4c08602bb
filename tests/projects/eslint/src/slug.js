export function slug(title) {
  let lower = title.toLowerCase();
  return lower.replaceAll(' ', '-');
}
