import { readExport } from '../../sandbox/records.ts';
import type { Arrival } from './receiver.ts';
import { isWithin, nameOf, type SeriesCopy, Span } from './series-copy.ts';

interface Exporting {
  readonly origin: string;
  readonly key: string;
}

type Series = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** The series of a user, by their names in a copy. */
export async function exportedSeries({ origin, key }: Exporting, userId: string): Promise<Series> {
  const url = `${origin}/api/v1/users/${userId}/export`;
  const { series, twice } = await readExport(await fetch(url, { headers: { 'X-API-Key': key } }));
  if (twice > 0) throw new Error(`${userId}: ${twice} seconds are stored twice`);
  return new Map([...series].map(([name, samples]) => [`${userId}/${name}`, samples]));
}

/** Where the copy of a user's series differs from what is stored. */
export function wrongCopies(copy: SeriesCopy, userId: string, stored: Series): string[] {
  const names = new Set([...copy.series.keys()].filter((name) => name.startsWith(userId)));
  return [...names.union(new Set(stored.keys()))].flatMap((name) => {
    const [have, want] = [copy.series.get(name) ?? new Map(), stored.get(name) ?? new Map()];
    const seconds = [...new Set(have.keys()).union(new Set(want.keys()))];
    const wrong = seconds.filter((second) => have.get(second) !== want.get(second));
    return wrong.length === 0
      ? []
      : `${name}: ${wrong.length} of ${want.size}, as ${wrong[0]}: ${have.get(wrong[0])}, not ${want.get(wrong[0])}`;
  });
}

/** Series with samples in no span that was reported. */
export function unreported(arrivals: readonly Arrival[], stored: Series): string[] {
  const spans = arrivals
    .filter(({ type }) => type === 'timeseries.updated')
    .map(({ data }) => Span.parse(data));
  const bySeries = Map.groupBy(spans, nameOf);
  return [...stored].flatMap(([name, samples]) => {
    const own = bySeries.get(name) ?? [];
    const outside = [...samples.keys()].filter((second) => !own.some((span) => isWithin(span, second)));
    return outside.length === 0 ? [] : `${name}: ${outside.length} of ${samples.size} samples`;
  });
}
