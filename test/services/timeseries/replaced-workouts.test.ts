import t from 'tap';
import { minuteMs } from '../../../domain/time/time.ts';
import { activity, at, block, item, workout } from './items.ts';
import { setUp } from './setting.ts';

const { call, userId: user_id, database } = await setUp(t);
const start = at('08:00:00');
const provider = 'polar';
const normaliser_version = 1;
const beats = (device: string) =>
  block(
    'heart_rate',
    [
      [start, 100],
      [start + 30 * minuteMs, 110],
    ],
    { device },
  );
const replaces = {
  ...{ data_type: 'activities', series: [], records: ['workouts' as const] },
  ...{ start_ms: at('00:00:00'), end_ms: at('23:00:00') },
};

async function stored(): Promise<string[]> {
  const rows = await database.query<{ line: string }>(
    `select s.device || ' ' || count(*) as line from timeseries.sample x
     join timeseries.series s on s.id = x.series_id where s.user_id = $1 group by s.device order by 1`,
    [user_id],
  );
  return rows.map(({ line }) => line);
}

t.test('the samples of a workout go with it when its span is read again, and no others', async (t) => {
  const run = activity(workout(start, 60, { device: 'Watch' }), { samples: [beats('Watch')] });
  const continuous = item({ data_type: 'heart_rate', samples: [beats('Band')] });
  const given = { user_id, provider, normaliser_version } as const;
  await call('timeseries.store', { ...given, items: [continuous] });
  await call('timeseries.replace', { ...given, items: [run], replaces });
  t.same(await stored(), ['Band 2', 'Watch 2']);
  await call('timeseries.replace', { ...given, items: [], replaces });
  t.same(await stored(), ['Band 2']);
  const blocks = await database.query('select from timeseries.activity_block where user_id = $1', [user_id]);
  t.equal(blocks.length, 0);
  await call('timeseries.replace', { ...given, items: [run], replaces });
  t.same(await stored(), ['Band 2', 'Watch 2'], 'it is stored anew when it is listed again');
});
