import { isDeepStrictEqual } from 'node:util';
import type { Test } from 'tap';
import { compareSamples, readExport, recordsOf } from '../../sandbox/records.ts';

/** The URLs of the product and the sandbox. */
export interface Places {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly sandboxUrl: string;
}

/** Gets JSON of the sandbox. */
export const askSandbox =
  ({ sandboxUrl }: Pick<Places, 'sandboxUrl'>) =>
  async (path: string): Promise<unknown> =>
    // A connection each: the sandbox is busy for seconds at times, and closes idle ones meanwhile.
    (await fetch(sandboxUrl + path, { headers: { connection: 'close' } })).json();

const noDifference = { lost: 0, more: 0, other: 0, examples: [], twice: 0 };
/** New data may come between the two looks: each quarter of an hour. */
const looksMost = 4;
/** Seconds for which a blood pressure, a snapshot and a day have values. */
const severalMost = 200;

/** Compares all stored data of a user with the expected data, value by value; returns the number of samples. */
export async function comparePerson(
  t: Test,
  places: Places,
  { person, userId }: { readonly person: number; readonly userId: string },
): Promise<number> {
  let seen = await look(places, person, userId);
  for (let looks = 1; looks < looksMost && !seen.isSame; looks++) seen = await look(places, person, userId);
  const { have, want, samples, counts } = seen;
  t.same(samples, noDifference, `samples of person ${person}`);
  t.same(have, want, `records of person ${person}`);
  t.ok(counts.several < severalMost, `${counts.several} seconds of which several values were told`);
  return counts.compared;
}

async function look(places: Places, person: number, userId: string) {
  const asking = askSandbox(places);
  const headers = { 'x-api-key': places.apiKey };
  const stored = await readExport(await fetch(`${places.apiUrl}/api/v1/users/${userId}/export`, { headers }));
  const { lost, more, other, examples, ...counts } = await compareSamples(asking, person, stored.series);
  const samples = { lost, more, other, examples, twice: stored.twice };
  const want = await recordsOf(asking, person);
  const isSame = lost + more + other + stored.twice === 0 && isDeepStrictEqual(want, stored.records);
  return { have: stored.records, want, samples, counts, isSame };
}
