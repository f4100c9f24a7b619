// Serves a page of samples without the product, as a reference: node:http, a plain pool and the same two statements
// (series with their counts, page) in one process. Statements are planned for each call, as a pool does by default,
// or once, as the product does. It has no authentication, limits, validation, cursors or error handling.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import pg from 'pg';
import { z } from 'zod';
import { seriesById, seriesOf } from '../domain/records/series.ts';
import { databaseOf, planningOptions } from '../mixins/database/database.ts';
import { countSeries } from '../services/timeseries/samples/queries/count-series.ts';
import { selectSamples } from '../services/timeseries/samples/queries/select-samples.ts';
import { piecesOf } from '../services/timeseries/samples/range-pieces.ts';
import { bounded, likelyBound } from '../services/timeseries/samples/scan-range.ts';
import { answerParent, ownUsage } from './parent.ts';

const Request = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('listen'),
    database_url: z.string(),
    pool: z.int(),
    planning: z.enum(['each', 'once']),
  }),
  z.object({ kind: z.literal('usage') }),
]);
type Listen = Extract<z.infer<typeof Request>, { kind: 'listen' }>;
const started = Promise.withResolvers<ReturnType<typeof databaseOf>>();

const server = createServer((req, res) => {
  void started.promise
    .then((database) => page(database, new URL(req.url ?? '', 'http://localhost').searchParams))
    .then(
      (body) => send(res, 200, body),
      () => send(res, 500, null),
    );
});

answerParent(
  (given) => {
    const request = Request.parse(given);
    return request.kind === 'usage' ? ownUsage() : listen(request);
  },
  async () => server.close(),
);

async function listen({ database_url, pool: max, planning }: Listen) {
  const options = { connectionString: database_url, max, ...planningOptions(planning) };
  started.resolve(databaseOf(new pg.Pool(options)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' ? address?.port : undefined };
}

async function page(database: ReturnType<typeof databaseOf>, query: URLSearchParams) {
  const range = { startMs: Number(query.get('start')), endMs: Number(query.get('end')) };
  const limit = Number(query.get('limit'));
  const types = [seriesOf('heart_rate').id];
  const series = await countSeries(database, query.get('user') ?? '', types, piecesOf(range), null);
  const ids = series.map(({ id }) => id);
  const [first, end] = [range.startMs * 1000, range.endMs * 1000];
  const reach = { direction: 'next' as const, series: ids.map((id) => ({ id, first, end })) };
  const total = series.reduce((sum, { n }) => sum + n, 0);
  const near = bounded(reach, likelyBound(reach, total, limit + 1));
  const rows = await selectSamples(database, near, limit + 1);
  const { type, unit } = seriesById(series[0]?.type_id ?? 0);
  const source = { provider: series[0]?.provider, device: series[0]?.device };
  return {
    data: rows
      .slice(0, limit)
      .map((row) => ({ timestamp: timestampOf(row.at), type, value: row.value, unit, source })),
    total_count: total,
  };
}

function timestampOf(microseconds: number): string {
  return new Date(microseconds / 1000).toISOString();
}

function send(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  res.end(text);
}
