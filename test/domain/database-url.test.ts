import t from 'tap';
import { isSearched, parseDatabaseUrl, serversOf } from '../../domain/database-url.ts';

t.test('a URL with several hosts is a URL for each of them', async (t) => {
  const url =
    'postgres://u:p%40,w@a:5432,b:5433,[::1]:5434/name?sslmode=require&target_session_attrs=read-write';
  t.strictSame(parseDatabaseUrl(url), {
    servers: ['a:5432', 'b:5433', '[::1]:5434'].map(
      (host) => `postgres://u:p%40,w@${host}/name?sslmode=require`,
    ),
    target: 'read-write',
  });
});

t.test('the primary is looked for among several hosts, or if target_session_attrs is given', async (t) => {
  const searched = ['postgres://a,b/x', 'postgresql://a/x?target_session_attrs=primary'];
  t.strictSame(searched.map(isSearched), [true, true]);
  t.notOk(isSearched('postgres://u:p@a:5432/x'));
  t.strictSame(serversOf('postgres://u:p@a:5432/x'), ['postgres://u:p@a:5432/x']);
});

t.test('other forms are refused', async (t) => {
  const bad = [
    'mysql://a/x',
    'postgres://a,,b/x',
    'postgres://a:port,b/x',
    'postgres://a b/x',
    'a,b',
    '',
    'postgres://u@v@a,b/x',
  ];
  t.strictSame(
    bad.filter((text) => parseDatabaseUrl(text) !== null),
    [],
  );
});
