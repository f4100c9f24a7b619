import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { generatedFiles } from '../stack/generated-files.ts';

const root = join(import.meta.dirname, '..');
const generated = generatedFiles();

t.test('generated files are those that `npm run generate` writes', async (t) => {
  t.ok(generated.size >= 6);
  t.same(
    [...generated]
      .filter(([path, text]) => readFileSync(join(root, path), 'utf8') !== text)
      .map(([path]) => path),
    [],
  );
});

// The client's, which need its packages: test/client/package.test.ts.
t.test('no other file has the name of a generated one', async (t) => {
  const named = globSync(['kubernetes/*', '{contracts,stack,services,providers,docs}/**/*.gen.*'], {
    cwd: root,
  });
  t.same(
    named.filter((path) => !generated.has(path)),
    [],
  );
});
