import { createServer } from 'node:http';
import pg from 'pg';
import { z } from 'zod';
import { seriesById, seriesOf } from '../domain/records/series.ts';
import { isoTime } from '../domain/time/time.ts';
import { type Database, databaseOf, planningOptions } from '../mixins/database/database.ts';
import { bounded, likelyBound, piecesOf } from '../services/timeseries/rules/scan-range.ts';
import { countSeries, selectSamples } from '../services/timeseries/tables/sample-pages.ts';
import { answerParent, listenLocally, ownUsage } from './parent.ts';

// Serves a page of samples without the product, as a reference: node:http, a plain pool and the same two statements
// (series with their counts, page) in one process. Statements are planned for each call, as a pool does by default,
// or once, as the product does. It has no authentication, limits, validation, cursors or error handling.

const Listen = z.object({ database_url: z.string(), pool: z.int(), planning: z.enum(['each', 'once']) });
const started = Promise.withResolvers<Database>();

const server = createServer(async (req, res) => {
  const { searchParams } = new URL(req.url ?? '', 'http://localhost');
  const body = await started.promise.then((database) => page(database, searchParams)).catch(() => null);
  const text = JSON.stringify(body);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  res.writeHead(body === null ? 500 : 200, headers).end(text);
});

answerParent({ usage: ownUsage, listen }, () => server.close());

function listen(request: unknown): Promise<string> {
  const { database_url, pool: max, planning } = Listen.parse(request);
  const options = { connectionString: database_url, max, ...planningOptions(planning) };
  started.resolve(databaseOf(new pg.Pool(options)));
  return listenLocally(server);
}

async function page(database: Database, query: URLSearchParams) {
  const range = { startMs: Number(query.get('start')), endMs: Number(query.get('end')) };
  const limit = Number(query.get('limit'));
  const types = [seriesOf('heart_rate').id];
  const series = await countSeries(database, query.get('user') ?? '', types, piecesOf(range), null);
  const [first, end] = [range.startMs * 1000, range.endMs * 1000];
  const reach = { direction: 'next' as const, series: series.map(({ id }) => ({ id, first, end })) };
  const total = series.reduce((sum, { n }) => sum + n, 0);
  const near = bounded(reach, likelyBound(reach, total, limit + 1));
  const rows = await selectSamples(database, near, limit + 1);
  const { type, unit } = seriesById(series[0]?.type_id ?? 0);
  const source = { provider: series[0]?.provider, device: series[0]?.device };
  const data = rows
    .slice(0, limit)
    .map((row) => ({ timestamp: isoTime(row.at / 1000), type, value: row.value, unit, source }));
  return { data, total_count: total };
}
