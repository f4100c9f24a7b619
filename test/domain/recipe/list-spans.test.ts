import t from 'tap';
import { type ListRead, listPass, type SpanForm } from '../../../domain/recipe/list-pass.ts';

const startMs = Date.parse('2026-03-02T10:20:30.500Z');
const span = { startMs, endMs: startMs + 60_000 };
const part = { span, cursor: null, page: null, nowMs: startMs };
const list = { path: '/list', records: 'data' } as const;

for (const [form, from, to] of [
  ['instant', '2026-03-02T10:20:30.500Z', '2026-03-02T10:21:30.500Z'],
  ['date', '2026-03-02', '2026-03-02'],
  ['ms', '1772446830500', '1772446890500'],
  ['s', '1772446830', '1772446890'],
] as const satisfies readonly (readonly [SpanForm, string, string])[])
  t.test(`bounds of the form ${form}`, async (t) => {
    const read: ListRead = { ...list, span: { start: 'from', end: 'to', form } };
    t.same(listPass(read).request({}, part), { path: '/list', query: { from, to } });
  });

t.test('a list of days is asked for each local day of a span, whatever the clock is', async (t) => {
  const pass = listPass({
    path: '/day',
    span: null,
    page: { day: 'date' },
    records: (body, day) => (Array.isArray(body) ? body.map(() => ({ day })) : null),
  });
  const read = (from: string, to: string, now: string) => {
    const [start, end, nowMs] = [from, to, now].map((text) => Date.parse(text));
    const days = { startMs: start ?? 0, endMs: end ?? 0 };
    const asked: unknown[] = [];
    const listed: unknown[] = [];
    for (let page: string | null | undefined; page !== null; ) {
      const of = { span: days, cursor: null, page: page ?? null, nowMs: nowMs ?? 0 };
      asked.push(pass.request({}, of).query?.date);
      const answer = pass.read({ status: 200, headers: {}, text: asked.length === 2 ? '[]' : '[1]' }, of);
      listed.push(...(answer?.records ?? []));
      page = answer?.next ?? null;
    }
    return { asked, listed };
  };
  const whole = read('2026-03-28T00:00:00Z', '2026-03-29T00:00:00Z', '2026-06-01T00:00:00Z');
  t.same(whole.asked, ['2026-03-27', '2026-03-28', '2026-03-29'], 'from the west to the east');
  t.same(whole.listed, [{ day: '2026-03-27' }, { day: '2026-03-29' }], 'a day without records ends nothing');
  const soon = read('2026-03-28T00:00:00Z', '2026-03-29T00:00:00Z', '2026-03-28T09:59:00Z');
  t.same(soon.asked, ['2026-03-27', '2026-03-28'], 'a day that has begun nowhere is not asked for');
});
