import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import t from 'tap';
import { actionsByName, contracts } from '../../contracts/all.ts';
import { callsOf, declaredCalls } from '../../contracts/calls.ts';
import { typedCall } from '../../runtime/environment.ts';

const root = resolve(import.meta.dirname, '../..');

t.test('a service declares the actions of others that its code names, and no other', async (t) => {
  const offenders = contracts.flatMap(({ name }) => {
    const named = namedBy(name);
    const declared = new Set(declaredCalls(name));
    const calls = callsOf(name);
    return [
      ...[...named].filter((action) => calls?.has(action) !== true).map((a) => `${name}: ${a} undeclared`),
      ...[...declared].filter((action) => !named.has(action)).map((a) => `${name}: ${a} unused`),
    ];
  });
  t.same(offenders, []);
});

t.test('every declared call is an action of another service', async (t) => {
  const wrong = contracts.flatMap(({ name }) =>
    [...(callsOf(name) ?? [])].filter((action) => !actionsByName.has(action)).map((a) => `${name}: ${a}`),
  );
  t.same(wrong, []);
});

t.test('an undeclared call is refused in every process', async (t) => {
  const called: string[] = [];
  const call = typedCall({ call: async (name) => void called.push(name) }, 'summaries');
  await t.rejects(call('users.tokens', { user_id: '', provider: 'withings' }), /summaries does not declare/);
  await call('users.get', { user_id: '' });
  await call('summaries.body', { user_id: '' });
  t.same(called, ['users.get', 'summaries.body']);
});

// The string literals that name an action of another service, in the service and in what it imports.
function namedBy(service: string): Set<string> {
  const folder = join(root, 'services', service);
  const files = new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
  const named = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [, path = ''] of text.matchAll(/from '(\.[^']+\.ts)'/g)) {
      const imported = resolve(dirname(file), path);
      if (/^(mixins|runtime|services)\//.test(relative(root, imported))) files.add(imported);
    }
    for (const [, action = ''] of text.matchAll(/['"`]([\w-]+\.\w+)['"`]/g))
      if (actionsByName.has(action) && !action.startsWith(`${service}.`)) named.add(action);
  }
  return named;
}
