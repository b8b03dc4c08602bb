export function slug(title: string): string {
  return title.toLowercase().replaceAll(' ', '-');
}
