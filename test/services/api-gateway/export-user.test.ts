import t from 'tap';
import type { Call } from '../../../runtime/environment.ts';
import { exportUser } from '../../../services/api-gateway/work/export.ts';

const firstPage = { samples: 5000, tracks: 500 };

/** The bus, with a user who has one sample and one track more than a page. */
const call: Call = async (action: string, given: object) => {
  const { after } = { after: null, ...given };
  const isFirst = after === null || Number(after) < 0;
  const answers: Readonly<Record<string, () => unknown>> = {
    'users.get': () => ({ id: 'u' }),
    'timeseries.exportSeries': () => [
      { series_id: 1, type: 'steps', unit: 'count', source: { provider: 'devicemaker', device: 'watch' } },
    ],
    'timeseries.exportSamples': () => {
      const at = Array.from({ length: isFirst ? firstPage.samples : 1 }, (_, n) => n + (isFirst ? 0 : 1e6));
      return { at, ends: null, values: at, zone_offset_minutes: at };
    },
    'timeseries.exportRecords': () => ({ records: [], next: null }),
    'timeseries.exportTracks': () =>
      Array.from(
        { length: isFirst ? firstPage.tracks : 1 },
        (_, n) => `${isFirst ? 'first' : 'second'}-${n}`,
      ),
    'timeseries.workoutTrack': () => ({ track: null }),
  };
  return answers[action]?.() as never;
};

t.test('an export has what follows a full page of samples', async (t) => {
  let samples = 0;
  for await (const { kind } of exportUser(call, { user_id: 'u', kinds: ['sample'] }))
    samples += Number(kind === 'sample');
  t.equal(samples, firstPage.samples + 1);
});

t.test('an export asks for the tracks that follow a full page', async (t) => {
  const pages: unknown[] = [];
  const noting: typeof call = async (action, ...given) => {
    if (action === 'timeseries.exportTracks') pages.push(Reflect.get(Object(given[0]), 'after'));
    return call(action, ...given);
  };
  for await (const _ of exportUser(noting, { user_id: 'u', kinds: ['workout_track'] }));
  t.same(pages, [null, 'first-499']);
});
