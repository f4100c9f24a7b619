import { createServer } from 'node:http';
import type { Test } from 'tap';

/** The application's page behind the link back, with the referrers that it received. */
export async function playApplication(t: Test): Promise<{ url: string; referrers: (string | undefined)[] }> {
  const referrers: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    if (req.url?.startsWith('/back')) referrers.push(req.headers.referer);
    res
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end('<!doctype html><title>App</title><h1>Welcome back</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/back`, referrers };
}
