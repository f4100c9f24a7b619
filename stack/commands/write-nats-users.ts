// Writes stack/compose/nats-users.conf.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composedUsersFile } from '../servers/nats-users.ts';

writeFileSync(join(import.meta.dirname, '../compose/nats-users.conf'), composedUsersFile());
