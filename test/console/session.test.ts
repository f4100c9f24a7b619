import t, { type Test } from 'tap';
import { api } from '../../console/src/api.ts';
import { can, type Session, session, signOut } from '../../console/src/session.ts';

const developer = {
  id: 'd-1',
  email: 'a@example.com',
  created_at: '2026-01-01T00:00:00Z',
  is_owner: true,
  is_confirmed: true,
};
const theirs = { id: 'coaching', name: 'Coaching', role: 'support', deleting_since: null };
const closed = { id: 'closed', name: 'Closed', role: 'admin', deleting_since: '2026-01-01T00:00:00Z' };
const own = (csrf_token: string): Session => ({ developer, csrf_token, provider_titles: {}, sandbox: false });

/** Answers the requests of the pages. */
function answering(t: Test, answer: (line: string, token: string | null) => Response) {
  const lines: string[] = [];
  t.intercept(globalThis, 'fetch', {
    value: async (input: string, { method = 'GET', headers }: RequestInit = {}) => {
      const token = new Headers(headers).get('X-CSRF-Token');
      lines.push(`${method} ${input} ${token}`);
      return answer(`${method} ${input}`, token);
    },
  });
  return lines;
}

const refused = (status: number, code: string) =>
  Response.json({ detail: 'Refused.' }, { status, headers: { 'X-Error-Code': code } });

// The pages name the project in a cookie.
t.intercept(globalThis, 'document', { value: { cookie: '' } });

t.test('a request of an ended session leads to the sign-in', async (t) => {
  session.value = own('first');
  answering(t, () => refused(401, 'UNAUTHENTICATED'));
  await t.rejects(async () => api.users.list(), { code: 'UNAUTHENTICATED' });
  t.equal(session.value, null);
});

t.test('a request is repeated with the session that another tab has begun', async (t) => {
  session.value = own('first');
  const lines = answering(t, (line, token) => {
    if (line === 'GET /console/session') return Response.json(own('second'));
    if (line === 'GET /console/api/v1/projects') return Response.json([closed, theirs]);
    return token === 'second' ? Response.json({ items: [] }) : refused(403, 'CONSOLE_REFUSED');
  });
  t.same(await api.users.list(), { items: [] });
  t.match(document.cookie, /^pulsebus_project=coaching;/);
  t.strictSame([can('users.list'), can('data.read'), can('deliveries.read')], [true, false, false]);
  t.same(lines, [
    'GET /console/api/v1/users first',
    'GET /console/session null',
    'GET /console/api/v1/projects second',
    'GET /console/api/v1/users second',
  ]);
});

t.test('signing out ends the session on the server, with its token', async (t) => {
  session.value = own('first');
  const lines = answering(t, () => Response.json({}));
  await signOut();
  t.same(lines, ['DELETE /console/session first']);
  t.equal(session.value, null);
});
