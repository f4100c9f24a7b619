import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { complaintOfServers, moreServers } from './more-servers.ts';

const root = join(import.meta.dirname, '../..');
const allowed = { 'test/listed.test.ts': { databases: 2, brokers: 3 } };
const cases = [
  ['test/a.test.ts', 0, 0, null],
  ['test/a.test.ts', 1, 1, null],
  ['test/a.test.ts', 2, 1, /^2 databases and 1 brokers, not 1 databases and 1 brokers at most/],
  ['test/a.test.ts', 1, 2, /^1 databases and 2 brokers, not 1 /],
  ['test/listed.test.ts', 2, 3, null],
  ['test/listed.test.ts', 1, 2, null],
  ['test/listed.test.ts', 3, 3, /^3 databases and 3 brokers, not 2 databases and 3 brokers/],
  ['test/listed.test.ts', 1, 1, /^needs no entry/],
] as const;

for (const [file, databases, brokers, complaint] of cases)
  t.test(`${file} with ${databases} databases and ${brokers} brokers`, async (t) => {
    const said = complaintOfServers(file, { databases, brokers }, allowed);
    if (complaint === null) t.equal(said, null);
    else t.match(said, complaint);
  });

t.test('each entry is a file that is there', async (t) => {
  t.same(
    Object.keys(moreServers).filter((file) => !existsSync(join(root, file))),
    [],
  );
});
