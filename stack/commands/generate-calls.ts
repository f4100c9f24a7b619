// `npm run generate`, first part: writes the calls of each service. The rest is derived from this file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callsFile, callsPath } from '../service-calls.ts';

writeFileSync(join(import.meta.dirname, '../..', callsPath), callsFile());
