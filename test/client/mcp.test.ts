import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import t, { type Test } from 'tap';
import { runMcp } from '../../clients/typescript/src/cli/mcp.ts';
import { createUser, startApi } from '../support/api.ts';
import { toolAnswer } from '../support/mcp.ts';

const api = await startApi(t);

t.test('the official client lists and calls tools over stdio', async (t) => {
  const user_id = await createUser(api, { first_name: 'Ada' });
  for (const mode of ['auto', 'legacy'] as const) {
    const client = new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode } });
    const args = [join(import.meta.dirname, 'mcp-stdio.ts')];
    const env = { MCP_URL: api.url, MCP_KEY: api.apiKey };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    t.teardown(() => client.close());
    t.equal(client.getNegotiatedProtocolVersion(), mode === 'auto' ? '2026-07-28' : '2025-11-25');
    t.equal((await client.listTools()).tools.length, 15);
    const found = toolAnswer(await client.callTool({ name: 'find_users', arguments: { search: 'ada' } }));
    t.match(found.body, { total: 1 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.callTool({ name: 'list_connections', arguments: { user_id } })),
    );
    t.ok(answers.every((one) => !toolAnswer(one).isError));
    await t.rejects(client.callTool({ name: 'find_user', arguments: {} }), {
      message: /no tool "find_user"/,
    });
    await client.close();
  }
});

t.test('failures are answered with the id of their request, and notifications with nothing', async (t) => {
  const wrong = await bridged(api.url, 'sk-wrong', ['{"jsonrpc":"2.0","id":"a","method":"tools/list"}']);
  t.match(wrong, [
    { id: 'a', error: { code: -32000, message: 'The credential is invalid or has expired.' } },
  ]);
  const lines = [
    'nonsense',
    '[]',
    '',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    'x'.repeat(2_000_000),
  ];
  const parse = { id: null, error: { code: -32700 } };
  t.match(await bridged(api.url, api.apiKey, lines), [parse, parse, parse]);
  const away = await bridged('http://127.0.0.1:9', 'k', ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}']);
  t.match(away, [{ id: 1, error: { message: /does not respond/ } }]);
  const page = await played(t, () => [200, '<html>', {}]);
  const noServer = await bridged(page, 'k', ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}']);
  t.match(noServer, [{ id: 1, error: { message: /is no MCP server \(status 200\)/ } }]);
  let redirected = 0;
  const elsewhere = await played(t, () => {
    redirected += 1;
    return [200, '{"jsonrpc":"2.0","id":1,"result":{}}', {}];
  });
  const moved = await played(t, () => [307, '', { Location: `${elsewhere}/mcp` }]);
  const refused = await bridged(moved, 'k', ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}']);
  t.match(refused, [{ id: 1, error: { code: -32000 } }]);
  t.equal(redirected, 0, 'neither the message nor the key follows a redirect');
});

t.test('a used-up limit is waited for, and a cancelled request has no answer', async (t) => {
  let asked = 0;
  const url = await played(t, () => {
    asked += 1;
    const busy = { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Too many requests.' } };
    const done = { jsonrpc: '2.0', id: 1, result: {} };
    return asked === 1
      ? [429, JSON.stringify(busy), { 'Retry-After': '0' }]
      : [200, JSON.stringify(done), {}];
  });
  const { signal } = new AbortController();
  t.match(await bridged(url, 'k', ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}'], signal), [
    { id: 1, result: {} },
  ]);
  t.equal(asked, 2);
  t.equal(getEventListeners(signal, 'abort').length, 1, 'of the bridge, and none of its messages');
  const silent = await played(t, () => null);
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}';
  const end = new AbortController();
  const ended = bridged(silent, 'k', ['{"jsonrpc":"2.0","id":5,"method":"tools/list"}', cancel], end.signal);
  end.abort();
  t.strictSame(await ended, [], 'the signal ends requests that wait');
});

/** Sends lines through the bridge and returns the messages that it writes. */
async function bridged(baseUrl: string, apiKey: string, lines: readonly string[], signal?: AbortSignal) {
  const written: unknown[] = [];
  async function* stdin() {
    for (const line of lines) yield Buffer.from(`${line}\n`);
  }
  const stdout = { write: (text: string) => written.push(JSON.parse(text)) };
  await runMcp({ baseUrl, apiKey, stdin: stdin(), stdout, ...(signal === undefined ? {} : { signal }) });
  return written;
}

type Played = readonly [status: number, text: string, headers: Record<string, string>];

/** A server that gives answers; null leaves a request open. */
async function played(t: Test, answer: () => Played | null): Promise<string> {
  const server = createServer((_, res) => {
    const given = answer();
    if (given !== null) res.writeHead(given[0], given[2]).end(given[1]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${Reflect.get(Object(server.address()), 'port')}`;
}
