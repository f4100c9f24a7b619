import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { actionsByName, contracts } from '../contracts/all.ts';

const root = resolve(import.meta.dirname, '..');

/** The path of the file with the calls of all services, from the root. */
export const callsPath = 'contracts/calls.gen.ts';

/** The file with the actions of other services that the code of each service names. */
export function callsFile(): string {
  const services = contracts
    .map(({ name }) => name)
    .toSorted()
    .map((name) => [
      `  '${name}': [`,
      ...[...callsIn(name)].toSorted().map((one) => `    '${one}',`),
      '  ],',
    ]);
  const head =
    '// Written by `npm run generate`: the actions of other services that the code of each service names.';
  return [head, 'export const namedCalls = {', ...services.flat(), '} as const;', ''].join('\n');
}

// The string literals that name an action of another service, in the files of a service and in those that they import.
function callsIn(service: string): Set<string> {
  const folder = join(root, 'services', service);
  const files = new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
  const calls = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [, path = ''] of text.matchAll(/from '(\.[^']+\.ts)'/g)) {
      const imported = resolve(dirname(file), path);
      if (/^(mixins|runtime|services)\//.test(relative(root, imported))) files.add(imported);
    }
    for (const [, action = ''] of text.matchAll(/['"`]([\w-]+\.\w+)['"`]/g))
      if (actionsByName.has(action) && !action.startsWith(`${service}.`)) calls.add(action);
  }
  return calls;
}
