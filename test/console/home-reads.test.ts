import t, { type Test } from 'tap';
import { readFigures } from '../../console/src/parts/home/figures.ts';
import { project, session } from '../../console/src/session.ts';
import { overview, provider } from './home-figures.ts';

const developer = {
  id: 'd-1',
  email: 'a@example.com',
  created_at: '2026-01-01T00:00:00Z',
  is_owner: false,
  is_confirmed: true,
};
const page = { data: [], pagination: { next_cursor: null, has_more: false } };
const answers: Readonly<Record<string, unknown>> = {
  ...{ overview, providers: [provider()], incidents: { data: [] }, freshness: page },
  ...{ 'webhook-endpoints': [], destinations: [], 'api-keys': [{ id: 'k' }] },
};

/** Answers the requests of a member with a role, and returns what was asked for. */
function asMember(t: Test, role: 'admin' | 'support', failing: string | null = null): string[] {
  session.value = { developer, csrf_token: 'c', provider_titles: {}, sandbox: false };
  project.value = { ...usual, role };
  const asked: string[] = [];
  t.intercept(globalThis, 'fetch', {
    value: async (input: string) => {
      const path = input.replace(/^.*\/v1\//, '').replace(/\?.*$/, '');
      asked.push(path);
      return path === failing
        ? Response.json({ detail: 'Not today.' }, { status: 422 })
        : Response.json(answers[path]);
    },
  });
  return asked;
}

const usual = {
  ...{ id: 'default', name: 'Default', connect_name: null, connect_colour: null, connect_logo: null },
  ...{ rate_limit_api_key: null, rate_limit_sdk: null, require_second_factor: false },
  ...{ created_at: '2026-01-01T00:00:00Z', deleting_since: null },
};

t.test('what cannot be read is named, and the other figures stay', async (t) => {
  asMember(t, 'admin', 'incidents');
  const figures = await readFigures(new AbortController().signal);
  t.match(figures, { incidents: null, unread: ['incidents'], keys: 1, stale: { connections: 0 } });
  t.strictSame(figures.overview, overview);
});

t.test('without the overview there are no figures', async (t) => {
  asMember(t, 'admin', 'overview');
  await t.rejects(readFigures(new AbortController().signal), { message: /Not today/ });
});

t.test('what the role may not read is not asked for, and is no problem', async (t) => {
  const asked = asMember(t, 'support');
  const figures = await readFigures(new AbortController().signal);
  t.strictSame(asked.toSorted(), ['freshness', 'incidents', 'overview', 'providers']);
  t.match(figures, { endpoints: null, destinations: null, keys: null, unread: [] });
});
