import t from 'tap';
import { selectSampleBytes } from '../../../services/timeseries/tables/chunks.ts';
import { freshDatabase } from '../../support/servers/database.ts';

t.test('the space of samples grows with them, and is that of all chunks', async (t) => {
  const database = await freshDatabase(t);
  const empty = await selectSampleBytes(database);
  t.match(empty, { chunks: 0, compressed_chunks: 0, compressed_bytes: 0 });
  await database.query(`
    insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
    select 1, 0, t, 1 from generate_series(timestamptz '2026-01-01', '2026-04-01', interval '10 minutes') t`);
  const full = await selectSampleBytes(database);
  t.match(full, { compressed_chunks: 0, compressed_bytes: 0 });
  t.ok(full.plain_bytes > empty.plain_bytes + 500_000, `${full.plain_bytes} bytes`);
  t.ok(full.chunks >= 3);
});
