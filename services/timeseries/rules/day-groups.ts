/** The distinct devices of an answer. */
export interface DeviceNames {
  readonly names: string[];
  indexOf(device: string): number;
}

/** Collects the devices of an answer. */
export function deviceNames(): DeviceNames {
  const places = new Map<string, number>();
  const names: string[] = [];
  function indexOf(device: string): number {
    const place = places.get(device) ?? names.length;
    if (place === names.length) {
      places.set(device, place);
      names.push(device);
    }
    return place;
  }
  return { names, indexOf };
}

/** Groups rows by date, in order of appearance, and by provider. */
export function byDateAndProvider<Row extends { date: string; provider: string }, Source>(
  rows: readonly Row[],
  sourceOf: (provider: string, own: readonly Row[]) => Source,
): { date: string; sources: Source[] }[] {
  return [...Map.groupBy(rows, ({ date }) => date)].map(([date, own]) => ({
    date,
    sources: [...Map.groupBy(own, ({ provider }) => provider)].map(([provider, theirs]) =>
      sourceOf(provider, theirs),
    ),
  }));
}
