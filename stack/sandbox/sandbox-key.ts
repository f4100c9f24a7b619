import { existsSync, readFileSync } from 'node:fs';
import type { ServiceBroker } from 'moleculer';
import { typedCall } from '../../runtime/environment.ts';
import { writePrivate } from '../database/secrets.ts';

/** The API key of the synthetic users' application. The key of an earlier start is reused while it is valid. */
export async function sandboxKey(broker: ServiceBroker, url: string, file: string): Promise<string> {
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const probe =
    known === '' ? null : await fetch(`${url}/api/v1/users?limit=1`, { headers: { 'X-API-Key': known } });
  if (probe !== null && probe.status !== 401) return known;
  const call = typedCall(broker);
  const [developer] = await call('auth.listDevelopers', {});
  if (developer === undefined) throw new Error('there is no developer account to make a key for');
  const caller = { kind: 'developer' as const, id: developer.id, developer_id: developer.id, user_id: null };
  const { key } = await call('auth.createKey', { name: 'Sandbox' }, { meta: { caller } });
  writePrivate(file, `${key}\n`);
  return key;
}
