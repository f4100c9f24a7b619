import t from 'tap';
import { dayMs } from '../../../domain/time/time.ts';
import { types } from '../../../providers/polar/records.ts';
import { partsOfSpans, replacedSpan } from '../../../services/pull-ingest/rules/spans.ts';

const nowMs = Date.parse('2026-03-30T12:00:00Z');
const [from, to] = [nowMs - 90 * dayMs, nowMs];

t.test('what is older than a provider shows is not read, so that it is not deleted', async (t) => {
  const { sleep, days } = types;
  if (sleep === undefined || days === undefined) throw new Error('a type is missing');
  const parts = partsOfSpans([[from, to]], sleep, nowMs);
  t.equal(parts.at(-1)?.startMs, Date.parse('2026-03-04T00:00:00Z'));
  t.same(partsOfSpans([[from, from + dayMs]], sleep, nowMs), []);
  t.equal(partsOfSpans([[from, to]], days, nowMs).at(-1)?.startMs, Date.parse('2025-12-30T00:00:00Z'));
});

t.test('a list of what was received since the connection removes nothing of the time before', async (t) => {
  const span = { startMs: from, endMs: to };
  const listed = { listsSinceConnection: true };
  t.same(replacedSpan(listed, span, to - dayMs), { startMs: to - dayMs, endMs: to });
  t.equal(replacedSpan(listed, span, to), null);
  t.same(replacedSpan(listed, span, from - dayMs), span);
  t.same(replacedSpan({}, span, to), span);
});
