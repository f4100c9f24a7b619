import t from 'tap';
import { ConnectionError, ValidationError } from '../../clients/typescript/src/index.ts';
import { Lines } from '../../clients/typescript/src/lines.ts';
import { scripted } from './scripted.ts';
import { splitStream } from './split-stream.ts';

const range = { user_id: 'u', start_date: '2026-01-01', end_date: '2026-01-02' };
const page = (ids: readonly string[], next_cursor: string | null, has_more = next_cursor !== null) => ({
  body: { data: ids.map((id) => ({ id })), pagination: { next_cursor, previous_cursor: null, has_more } },
});

t.test('`for await` reads all pages of a list by their cursors, as they are needed', async (t) => {
  const { pulsebus, sent } = scripted([page(['a', 'b'], 'c-1'), page([], 'c-2'), page(['c'], null)]);
  const list = pulsebus.timeseries.workouts({ ...range, limit: 2 });
  t.equal(sent.length, 0, 'nothing is sent before it is used');
  const seen = [];
  for await (const { id } of list) seen.push([id, sent.length]);
  t.same(seen, [
    ['a', 1],
    ['b', 1],
    ['c', 3],
  ]);
  const query = 'start_date=2026-01-01&end_date=2026-01-02&limit=2';
  t.same(
    sent.map(({ line }) => line),
    ['', '&cursor=c-1', '&cursor=c-2'].map(
      (cursor) => `GET /api/v1/users/u/events/workouts?${query}${cursor}`,
    ),
  );
});

t.test('`await` reads one page, and iterating the same list begins with it', async (t) => {
  const { pulsebus, sent } = scripted([page(['a'], 'c-1'), page(['b'], null)]);
  const list = pulsebus.timeseries.workouts(range);
  t.equal((await list).pagination.next_cursor, 'c-1');
  t.same(await list.toArray(), [{ id: 'a' }, { id: 'b' }]);
  t.equal(sent.length, 2);
  t.same(await list.toArray(1), [{ id: 'a' }]);
});

t.test('users are read page by page by number', async (t) => {
  const users = (id: string, number: number) => ({ body: { items: [{ id }], page: number, pages: 3 } });
  const { pulsebus, sent } = scripted([users('a', 1), users('b', 2), users('c', 3)]);
  t.same(await pulsebus.users.list({ limit: 1 }).toArray(), [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
  t.equal(sent.at(-1)?.line, 'GET /api/v1/users?limit=1&page=3');
});

t.test('the feed ends after the last change, and goes on if it waits for changes', async (t) => {
  const script = [page(['a'], 'c-1', true), page(['b'], 'c-2', false), page(['c'], 'c-3', false)];
  t.same(await scripted(script).pulsebus.webhooks.changes().toArray(), [{ id: 'a' }, { id: 'b' }]);
  const waiting = scripted(script).pulsebus.webhooks.changes({ wait_seconds: 30 });
  t.same(await waiting.toArray(3), [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
});

t.test('a failed page rejects and ends the iteration', async (t) => {
  const { pulsebus } = scripted([page(['a'], 'c-1'), { status: 422, body: { detail: 'No.' } }]);
  const seen: unknown[] = [];
  const reading = async () => {
    for await (const item of pulsebus.timeseries.workouts(range)) seen.push(item);
  };
  await t.rejects(reading(), ValidationError);
  t.same(seen, [{ id: 'a' }]);
});

t.test('lines are parsed as they arrive, and an export without its last line is refused', async (t) => {
  const lines = '{"kind":"user","name":"Zoë"}\n{"kind":"end","lines":1}\n';
  const { pulsebus, sent } = scripted([{ text: lines }]);
  const seen = [];
  for await (const line of pulsebus.apiGateway.export({ user_id: 'u' })) seen.push(line);
  t.same(seen, [
    { kind: 'user', name: 'Zoë' },
    { kind: 'end', lines: 1 },
  ]);
  t.equal(await pulsebus.apiGateway.export({ user_id: 'u' }).text(), lines);
  t.equal(sent[0]?.line, 'GET /api/v1/users/u/export');
  const cut = scripted([{ text: '{"kind":"user"}\n' }]).pulsebus.apiGateway.export({ user_id: 'u' });
  const reading = async () => {
    for await (const _ of cut);
  };
  await t.rejects(reading(), ConnectionError);
});

t.test('lines are whole however they are cut, and a reader that stops early closes the stream', async (t) => {
  let isClosed = false;
  const stream = splitStream('{"name":"Zoë"}\n{"name":"Ada"}\n', () => {
    isClosed = true;
  });
  for await (const line of new Lines(async () => new Response(stream), false)) {
    t.same(line, { name: 'Zoë' });
    break;
  }
  t.ok(isClosed);
});
