import t from 'tap';
import { z } from 'zod';
import { backgrounds, contrast } from '../../../services/api-gateway/actions/connect-page/page-assets.ts';
import { deleteExpired } from '../../../services/auth/tables/expired.ts';
import { startApi } from '../../support/api.ts';
import { memberToken } from '../../support/members.ts';
import { as, type Filled, fillProject, makeProject, send } from './two-projects.ts';

const api = await startApi(t, { RATE_LIMIT_DEVELOPER: '100000' });
await makeProject(api, 'other');
const ours = await fillProject(api, 'default');
const theirs = await fillProject(api, 'other');
const owner = { token: api.developerToken };
const path = '/projects/other/connect-logo';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(90, 1)]);
const webp = Buffer.concat([Buffer.from('RIFF....WEBP'), Buffer.alloc(90, 2)]);
const put = (content: Buffer, ask = owner, at = path) =>
  send(api, ask, at, { method: 'PUT', body: { image: content.toString('base64') } });
const Named = z.object({ connect_logo: z.string().regex(/^\/connect\/assets\/logo-[0-9a-f]{64}\.[a-z]+$/) });
const logoOf = (answer: { readonly body: unknown }) => Named.parse(answer.body).connect_logo;

/** The page of a new link, and its policy. */
async function pageOf(of: Filled) {
  const body = { user_id: of.userId, providers: ['phone'] };
  const link = z
    .object({ url: z.string() })
    .parse(await as(api, { key: of.key }, 201, '/connect/sessions', { body }));
  const opened = await api.ask(new URL(link.url).pathname);
  const cookie = opened.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const location = opened.headers.get('location') ?? '';
  return () => api.ask(location, { headers: { cookie } });
}

const styleIn = (text: string) => /href="([^"]+\.css)"/.exec(text)?.[1] ?? '';
const logoIn = (text: string) => /<img src="([^"]+)"/.exec(text)?.[1] ?? '';

t.test('a link keeps the colour and the logo of its project', async (t) => {
  const body = { connect_name: 'Coaching', connect_colour: '#FFCC00' };
  t.match(await as(api, owner, 200, '/projects/other', { method: 'PATCH', body }), {
    ...{ connect_colour: '#ffcc00', connect_logo: null },
  });
  const first = logoOf(await put(png));
  const page = await pageOf(theirs);
  const shown = await page();
  t.equal(
    shown.headers.get('content-security-policy'),
    (await (await pageOf(ours))()).headers.get('content-security-policy'),
  );
  t.equal(logoIn(shown.text), first);
  const image = await api.ask(first);
  t.strictSame([image.status, image.headers.get('content-type')], [200, 'image/png']);
  t.strictSame(
    [image.headers.get('x-content-type-options'), image.headers.get('cache-control')],
    ['nosniff', 'public, max-age=86400, immutable'],
  );
  t.match(image.headers.get('content-security-policy'), /^default-src 'none'.*sandbox/);
  t.equal(Number(image.headers.get('content-length')), png.length);

  const style = await api.ask(styleIn(shown.text));
  t.equal(style.headers.get('content-type'), 'text/css; charset=utf-8');
  for (const theme of ['light', 'dark'] as const) {
    const find = (name: string) =>
      new RegExp(`--${name}-${theme}: (#[0-9a-f]{6})`).exec(style.text)?.[1] ?? '#000000';
    t.ok(contrast(find('fill'), backgrounds[theme]) >= 4.5, `${theme} background`);
    t.ok(contrast(find('fill'), find('on-fill')) >= 4.5, `${theme} text`);
  }
  t.match(style.text, '--fill-dark: #ffcc00');

  const second = logoOf(await put(webp));
  await as(api, owner, 200, '/projects/other', { method: 'PATCH', body: { connect_colour: null } });
  t.equal((await page()).text, shown.text, 'a link that was made before is unchanged');
  t.equal((await api.ask(first)).status, 200, 'its logo is served');
  const next = (await (await pageOf(theirs))()).text;
  t.equal(logoIn(next), second);
  t.equal((await api.ask(second)).headers.get('content-type'), 'image/webp');
});

