import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { loadConfig } from '../../../config.ts';
import { dataTypeOf } from '../../../providers/devicemaker/data-types.ts';
import { byteLimit } from '../../../runtime/http/guarded-fetch.ts';
import { callbackRules } from '../../../services/devicemaker-ingest/rules/callback.ts';
import { delayOf, pingLimits } from '../../../services/devicemaker-ingest/work/ping/work-ping.ts';
import {
  fetchCallback,
  workPingItem,
} from '../../../services/devicemaker-ingest/work/ping/work-ping-item.ts';
import { type Answering, json, startCallbackServer } from '../../support/callback-server.ts';

const provider = await startCallbackServer(t);
const config = loadConfig({ DEVICEMAKER_API_URL: `${provider.origin}/wellness-api/rest` });
const url = new URL(`${provider.origin}/wellness-api/rest/dailies?token=1`);
const rules = callbackRules(config);
const hourMs = 3_600_000;
const type = dataTypeOf('dailies');
if (type === undefined) throw new Error('no type');
const { signal } = new AbortController();
const status =
  (code: number, headers: Record<string, string> = {}): Answering =>
  (_req, res) =>
    void res.writeHead(code, headers).end();
const pingItem = {
  ...{ key: 'dailies', type, entry: 'dailies[0]', account: 'a', url, linkedUsers: [], sameAs: null },
  outcome: { state: 'queued' as const, sentences: [] },
};

/** A round of fetches without a job. */
const roundOf = () =>
  ({
    ...{ rules, limits: pingLimits(), reached: new Map(), failuresInRow: 0, settled: 0, afterMs: null },
    ...{ run: { signal, halted: false, failed: null }, job: {} },
  }) as unknown as Parameters<typeof workPingItem>[0];

t.test('of the waits that the provider asks for the longest counts', async (t) => {
  const round = roundOf();
  for (const seconds of ['60', '3600', '5']) {
    provider.answer(status(503, { 'retry-after': seconds }));
    await workPingItem(round, { ...pingItem });
  }
  t.equal(round.afterMs, hourMs);
});

t.test('a wait that the provider asks for lengthens the back-off only', async (t) => {
  t.intercept(Math, 'random', { value: () => 0.5 });
  const delay = (attempt: number, afterMs: number | null) => delayOf({ job: { attempt }, afterMs });
  t.equal(delay(1, null), 1000);
  t.equal(delay(1, hourMs), hourMs + 1000);
  t.equal(delay(16, 1000), 3 * hourMs);
});

t.test('the memory of an answer is free when its items are processed', async (t) => {
  provider.answer(json([{ userId: 'a', summaryId: 'x'.repeat(5000) }]));
  const limits = { ...pingLimits(), held: byteLimit(8000) };
  for (const _ of ['first', 'second']) {
    const fetched = await fetchCallback(url, pingItem, rules, limits, signal);
    t.equal(fetched.kind, 'items');
    if (fetched.kind === 'items') fetched.found.close();
  }
});

t.test('the reading thread frees a body that is closed', async (t) => {
  const file = '../../../services/devicemaker-ingest/work/reading/large-body.worker.ts';
  const worker = new Worker(new URL(file, import.meta.url));
  t.teardown(() => worker.terminate());
  const send = (request: object | null) => worker.postMessage({ id: 1, reading: 7, request });
  const answer = async () => (await once(worker, 'message'))[0].answer;
  const bytes = new Uint8Array(Buffer.from('{"dailies":[{"userId":"a"}]}')).buffer;
  send({ kind: 'open', input: { bytes, root: 'object' } });
  t.match(await answer(), { head: { lists: [{ key: 'dailies', count: 1 }] } });
  send({ kind: 'next', stream: 1, begin: { question: { kind: 'stubs', key: 'dailies' } } });
  t.same(await answer(), { piece: { done: false, value: '[{"userId":"a"}]' } });
  send(null);
  send({ kind: 'next', stream: 1, begin: null });
  t.same(await answer(), { failed: 'Error' });
});
