import { writeFileSync } from 'node:fs';
import { openapiDocument } from './openapi.ts';

// npm run openapi: writes the document beside the code; a test compares the two.
writeFileSync(
  new URL('../../openapi.json', import.meta.url),
  `${JSON.stringify(openapiDocument(), null, 2)}\n`,
);
