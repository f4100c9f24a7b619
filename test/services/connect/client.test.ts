import t from 'tap';
import { clientOf } from '../../../services/connect/rules/clients.ts';
import { refusal } from '../../support/refusal.ts';
import { testConfig } from '../../support/servers/broker.ts';

const [id, secret] = ['DEVICEMAKER_CLIENT_ID', 'DEVICEMAKER_CLIENT_SECRET'];

/** A row: the settings that are set, and what is said to be missing; null where nothing is. */
const rows: readonly (readonly [settings: Record<string, string>, missing: string | null])[] = [
  [{ [id]: 'id', [secret]: 'secret' }, null],
  [{ [id]: 'id' }, `${secret} is not set.`],
  [{ [secret]: 'secret' }, `${id} is not set.`],
  [{}, `${id} and ${secret} are not set.`],
];

t.test('names exactly the missing settings of a provider', async (t) => {
  for (const [settings, missing] of rows) {
    const config = testConfig({ databaseUrl: 'postgres://127.0.0.1/none', settings });
    const find = () => clientOf(config, 'devicemaker');
    if (missing === null) t.match(find(), { clientId: 'id', clientSecret: 'secret' });
    else {
      const message = `This provider is not configured: ${missing}`;
      t.throws(find, { ...refusal('PROVIDER_NOT_CONFIGURED'), message }, message);
    }
  }
});
