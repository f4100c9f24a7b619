import { readFileSync } from 'node:fs';
import t from 'tap';
import { dataDocs } from '../../../providers/data-docs.ts';

t.test('docs/data.md is that of the field tables', async (t) => {
  const written = readFileSync(new URL('../../../docs/data.md', import.meta.url), 'utf8');
  t.equal(written, dataDocs(), 'run `npm run data-docs`');
  t.notMatch(written, /undefined|\[object/);
});
