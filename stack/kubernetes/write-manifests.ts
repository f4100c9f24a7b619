// `npm run kubernetes`: writes kubernetes/*.yaml. A test compares them with what is derived now.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '../processes/services.ts';
import { manifestTexts } from './manifest-texts.ts';

const folder = join(import.meta.dirname, '../../kubernetes');
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(manifestTexts(serviceNames)))
  writeFileSync(join(folder, name), text);
