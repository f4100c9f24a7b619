const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const moreFollows = 32;

/**
 * The mappings of a source map without those of some sources, and without names. A mapping is a column and, relative to the
 * mapping before it, a source, a line and a column there, each as a VLQ.
 */
export function withoutSources(mappings: string, isLeftOut: (source: number) => boolean): string {
  const place = [0, 0, 0];
  const written = [0, 0, 0];
  const lines = mappings.split(';').map((line) => {
    let [column, writtenColumn] = [0, 0];
    return line.split(',').flatMap((segment) => {
      const [columns = 0, ...moved] = numbersOf(segment);
      column += columns;
      if (moved.length < place.length) return [];
      for (const at of place.keys()) place[at] = (place[at] ?? 0) + (moved[at] ?? 0);
      if (isLeftOut(place[0] ?? 0)) return [];
      const kept = [column - writtenColumn, ...place.map((value, at) => value - (written[at] ?? 0))];
      writtenColumn = column;
      written.splice(0, written.length, ...place);
      return [kept.map(textOf).join('')];
    });
  });
  return lines.map((segments) => segments.join(',')).join(';');
}

function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of segment) {
    const digit = digits.indexOf(character);
    value |= (digit & (moreFollows - 1)) << shift;
    shift += 5;
    if (digit & moreFollows) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function textOf(number: number): string {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const digit = rest & (moreFollows - 1);
    rest >>= 5;
    text += digits[rest > 0 ? digit | moreFollows : digit];
  } while (rest > 0);
  return text;
}
