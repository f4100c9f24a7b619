// `npm run generate`: writes everything that is derived, after the calls (generate-calls.ts), from which permissions are
// derived; the client's source follows (`npm run client`). Tests compare it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from '../generated-files.ts';

const root = join(import.meta.dirname, '../..');
for (const [path, text] of generatedFiles()) writeFileSync(join(root, path), text);
