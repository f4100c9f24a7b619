import { stringify } from 'yaml';
import { manifests } from './manifests.ts';

const head =
  '# Written by `npm run generate` from docker-compose.yml and the list of services: see docs/operating.md.\n';

/** The files of the example as YAML, by name. */
export function manifestTexts(services: readonly string[]): Record<string, string> {
  const texts = Object.entries(manifests(services)).map(([name, all]) => {
    const documents = all.map((one) =>
      // kubectl reads YAML 1.1, where a plain `off` is a boolean
      stringify(one, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' }),
    );
    return [name, `${head}${documents.join('---\n')}`];
  });
  return Object.fromEntries(texts);
}
