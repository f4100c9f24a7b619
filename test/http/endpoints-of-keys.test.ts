import t from 'tap';
import { z } from 'zod';
import { startApi } from '../support/api.ts';

const api = await startApi(t);
const developer = { token: api.developerToken };
const Key = z.object({ id: z.string(), key: z.string() });
const Endpoint = z.object({ id: z.string(), api_key_id: z.string().nullable() });

const newKey = async () => Key.parse((await api.ask('/api/v1/api-keys', { ...developer, body: {} })).body);
const newEndpoint = async (credential: { key?: string; token?: string }) => {
  const body = { url: 'https://app.example/hook' };
  return Endpoint.parse((await api.ask('/api/v1/webhook-endpoints', { ...credential, body })).body);
};
const stateOf = async ({ id }: { readonly id: string }) =>
  (await api.ask(`/api/v1/webhook-endpoints/${id}`, developer)).body;
const remove = (id: string, query = '') =>
  api.ask(`/api/v1/api-keys/${id}${query}`, { ...developer, method: 'DELETE' });

t.test('deleting a key disables the endpoints that it made, and no others', async (t) => {
  const [leaked, other] = [await newKey(), await newKey()];
  const made = await newEndpoint({ key: leaked.key });
  const kept = [await newEndpoint({ key: other.key }), await newEndpoint(developer)];
  t.same(
    [made, ...kept].map(({ api_key_id }) => api_key_id),
    [leaked.id, other.id, null],
  );
  t.match((await remove(leaked.id)).body, { webhook_endpoints: [{ id: made.id, enabled: false }] });
  t.match(await stateOf(made), { enabled: false, disabled_reason: 'key_deleted' });
  for (const one of kept) t.match(await stateOf(one), { enabled: true });
  const { body } = await api.ask('/api/v1/audit?action=webhook_endpoint.disabled', developer);
  t.match(body, { data: [{ subject_id: made.id }] });
});

t.test('a rotated key still disables the endpoints of its former value', async (t) => {
  const first = await newKey();
  const made = await newEndpoint({ key: first.key });
  const rotated = Key.parse(
    (await api.ask(`/api/v1/api-keys/${first.id}/rotate`, { ...developer, method: 'POST' })).body,
  );
  t.match(await stateOf(made), { enabled: true });
  await remove(rotated.id);
  t.match(await stateOf(made), { enabled: false });
});

t.test('endpoints are kept on request', async (t) => {
  const key = await newKey();
  const made = await newEndpoint({ key: key.key });
  t.equal((await remove(key.id, '?keep_endpoints=true')).status, 200);
  t.match(await stateOf(made), { enabled: true, disabled_reason: null });
});
