function divides(year: number, by: number): boolean {
  return year % by === 0;
}

export function isLeap(year: number): boolean {
  return divides(year, 4) && (!divides(year, 100) || divides(400));
}
