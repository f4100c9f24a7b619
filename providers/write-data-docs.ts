import { writeFileSync } from 'node:fs';
import { dataDocs } from './data-docs.ts';

// `npm run data-docs` writes docs/data.md; a test compares it with the field tables.
writeFileSync(new URL('../docs/data.md', import.meta.url), dataDocs());