t.test('another project and a removed logo show what the installation sets', async (t) => {
  const text = (await (await pageOf(ours))()).text;
  t.strictSame([logoIn(text), /page-[0-9a-f]{16}\.css/.test(styleIn(text))], ['', true]);
  t.match(await as(api, owner, 200, path, { method: 'DELETE' }), { connect_logo: null });
  const next = (await (await pageOf(theirs))()).text;
  t.strictSame([logoIn(next), styleIn(next)], ['', styleIn(text)]);
  t.equal(
    (await api.ask(`${styleIn(text).replace('page-', 'page-ffcc00-')}`)).status,
    404,
    'hash of another colour',
  );
  t.equal((await api.ask(`/connect/assets/logo-${'0'.repeat(64)}.png`)).status, 404);
});

t.test('the form of a logo follows from its bytes', async (t) => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const refused = [
    svg,
    Buffer.from('<!doctype html>'),
    Buffer.from('RIFF....WAVE'),
    Buffer.from('GIF89a'),
    Buffer.alloc(20),
  ];
  for (const content of refused)
    t.match(
      { status: (await put(content)).status, body: (await put(content)).body },
      { status: 422, body: { errors: [{ field: 'image', message: 'must be a PNG, JPEG or WebP image' }] } },
      content.toString('latin1', 0, 12),
    );
  const sized = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)]);
  t.strictSame([(await put(sized(100_001))).status, (await put(sized(100_000))).status], [422, 200]);
  t.equal((await send(api, owner, path, { method: 'PUT', body: { image: 'not base64!' } })).status, 422);
  const large = logoOf(await put(sized(100_000)));
  t.equal(Number((await api.ask(large)).headers.get('content-length')), 100_000);
});

t.test('only an owner changes the page, and unknown projects are 404', async (t) => {
  const admin = { token: await memberToken(api, 'admin', 'other') };
  t.strictSame(
    [(await put(png, admin)).status, (await put(png, owner, '/projects/unknown/connect-logo')).status],
    [403, 404],
  );
  for (const connect_colour of ['red', '#fff', '#12345g', 'url(x)', '#1a6b52;}'])
    t.equal(
      (await send(api, owner, '/projects/other', { method: 'PATCH', body: { connect_colour } })).status,
      422,
      connect_colour,
    );
});

t.test('a replaced logo is deleted after an hour, and all with the project', async (t) => {
  const [first, second] = [logoOf(await put(png)), logoOf(await put(webp))];
  await deleteExpired(api.database);
  t.equal((await api.ask(first)).status, 200);
  await api.database.query("update auth.connect_logo set replaced_at = replaced_at - interval '61 minutes'");
  await deleteExpired(api.database);
  t.strictSame([(await api.ask(first)).status, (await api.ask(second)).status], [404, 200]);
  await makeProject(api, 'short-lived');
  const gone = logoOf(await put(Buffer.concat([png, webp]), owner, '/projects/short-lived/connect-logo'));
  await as(api, owner, 200, '/projects/short-lived', { method: 'DELETE' });
  t.equal((await api.ask(gone)).status, 404);
});

t.test('of two logos that are set at once, one is the logo and the other is replaced', async (t) => {
  const current = `
    select count(*) filter (where l.name = p.connect_logo and l.replaced_at is null)::int as current,
      count(*) filter (where l.replaced_at is null)::int as kept
    from auth.project p join auth.connect_logo l on l.project_id = p.id where p.id = $1`;
  const found: unknown[] = [];
  for (let n = 0; n < 20; n += 1) {
    const project = `both-${n}`;
    await makeProject(api, project);
    const at = `/projects/${project}/connect-logo`;
    const answers = await Promise.all([put(png, owner, at), put(webp, owner, at)]);
    found.push([...answers.map(({ status }) => status), ...(await api.database.query(current, [project]))]);
  }
  t.strictSame(
    found,
    found.map(() => [200, 200, { current: 1, kept: 1 }]),
  );
});
