import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ConfigError, loadConfig, settingNames } from '../config.ts';
import { providerNames, providers } from '../providers/all.ts';
import { titlesOf } from '../runtime/provider-settings.ts';

const long = 'x'.repeat(32);

t.test('all settings have defaults or are optional', async (t) => {
  const config = loadConfig({});
  t.match(config, {
    PORT: 3000,
    HOST: '127.0.0.1',
    DATA_DIR: '.data',
    RATE_LIMIT_API_KEY: 1000,
    RATE_LIMIT_SDK: 100,
  });
  t.same(config.SOURCE_PRIORITY, [...providerNames]);
  t.equal(config.BACKFILL_TYPES.length, 16);
});

t.test('names all invalid settings and quotes no value', async (t) => {
  const bad = {
    PORT: '70000',
    LOG_LEVEL: 'loud',
    JWT_SECRET: 'short-secret',
    DATABASE_URL: 'mysql://x',
    ADMIN_EMAIL: 'nobody',
    BACKFILL_TYPES: 'dailies,daily',
    DEVICEMAKER_CALLBACK_ORIGINS: 'https://a.example/path',
  };
  t.throws(() => loadConfig(bad), ConfigError);
  try {
    loadConfig(bad);
  } catch (error) {
    const text = String(error);
    for (const name of Object.keys(bad)) t.match(text, name);
    t.notMatch(text, 'short-secret');
  }
});

t.test('accepts redirect addresses, also with the scheme of a mobile app', async (t) => {
  const given = 'https://app.example/back?a=1, http://127.0.0.1:4000/, wellapp://connected';
  t.same(loadConfig({ CONNECT_REDIRECTS: given }).CONNECT_REDIRECTS, given.split(', '));
  t.same(loadConfig({}).CONNECT_REDIRECTS, []);
  for (const bad of ['javascript:alert(1)', 'DATA:text/html,x', '/back', 'https://app.example/#there'])
    t.throws(() => loadConfig({ CONNECT_REDIRECTS: `https://app.example/,${bad}` }), ConfigError, bad);
});

t.test('accepts lists of secrets and refuses a short one', async (t) => {
  t.same(loadConfig({ JWT_SECRET: `${long},${long}y` }).JWT_SECRET, [long, `${long}y`]);
  t.throws(() => loadConfig({ JWT_SECRET: `${long},short` }));
});

t.test('requires shared secrets if NATS_URL is set', async (t) => {
  t.throws(() => loadConfig({ NATS_URL: 'nats://bus:4222' }), /JWT_SECRET[\s\S]*ENCRYPTION_KEY/);
  t.doesNotThrow(() => loadConfig({ NATS_URL: 'nats://bus:4222', JWT_SECRET: long, ENCRYPTION_KEY: long }));
  const of = (SERVICES: string) => () => loadConfig({ NATS_URL: 'nats://bus:4222', SERVICES });
  t.throws(of('auth'), /JWT_SECRET/);
  t.throws(of('timeseries, users'), /ENCRYPTION_KEY/);
  t.doesNotThrow(of('timeseries,summaries'), 'those that use none need not know any');
  t.doesNotThrow(of('deliveries'));
  const kept = { NATS_URL: 'nats://bus:4222', SERVICES: 'deliveries', RAW_BODY_RETENTION_DAYS: '30' };
  t.throws(() => loadConfig(kept), /ENCRYPTION_KEY/, 'bodies that are kept longer are encrypted');
});

t.test('raw bodies are kept at least as long as deliveries', async (t) => {
  const given = { DELIVERY_RETENTION_DAYS: '30', RAW_BODY_RETENTION_DAYS: '29' };
  t.throws(
    () => loadConfig(given),
    /RAW_BODY_RETENTION_DAYS: must be at least DELIVERY_RETENTION_DAYS \(30\)/,
  );
  t.match(loadConfig({ ...given, RAW_BODY_RETENTION_DAYS: '30' }), { RAW_BODY_RETENTION_DAYS: 30 });
});

t.test('treats an empty value as unset', async (t) => {
  t.equal(loadConfig({ PORT: '' }).PORT, 3000);
});

