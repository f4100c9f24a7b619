import t from 'tap';
import type { Entry } from '../../../providers/file/entry.ts';
import { isTable, readCsv } from '../../../services/file-import/rules/read-csv.ts';

const context = { nowMs: Date.parse('2026-06-01'), rules: null, timeZone: null, skip: 0 };

/** The entries of a table that arrives in one chunk. */
async function entriesOf(table: string): Promise<(Entry | null)[]> {
  async function* chunks() {
    yield Buffer.from(table);
  }
  const found: (Entry | null)[] = [];
  for await (const { entries } of readCsv(chunks(), table.length, context)) found.push(...entries);
  return found;
}

const value = (of: number) => ({ kind: 'record', record: { series: 'heart_rate', value: of } });

t.test('a table whose lines begin with an empty cell is read', async (t) => {
  t.ok(isTable(',type,timestamp,value'));
  const lines = ['0,heart_rate,2026-01-01T08:00:00Z,60', ',heart_rate,2026-01-01T09:00:00Z,61'];
  t.match(await entriesOf([',type,timestamp,value', ...lines].join('\n')), [value(60), value(61)]);
});

t.test('cells are cut as RFC 4180 describes', async (t) => {
  const header = 'type,timestamp,value,source,end';
  const cut = async (line: string) => (await entriesOf(`${header}\n${line}`))[0];
  const device = (name: string) => ({ record: { source: { device: name } } });
  t.match(await cut('heart_rate,2026-01-01T08:00:00Z,60,"a ""b"", c",'), device('a "b", c'));
  t.match(await cut('heart_rate,2026-01-01T08:00:00Z,60,"",'), device('unknown'));
  for (const broken of ['heart_rate,"2026', 'heart_rate,20"26', '"heart_rate"x,2026'])
    t.match(await cut(broken), { type: 'line', reason: 'The line is no line of a table.' });
});
