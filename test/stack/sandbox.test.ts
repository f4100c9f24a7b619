import t from 'tap';
import { loadConfig } from '../../config.ts';
import { SandboxAccess } from '../../sandbox/simulation/simulation.ts';
import { environmentOf, sandboxIsOn, settingsOf } from '../../stack/sandbox/sandbox.ts';

t.test('SANDBOX=auto is on while all services run and no provider has credentials', async (t) => {
  const rows: readonly [Record<string, string>, boolean][] = [
    [{}, true],
    [{ DEVICEMAKER_CLIENT_ID: 'x' }, false],
    [{ DEVICEMAKER_CLIENT_SECRET: 'x' }, false],
    [{ ACTIVITYNET_CLIENT_ID: 'x' }, false],
    [{ ACTIVITYNET_CLIENT_SECRET: 'x' }, false],
    [{ SERVICES: 'auth' }, false],
    [{ SERVICES: 'auth', SANDBOX: 'on' }, true],
    [{ SANDBOX: 'off' }, false],
  ];
  t.same(
    rows.map(([environment]) => sandboxIsOn(loadConfig(environment))),
    rows.map(([, on]) => on),
  );
});

t.test('the settings of a sandbox are valid as configuration and as environment', async (t) => {
  const settings = {
    DEVICEMAKER_CALLBACK_ORIGINS: 'http://127.0.0.1:1',
    ACTIVITYNET_REQUIRE_SIGNATURE: 'true',
  };
  const read = settingsOf(SandboxAccess.parse({ url: 'http://127.0.0.1:1', settings }));
  t.same(read, {
    DEVICEMAKER_CALLBACK_ORIGINS: ['http://127.0.0.1:1'],
    ACTIVITYNET_REQUIRE_SIGNATURE: true,
    SANDBOX_URL: 'http://127.0.0.1:1',
  });
  t.same(environmentOf(read), { ...settings, SANDBOX_URL: 'http://127.0.0.1:1' });
});
