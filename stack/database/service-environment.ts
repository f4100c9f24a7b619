import { bodyReaders, type RawSettings, settingNames, sharedSecrets } from '../../config.ts';
import { providerNames, providers } from '../../providers/all.ts';
import { signInSecrets } from '../../runtime/sign-in-settings.ts';
import { serviceRights } from './service-rights.ts';

/** What a program of Node.js needs besides settings. */
const machine =
  /^(PATH|HOME|USER|TZ|TMPDIR|LANG|LC_\w+|NODE_\w+|MALLOC_\w+|SSL_CERT_\w+|XDG_\w+|PG(SSL\w+|APPNAME))$/;

/** Services that read the settings of every provider: addresses and ids, and the secrets of its API. */
const addressReaders = ['api-gateway', 'backfill', 'connect', 'deliveries'];
const secretReaders = ['backfill', 'connect', 'deliveries'];
const webhookReaders = ['api-gateway', 'deliveries'];

/** Settings that only some services get. The others go to all. */
const readers: Readonly<Record<string, readonly string[]>> = {
  ...sharedSecrets,
  ...Object.fromEntries(signInSecrets.map((name) => [name, ['auth']])),
  PASSWORDS: ['api-gateway', 'auth'],
  ADMIN_EMAIL: [],
  ADMIN_PASSWORD: [],
  DATABASE_URL: Object.keys(serviceRights),
  DATABASE_READ_URL: Object.keys(serviceRights),
  ...Object.fromEntries(providerNames.flatMap(readersOfProvider)),
};

function readersOfProvider(name: (typeof providerNames)[number]): (readonly [string, readonly string[]])[] {
  const { settings, names, ingest } = providers[name];
  if (names === null) return [];
  // The ingest service of a pulled provider registers its subscriptions.
  const registrar = ingest.service === 'pull-ingest' ? [ingest.service] : [];
  const readersOf = (setting: string): readonly string[] => {
    if (setting === names.webhookSecrets || setting.endsWith('_AUTHORIZATION'))
      return [...webhookReaders, ...registrar];
    if (setting === names.clientSecret)
      return ingest.readsWithTokens ? [...secretReaders, ingest.service] : secretReaders;
    if (/_(SECRET|KEY)$/.test(setting)) return ['connect', 'deliveries', ingest.service];
    if (/_(TOKEN|ACCOUNT)$/.test(setting)) return ['deliveries', ingest.service];
    return [...addressReaders, ingest.service];
  };
  return Object.keys(settings).map((setting) => [setting, readersOf(setting)]);
}

/** The part of an environment that a process with one service needs. */
export function environmentFor(service: string, all: RawSettings): RawSettings {
  const isBodyReader = (all.RAW_BODY_RETENTION_DAYS ?? '') !== '' && bodyReaders.includes(service);
  const gets = (name: string) => {
    if (!settingNames.includes(name)) return machine.test(name);
    if (name === 'ENCRYPTION_KEY' && isBodyReader) return true;
    return readers[name]?.includes(service) ?? true;
  };
  return {
    ...Object.fromEntries(Object.entries(all).filter(([name]) => gets(name))),
    SERVICES: service,
  };
}
