/** The periods of the list of changes, by their names in the address. */
export const periods = [
  { name: 'hour', title: 'Last hour', hours: 1 },
  { name: 'day', title: 'Last day', hours: 24 },
  { name: 'week', title: 'Last week', hours: 168 },
] as const;

/** The period that the address names; a day if it names none. */
export const periodNamed = (name: string | null) => periods.find((one) => one.name === name) ?? periods[1];

/** The most pages of the feed that are read for a period. */
export const mostPages = 5;

/** The changes of the feed, the newest first. The feed has the order in which they were published, which may differ a little. */
export const newestFirst = <C extends { readonly timestamp: string }>(changes: readonly C[]): C[] =>
  changes.toReversed().sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp));

type SourceText = (source: { provider: string; device: string }) => string;

/** What a change is about: the kind of data, its day, its source. */
export function changeText(
  data: Readonly<Record<string, unknown>>,
  { sourceText, nameOf }: { sourceText: SourceText; nameOf: (type: string) => string },
): string {
  const text = (name: string) => {
    const value = data[name];
    return typeof value === 'string' ? value : '';
  };
  const what = text('series_type') || text('kind') || text('data_type');
  const day = text('date') || text('start_time').slice(0, 10);
  const provider = text('provider');
  const source = provider === '' ? '' : sourceText({ provider, device: text('device') || 'unknown' });
  return [what === '' ? '' : nameOf(what), day, source, data.historical === true ? 'past data' : '']
    .filter((part) => part !== '')
    .join(', ');
}
