import t from 'tap';
import type { ProviderAnswer } from '../../mixins/provider-api/provider-api.ts';
import { authenticated, inPlainHttp } from '../../mixins/provider-api/token-endpoint.ts';

const answer = (status: number): ProviderAnswer => ({
  status,
  headers: new Headers({ 'retry-after': '3' }),
  text: 'sent',
  tries: 2,
});

t.test('an answer means what its provider says, and keeps its headers', async (t) => {
  const plainReply = () => ({ status: 401, text: 'meant' });
  const { status, text, tries, headers } = inPlainHttp({ plainReply }, answer(200));
  t.same([status, text, tries, headers.get('retry-after')], [401, 'meant', 2, '3']);
  t.equal(inPlainHttp({ plainReply }, answer(0)).status, 0, 'no answer means nothing');
  t.equal(inPlainHttp({}, answer(200)).text, 'sent');
});

t.test('a token request has the fields of its provider', async (t) => {
  const client = { clientId: 'id', clientSecret: 'secret' };
  const tokenFields = { action: 'requesttoken' };
  const grant = { grant_type: 'refresh_token', refresh_token: 'r' };
  const inForm = authenticated({ clientAuthentication: 'form', tokenFields }, grant, client);
  t.equal(
    String(inForm.form),
    'action=requesttoken&grant_type=refresh_token&refresh_token=r&client_id=id&client_secret=secret',
  );
  t.equal(inForm.client, undefined);
  const inHeader = authenticated({ clientAuthentication: 'basic' }, grant, client);
  t.equal(String(inHeader.form), 'grant_type=refresh_token&refresh_token=r');
  t.same(inHeader.client, { id: 'id', secret: 'secret' });
});
