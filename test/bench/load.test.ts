import { createServer, type RequestListener } from 'node:http';
import t, { type Test } from 'tap';
import { answerReader } from '../../bench/load/answer-reader.ts';
import { startLoad } from '../../bench/load/load.ts';

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

t.test('sends requests in turn, with bodies', async (t) => {
  const seen: string[] = [];
  const url = await serve(t, (req, res) => {
    req.setEncoding('utf8');
    let body = '';
    req.on('data', (chunk: string) => (body += chunk));
    req.on('end', () => {
      seen.push(`${req.method} ${req.url} ${req.headers['x-api-key']} ${body}`);
      res.end('x'.repeat(100_000));
    });
  });
  const load = startLoad();
  t.teardown(() => load.stop());
  const requests = [
    { path: '/a', headers: { 'X-API-Key': 'k' } },
    { path: '/b', body: 'täglich' },
  ];
  const { requests: answered } = await load.sendLoad({ url, requests }, { connections: 1, most_requests: 5 });
  t.equal(answered, 5);
  const [a, b] = ['GET /a k ', 'POST /b undefined täglich'];
  t.strictSame(seen, [a, b, a, b, a]);
  t.equal(
    (
      await load.turns(
        [
          { url, requests },
          { url, requests: requests.slice(1) },
        ],
        3,
      )
    ).length,
    2,
  );
  t.strictSame(seen.slice(5), [a, b, b, b, a, b]);
});

t.test('an answer that is not 200 ends the measurement', async (t) => {
  let answered = 0;
  const url = await serve(t, (_, res) => {
    res.statusCode = ++answered === 3 ? 404 : 200;
    res.end('{}');
  });
  const load = startLoad();
  t.teardown(() => load.stop());
  const target = { url, requests: [{ path: '/' }] };
  await t.rejects(load.sendLoad(target, { connections: 1, most_requests: 4 }), {
    message: /1 of 4 answers were not 200/,
  });
});

t.test('sends nothing to another machine', async (t) => {
  const load = startLoad();
  t.teardown(() => load.stop());
  const target = { url: 'http://192.0.2.1:80', requests: [{ path: '/' }] };
  await t.rejects(load.sendLoad(target, { connections: 1 }), { message: '192.0.2.1 is not this machine' });
});

t.test('reads an answer in chunks of any size', async (t) => {
  const answer = Buffer.from('HTTP/1.1 201 Created\r\nX: y\r\nContent-Length: 5\r\n\r\nhello');
  for (let at = 1; at < answer.length; at++) {
    const reader = answerReader();
    t.equal(reader.take(answer.subarray(0, at)), null, `cut at ${at}`);
    t.equal(reader.take(answer.subarray(at)), 201);
    t.equal(reader.take(answer), 201, 'and the next one');
  }
  t.throws(() => answerReader().take(Buffer.concat([answer, answer])), {
    message: 'more came than one answer',
  });
  t.throws(() => answerReader().take(Buffer.from('HTTP/1.1 200 OK\r\n\r\n')), {
    message: /without status or length/,
  });
});
