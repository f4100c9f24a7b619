import t from 'tap';
import { loadConfig } from '../../../config.ts';
import { returnUrl } from '../../../services/connect/rules/redirects.ts';

const app = 'https://app.example/connected';
const session = {
  redirectUri: app,
  connected: [],
  lastProvider: 'devicemaker' as const,
  lastStatus: 'denied',
  lastReason: 'access_denied',
};
const listing = (addresses: string) => loadConfig({ CONNECT_REDIRECTS: addresses });

t.test('the browser returns with the result to a listed address only', async (t) => {
  const result = `${app}?status=denied&provider=devicemaker&reason=access_denied`;
  t.equal(returnUrl(listing(app), session), result);
  t.equal(returnUrl(listing('https://other.example/'), session), null, 'the list changed meanwhile');
  t.equal(returnUrl(listing(app), { ...session, redirectUri: null }), null);
});
