import { writeFileSync } from 'node:fs';
import { openapiDocument } from './openapi.ts';

// `npm run openapi` writes openapi.json; a test compares it with the contracts.
writeFileSync(
  new URL('../../../openapi.json', import.meta.url),
  `${JSON.stringify(openapiDocument(), null, 2)}\n`,
);
