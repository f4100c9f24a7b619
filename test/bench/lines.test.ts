import t from 'tap';
import { connections, type Line, rowsOf } from '../../bench/lines.ts';
import { quick } from '../../bench/sizes.ts';

const sizes = { ...quick, rounds: 1, throughputRounds: 1 };
const target = (name: string) => ({ url: name, requests: [{ path: '/' }] });
const met = { most: 2 };

/** A load whose response times are the lengths of the targets' names, and which needs 2 ms of CPU for an answer of A. */
function meter() {
  const spent = { a: 0, b: 0 };
  const usage = (name: 'a' | 'b') => async () => ({ cpu_ms: spent[name], rss_bytes: 0, peak_rss_bytes: 0 });
  const sent: object[] = [];
  const load = {
    turns: async (targets: readonly { url: string }[]) => targets.map(({ url }) => url.length),
    async sendLoad({ url }: { url: string }, bounds: object) {
      sent.push(bounds);
      spent[url === 'a' ? 'a' : 'b'] += url === 'a' ? 20 : 10;
      return { requests: 10, failures: 0, seconds: url === 'a' ? 1 : 2, median_ms: 1, p99_ms: 3 };
    },
    stop: async () => undefined,
  };
  const rows = (line: Exclude<Line, string>) => rowsOf({ load, sizes }, line);
  return { rows, sent, parts: { a: [{ usage: usage('a') }], b: [{ usage: usage('b') }] } };
}

t.test('response times are a row, with a third one as a note and that of A alone as a row', async (t) => {
  const rows = await meter().rows({
    what: 'page',
    times: [target('four'), target('ab')],
    beside: ['30 days', target('abc')],
    goal: met,
    alone: { what: 'one', goal: { most: 3 } },
  });
  t.strictSame(rows, [
    { what: 'page', a: '4 ms', b: '2 ms (30 days: 3 ms)', ratio: '2', goal: 'ratio ≤ 2', verdict: 'met' },
    { what: 'one', a: '4 ms', b: '', goal: '≤ 3 ms', verdict: 'missed' },
  ]);
});

t.test(
  'answers a second have rows for the CPU of those who answer, and for p99 if it has a goal',
  async (t) => {
    const { rows, sent, parts } = meter();
    const rates = [
      { ...target('a'), parts: parts.a },
      { ...target('b'), parts: parts.b },
    ] as const;
    t.strictSame(await rows({ what: 'page', rates, p99: { most: 0.5 } }), [
      { what: 'page', a: '10/s', b: '5/s', ratio: '2', goal: '', verdict: '' },
      { what: 'page: CPU of an answer', a: '2 ms', b: '1 ms', ratio: '2', goal: '', verdict: '' },
      { what: 'page: p99', a: '3 ms', b: '3 ms', ratio: '1', goal: 'ratio ≤ 0.5', verdict: 'missed' },
    ]);
    t.strictSame(sent[0], { connections, most_ms: sizes.loadMs });
    t.equal(sent.length, 4, 'a warm-up and a round of each');
    t.equal((await rows({ what: 'page', rates: [target('a'), target('b')] })).length, 1, 'no CPU is known');
  },
);

t.test('sides are measured in their own number of rounds', async (t) => {
  let calls = 0;
  const [row] = await meter().rows({
    what: 'x',
    sides: [async () => ++calls, async () => 1],
    unit: 'ms',
    rounds: 3,
  });
  t.match(row, { a: '3 ms', b: '1 ms', ratio: '3 (3-4)' });
});
