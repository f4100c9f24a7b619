import t from 'tap';
import { zipOf } from '../../../sandbox/files/zip.ts';
import { openFile } from '../../../services/file-import/rules/read-file.ts';
import { appleExport, element, watch } from './importing.ts';

const context = { nowMs: Date.parse('2026-06-01'), rules: null, timeZone: null, skip: 0 };
const folder = 'apple_health_export';
const gpx =
  '<gpx><trk><trkseg><trkpt lat="1" lon="2"><ele>5</ele><time>2026-03-02T07:00:00Z</time></trkpt></trkseg></trk></gpx>';

function workout(minute: number, routes: number): string {
  const time = (of: number) => `2026-03-02 08:${String(of).padStart(2, '0')}:00 +0100`;
  const times = { startDate: time(minute), endDate: time(minute + 1) };
  const type = { workoutActivityType: 'HKWorkoutActivityTypeRunning', ...watch };
  const route = '<WorkoutRoute><FileReference path="/a.gpx"/></WorkoutRoute>';
  return element(
    'Workout',
    { ...type, ...times },
    Array.from({ length: routes }, () => route),
  );
}

/** Reads an export with workouts of one route. */
async function read(workouts: readonly string[]) {
  const file = zipOf([
    { name: `${folder}/export.xml`, bytes: Buffer.from(appleExport(workouts)) },
    { name: `${folder}/a.gpx`, bytes: Buffer.from(gpx) },
  ]);
  const begin = file.indexOf(`${folder}/a.gpx`) - 30;
  let reads = 0;
  const from = async (at: number) => {
    if (at === begin) reads += 1;
    return file.subarray(at);
  };
  const batches = [];
  for await (const batch of (await openFile({ length: file.length, from }, context)).batches)
    if (batch !== null) batches.push(batch);
  const named = batches.flatMap(({ skipped }) => skipped).filter(({ type }) => type === 'route');
  const items = batches.flatMap((batch) => batch.items.flat());
  return { reads, named, tracks: items.filter(({ track }) => track.length > 0).length };
}

t.test('a route that a workout names again and again is read once', async (t) => {
  const once = await read([workout(0, 1)]);
  t.ok(once.reads > 0);
  t.same(once, { reads: once.reads, named: [], tracks: 1 });
  t.same(await read([workout(0, 50)]), once);
});

t.test('a route that many workouts name is read a few times', async (t) => {
  const { reads: each } = await read([workout(0, 1)]);
  const all = await read(Array.from({ length: 10 }, (_, minute) => workout(minute, 1)));
  const positions = [6, 7, 8, 9, 10, 11]; // of the workouts: the first entry is `Me`
  t.same(all, {
    ...{ reads: 4 * each, tracks: 4 },
    named: [{ type: 'route', reason: 'The route of a workout cannot be read.', items: 6, positions }],
  });
});
