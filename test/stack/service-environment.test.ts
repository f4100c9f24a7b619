import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { settingNames } from '../../config.ts';
import { environmentFor } from '../../stack/database/service-environment.ts';
import { serviceNames } from '../../stack/processes/services.ts';

const all = Object.fromEntries(
  [...settingNames, 'PATH', 'AWS_SECRET_ACCESS_KEY', 'NPM_TOKEN'].map((name) => [name, `value of ${name}`]),
);
const readersOf = (name: string) => serviceNames.filter((service) => name in environmentFor(service, all));

t.test('a secret reaches the services that use it, and no others', async (t) => {
  const tokenReaders = ['backfill', 'connect', 'deliveries'];
  t.strictSame(readersOf('JWT_SECRET'), ['auth']);
  t.strictSame(readersOf('SMTP_URL'), ['auth']);
  t.strictSame(readersOf('OIDC_CLIENT_SECRET'), ['auth']);
  t.strictSame(readersOf('ADMIN_PASSWORD'), []);
  t.strictSame(readersOf('ACTIVITYNET_CLIENT_SECRET'), ['activitynet-ingest', ...tokenReaders]);
  t.strictSame(readersOf('DEVICEMAKER_CLIENT_SECRET'), tokenReaders);
  t.strictSame(readersOf('WITHINGS_CLIENT_SECRET'), [...tokenReaders, 'pull-ingest']);
  t.strictSame(readersOf('SUUNTO_SUBSCRIPTION_KEY'), ['connect', 'deliveries', 'pull-ingest']);
  t.strictSame(readersOf('GOOGLEHEALTH_SERVICE_ACCOUNT'), ['deliveries', 'pull-ingest']);
  t.strictSame(readersOf('ACTIVITYNET_VERIFY_TOKEN'), ['activitynet-ingest', 'deliveries']);
  t.strictSame(readersOf('WEBHOOK_SECRET_DEVICEMAKER'), ['api-gateway', 'deliveries']);
  t.strictSame(
    serviceNames.filter((name) => !readersOf('DATABASE_URL').includes(name)),
    ['summaries'],
  );
});

// A limit, the file of a TLS key, and what eleven services encrypt with.
const forMany = ['RATE_LIMIT_API_KEY', 'NATS_KEY', 'ENCRYPTION_KEY'];

t.test('every setting with a secret in its name has readers of its own', async (t) => {
  const secrets = settingNames.filter((name) =>
    /SECRET|PASSWORD|TOKEN$|_AUTHORIZATION$|_ACCOUNT$|_KEY$/.test(name),
  );
  t.strictSame(
    secrets.filter((name) => readersOf(name).length > 7 && !forMany.includes(name)),
    [],
  );
});

t.test('secrets of other programs reach no service', async (t) => {
  t.strictSame([...readersOf('AWS_SECRET_ACCESS_KEY'), ...readersOf('NPM_TOKEN')], []);
  t.strictSame(readersOf('PATH'), serviceNames);
});

t.test('the services that get a webhook secret are those of the containers', async (t) => {
  const compose = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8');
  const mounting = serviceNames.filter((name) =>
    new RegExp(`^ {2}${name}:\\n(?: {4}.*\\n)*? {4}volumes: .*'webhooks-secret:`, 'm').test(compose),
  );
  t.strictSame(readersOf('WEBHOOK_SECRET_WITHINGS'), mounting);
});
