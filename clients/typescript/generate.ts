import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { type Document, eventsSource, groupsSource, providersSource } from './generate/groups.ts';

/** Writes src/generated from openapi.json: the types by @hey-api/openapi-ts, the operations as classes by groups.ts. */
export async function generate(folder = join(import.meta.dirname, 'src/generated')): Promise<void> {
  const source = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
  const document: Document = withoutFhir(JSON.parse(source));
  mkdirSync(folder, { recursive: true });
  await createClient({
    input: forTypes(withoutFhir(JSON.parse(source))),
    output: { path: resolve(folder), entryFile: false },
    parser: { filters: { orphans: true } },
    logs: { level: 'silent', file: false },
    plugins: [{ name: '@hey-api/typescript' }],
  });
  writeFileSync(join(folder, 'groups.gen.ts'), groupsSource(document));
  writeFileSync(join(folder, 'events.gen.ts'), eventsSource(document));
  writeFileSync(join(folder, 'providers.gen.ts'), providersSource(document));
}

// Clients of FHIR are generated from its specification: methods and types for its routes would add 6 KB to the package.
function withoutFhir<T extends Document>(document: T): T {
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/fhir/'));
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !name.startsWith('Fhir'));
  const components = { ...document.components, schemas: Object.fromEntries(schemas) };
  return { ...document, paths: Object.fromEntries(paths), components };
}

// The classes name the types of responses themselves, all errors have one type, and the client makes idempotency keys:
// their types are omitted, which keeps the package small.
function forTypes({ webhooks, ...rest }: Document & Record<string, unknown>) {
  for (const operation of Object.values(rest.paths).flatMap((path) => Object.values(path))) {
    operation.responses = {};
    operation.parameters = operation.parameters?.filter(({ name }) => name !== 'Idempotency-Key');
  }
  const { responses, ...components } = rest.components;
  return { ...rest, components };
}
