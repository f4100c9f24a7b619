// npm run test:browser: connects to the sandbox's providers by hand, as the start page describes.
import t from 'tap';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import { activitynetOf, connectSettingsOf, devicemakerOf } from '../sandbox/application.ts';
import { createUser } from '../support/api.ts';
import { openPage, startBrowser } from '../support/browser.ts';
import { connectionsOf, linkFor, startConnect } from '../support/connect.ts';
import { testConfig } from '../support/servers/broker.ts';
import { until } from '../support/until.ts';

const sandbox = await startSandbox({ speed: 1, redirectOrigins: [] });
t.teardown(() => sandbox.stop());
const [devicemaker, activitynet] = [devicemakerOf(sandbox), activitynetOf(sandbox)];
const api = await startConnect(t, connectSettingsOf(sandbox));
const asked = {
  devicemaker: `${devicemaker.api_url}/user/id`,
  activitynet: `${activitynet.api_url}/athlete/activities`,
};
const cipher = cipherOf(testConfig({ databaseUrl: api.database.url }));
const browser = await startBrowser();

for (const name of ['devicemaker', 'activitynet'] as const) {
  t.test(
    `${name}: pick a person, allow, and be connected; disconnect, and it is over there too`,
    async (t) => {
      const userId = await createUser(api);
      const { authorization_url } = await linkFor(api, userId, name, null);
      const { page, complaints } = await openPage(t, browser);
      await page.goto(authorization_url);
      await page.getByRole('radio').first().check();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('heading', { name: 'Connected', exact: true }).waitFor();
      const [made] = await connectionsOf(api, userId);
      t.match(made, { provider: name, status: 'active' });
      t.ok((made?.scope.length ?? 0) > 0);
      t.strictSame(complaints, []);
      const held = await api.call('users.tokens', { user_id: userId, provider: name });
      const token = cipher.decrypt(held.access_token ?? '', held.connection_id);
      const headers = { authorization: `Bearer ${token}` };
      const statusThere = async () => (await fetch(asked[name], { headers })).status;
      t.equal(await statusThere(), 200);
      await api.expect(200, `/users/${userId}/connections/${name}`, { method: 'DELETE' });
      await until(async () => (await statusThere()) === 401, 'the token is dead at the provider');
    },
  );

  t.test(`${name}: deny`, async (t) => {
    const userId = await createUser(api);
    const { authorization_url } = await linkFor(api, userId, name, null);
    const { page } = await openPage(t, browser);
    await page.goto(authorization_url);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Not connected' }).waitFor();
    t.match(await page.textContent('p'), /You did not allow access/);
    t.strictSame(await connectionsOf(api, userId), []);
  });
}
