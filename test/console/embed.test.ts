import t from 'tap';
import { embedToken, themeOf, userOfToken } from '../../console/src/embed.ts';

const tokenOf = (claims: unknown) => `a.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.b`;

t.test('the user of a token is read from its claims', async (t) => {
  const sub = '7b7a8c1e-5e0c-4a58-9d0f-1a2b3c4d5e6f';
  const origins = ['https://a.example?>~'];
  t.strictSame(userOfToken(tokenOf({ sub, origins, time_zone: null })), { id: sub, zone: null });
  const zone = 'America/Los_Angeles';
  t.strictSame(userOfToken(tokenOf({ sub, origins, time_zone: zone })), { id: sub, zone });
  for (const wrong of ['', 'nonsense', 'a.b.c', tokenOf({ sub: 5 }), tokenOf(null), tokenOf({})])
    t.strictSame(userOfToken(wrong), { id: '', zone: null }, wrong);
});

t.test('a theme that does not exist is that of the browser', async (t) => {
  const of = (query: string) => themeOf(new URLSearchParams(query));
  t.strictSame(
    ['', 'theme=', 'theme=auto', 'theme=light', 'theme=dark', 'theme=red', 'theme=constructor'].map(of),
    ['auto', 'auto', 'auto', 'light', 'dark', 'auto', 'auto'],
  );
});

t.test('without an address there is no token', async (t) => {
  t.equal(embedToken, null);
});

t.test('a browser that refuses the storage to a frame shows the units of its language', async (t) => {
  t.intercept(globalThis, 'localStorage', {
    get: () => {
      throw new Error('The operation is insecure.');
    },
  });
  const { units } = await import('../../console/src/units.ts');
  t.match(units.value, /^(metric|imperial)$/);
});