t.test('maps provider names, and refuses unknown providers and names that nobody can read', async (t) => {
  t.same(loadConfig({ PROVIDER_NAMES: 'devicemaker=garmin, activitynet= Acme Runs ' }).PROVIDER_NAMES, {
    devicemaker: 'garmin',
    activitynet: 'Acme Runs',
  });
  const long = 'x'.repeat(61);
  for (const bad of [
    'unknown=x',
    'devicemaker',
    'devicemaker=',
    'devicemaker=a=b',
    'phone=a\u0007b',
    `phone=${long}`,
  ])
    t.throws(() => loadConfig({ PROVIDER_NAMES: bad }), /PROVIDER_NAMES: must/, bad);
});

t.test('people read the names that a provider has, or those of PROVIDER_NAMES', async (t) => {
  const shown = (settings: Record<string, string>) =>
    Object.values(titlesOf(loadConfig(settings))).map(({ title }) => title);
  const others = Object.values(providers)
    .slice(1)
    .map(({ title }) => title);
  t.ok(others.includes('Strava'));
  t.strictSame(shown({}), ['Garmin', ...others]);
  t.strictSame(shown({ PROVIDER_NAMES: 'devicemaker=Acme' }), ['Acme', ...others]);
});

t.test('traces one request of a hundred by default', async (t) => {
  t.match(loadConfig({}), { OTEL_EXPORTER_OTLP_ENDPOINT: undefined, TRACING_SAMPLE: 0.01 });
  t.equal(loadConfig({ TRACING_SAMPLE: '0.25' }).TRACING_SAMPLE, 0.25);
  t.equal(loadConfig({ TRACING_SAMPLE: '1' }).TRACING_SAMPLE, 1);
  for (const bad of ['1.5', '-1', 'some', '1e-3']) t.throws(() => loadConfig({ TRACING_SAMPLE: bad }), bad);
  t.throws(() => loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }), ConfigError);
  const headers = 'Authorization=Basic%20a%3D%3D, x-tenant=b=c';
  t.same(loadConfig({ OTEL_EXPORTER_OTLP_HEADERS: headers }).OTEL_EXPORTER_OTLP_HEADERS, {
    Authorization: 'Basic a==',
    'x-tenant': 'b=c',
  });

  t.test('the weights of the sleep score are four shares that add up to 1', async (t) => {
    t.same(loadConfig({}).SLEEP_SCORE_WEIGHTS, [0.4, 0.2, 0.2, 0.2]);
    t.same(loadConfig({ SLEEP_SCORE_WEIGHTS: '0.5, 0.3,0.1,0.1' }).SLEEP_SCORE_WEIGHTS, [0.5, 0.3, 0.1, 0.1]);
    for (const bad of ['1', '0.4,0.2,0.2', '0.4,0.2,0.2,0.3', '1.2,-0.2,0,0', 'a,b,c,d', '1,0,0,'])
      t.throws(() => loadConfig({ SLEEP_SCORE_WEIGHTS: bad }), bad);
  });
  for (const bad of ['a', '=b', 'a=%'])
    t.throws(() => loadConfig({ OTEL_EXPORTER_OTLP_HEADERS: bad }), ConfigError, bad);
});

t.test('plain webhook addresses are refused by default once PUBLIC_URL is not of this machine', async (t) => {
  const cases: Readonly<Record<string, boolean>> = {
    '': true,
    'http://localhost:3000': true,
    'http://pulsebus.localhost': true,
    'https://127.0.0.1:8443/base': true,
    'http://[::1]:3000': true,
    'https://pulsebus.example': false,
    'https://127.0.0.1.example': false,
    'https://localhost.example': false,
    'http://192.168.1.4:3000': false,
  };
  for (const [PUBLIC_URL, isPlain] of Object.entries(cases)) {
    t.equal(loadConfig({ PUBLIC_URL }).WEBHOOK_PLAIN, isPlain, PUBLIC_URL);
    t.equal(loadConfig({ PUBLIC_URL, WEBHOOK_PLAIN: 'true' }).WEBHOOK_PLAIN, true, 'an explicit value wins');
    t.equal(loadConfig({ PUBLIC_URL, WEBHOOK_PLAIN: 'false' }).WEBHOOK_PLAIN, false);
  }
});

t.test('docs/settings.md has a row with the meaning of every setting', async (t) => {
  const page = readFileSync(join(import.meta.dirname, '../docs/settings.md'), 'utf8');
  const rows = [...page.matchAll(/^\| ([A-Z][A-Z\d_]+) \| .+ \| (?! ?\|).+ \|$/gm)].map(([, name]) => name);
  t.same(rows.toSorted(), [...settingNames].toSorted());
});
