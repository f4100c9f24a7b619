import t from 'tap';
import { devicemaker } from '../../../providers/devicemaker/provider.ts';
import { type Verdict, verdictOf, verdictWithout } from '../../../services/backfill/rules/verdict.ts';

const { refusals } = devicemaker.backfill;
const nowMs = Date.UTC(2026, 0, 1);
const of = (status: number, headers: Record<string, string> = {}, again = false) =>
  verdictOf({ status, headers: new Headers(headers), text: '', tries: 1 }, refusals, {
    isRetry: again,
    nowMs,
  });

const cases: [number, Verdict][] = [
  [202, { kind: 'accepted' }],
  [200, { kind: 'accepted' }],
  [403, { kind: 'stop', reason: 'HISTORY_WITHHELD' }],
  [409, { kind: 'skip', reason: 'ASKED_BEFORE', wholeType: false }],
  [412, { kind: 'skip', reason: 'TYPE_OFF', wholeType: true }],
  [429, { kind: 'wait', ms: 60_000 }],
  [0, { kind: 'retry', atLeastMs: 0 }],
  [408, { kind: 'retry', atLeastMs: 0 }],
  [500, { kind: 'retry', atLeastMs: 0 }],
  [503, { kind: 'retry', atLeastMs: 0 }],
  [302, { kind: 'fail', reason: 'REQUEST_REFUSED' }],
  [400, { kind: 'fail', reason: 'REQUEST_REFUSED' }],
  [404, { kind: 'fail', reason: 'REQUEST_REFUSED' }],
];

for (const [status, verdict] of cases)
  t.test(`an answer of ${status} is ${verdict.kind}`, async (t) => t.same(of(status), verdict));

t.test(
  '"asked before" is as good as yes where our own lost request may have been the one before',
  async (t) => {
    t.same(of(409, {}, true), { kind: 'accepted' });
  },
);

t.test('a provider that asks to wait is heard, between a second and an hour', async (t) => {
  const waits = (text: string) => of(429, { 'retry-after': text });
  t.same(waits('7'), { kind: 'wait', ms: 7000 });
  t.same(waits('0'), { kind: 'wait', ms: 1000 });
  t.same(waits('999999'), { kind: 'wait', ms: 3_600_000 });
  t.same(waits(new Date(nowMs + 30_000).toUTCString()), { kind: 'wait', ms: 30_000 });
  t.same(waits('soon'), { kind: 'wait', ms: 60_000 });
  t.same(of(503, { 'retry-after': '120' }), { kind: 'retry', atLeastMs: 120_000 });
});

t.test('without a token the chain waits, ends, or is forgotten', async (t) => {
  t.same(verdictWithout({ kind: 'later', reason: 'USERS_AWAY' }), { kind: 'retry', atLeastMs: 0 });
  t.same(verdictWithout({ kind: 'none', reason: 'TOKEN_REFUSED' }), {
    kind: 'stop',
    reason: 'TOKEN_REFUSED',
  });
  t.same(verdictWithout({ kind: 'none', reason: 'USER_GONE' }), { kind: 'forget' });
});
