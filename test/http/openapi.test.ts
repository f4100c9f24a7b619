import { readFileSync } from 'node:fs';
import t from 'tap';
import { endpoints } from '../../services/api-gateway/endpoints.ts';
import { openapiDocument } from '../../services/api-gateway/openapi.ts';

t.test('openapi.json is what the contracts say (npm run openapi writes it)', async (t) => {
  const committed: unknown = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
  t.same(committed, JSON.parse(JSON.stringify(openapiDocument())));
});

t.test('every route is in the document, with its failures', async (t) => {
  const text = JSON.stringify(openapiDocument());
  for (const { action } of endpoints) t.match(text, `"operationId":"${action}"`);
  t.notMatch(text, 'auth.admit');
  t.notMatch(text, 'timeseries.store');
});
