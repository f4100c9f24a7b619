import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { freePort } from '../../stack/machine/ports.ts';
import { appleExport, record } from '../services/file-import/importing.ts';
import { type Ask, ask } from '../support/api.ts';
import { agree, formOf, leadsTo, visitor } from '../support/connect-page.ts';
import { sourceDatabase } from '../support/move-in/source-database.ts';
import { addUser, insert } from '../support/move-in/source-rows.ts';

/*
 * The commands of README and of docs/ as a reader types them: each block as it stands, in order, in a shell in the
 * folder of the source, against what `npm start` runs. Only the two ports differ, because those of the pages may be in use, and the
 * installation that is moved in.
 */
t.setTimeout(3_600_000);
const whole = t; // what a test starts for the following ones
const root = join(import.meta.dirname, '../..');
const patienceMs = 900_000; // a busy machine imports the days of the sandbox slowly

const folder = mkdtempSync(join(tmpdir(), 'pulsebus-typed-'));
chmodSync(folder, 0o711); // the database server's account walks through it
t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
const [port, receiverPort] = [await freePort(), await freePort()];
const admin = { username: 'admin@example.com', password: 'a long password of the tests' };

// What `git clone` makes: the tree, without the data of another start.
const source = join(folder, 'pulsebus');
mkdirSync(source);
chmodSync(source, 0o711);
for (const name of readdirSync(root).filter((one) => one !== '.data' && one !== '.git'))
  symlinkSync(join(root, name), join(source, name));
const programs = join(folder, 'programs');
mkdirSync(programs);
writeFileSync(join(programs, 'git'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
// A refused request ends its block. A busy machine answers 504, which says: try again.
writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nshow-error\nretry = 20\nretry-delay = 2\n');

// What docs/moving-in.md moves.
const formerInstallation = await sourceDatabase(t);
await addUser(formerInstallation, { first_name: 'Ada' });
const movedKey = 'sk-0123456789abcdef0123456789abcdef';
await insert(formerInstallation, 'api_key', { id: movedKey, name: 'Backend' });

const { PATH, HOME, STACK_DIR, NODE_COMPILE_CACHE } = process.env;
const environment = {
  ...{ PATH: `${programs}:${PATH}`, HOME, NODE_COMPILE_CACHE, CURL_HOME: folder, PORT: String(port) },
  ...{ ADMIN_PASSWORD: admin.password, CONNECT_REDIRECTS: 'https://app.example/connected' },
  ...{ BACKFILL_DAYS: '2', WORKERS: '1' }, // less data than a reader has, by the same way
  ...(STACK_DIR === undefined ? {} : { STACK_DIR }),
};

interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of a page in order. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', block = '']) => ({
    language,
    text: block
      .replaceAll(':3000', `:${port}`)
      .replaceAll(/\b4000\b/g, String(receiverPort))
      .replaceAll('PGPASSWORD=… ', '')
      .replaceAll('sk-…', movedKey)
      .replaceAll('postgres://reader@db.example:5432/open-wearables', formerInstallation.url),
  }));
}

const isShell = ({ language }: Block) => language === 'sh' || language === 'bash';
/** Commands that run until Ctrl-C: each has a terminal of its own. */
const isLasting = ({ text }: Block) => /npm start|node receiver|listen -- --(user|type)/.test(text);

/** A command that runs until it is interrupted. */
function lasting(t: Test, cwd: string, { text }: Block) {
  const child = spawnShell(t, cwd, ['-c', text], environment, 'ignore');
  const seen = collected(child);
  return {
    async prints(pattern: RegExp): Promise<void> {
      await waitFor(() => pattern.test(seen.text) || child.exitCode !== null);
      if (!pattern.test(seen.text))
        throw new Error(`${text} ended without ${pattern}:\n${seen.text.slice(-3000)}`);
    },
    async interrupt(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      await ended;
    },
  };
}

/** A shell that runs one block after another and keeps its variables. @throws Error if a command of a block fails */
function shell(t: Test, variables: Readonly<Record<string, string>> = {}) {
  const child = spawnShell(t, source, [], { ...environment, ...variables }, 'pipe');
  const seen = collected(child);
  return async ({ text }: Block): Promise<string> => {
    const [mark, from] = [randomUUID(), seen.text.length];
    child.stdin?.write(`{ ${text}\n} < /dev/null\necho ${mark}\n`);
    await waitFor(() => seen.text.includes(mark) || child.exitCode !== null);
    const output = seen.text.slice(from).split(mark)[0] ?? '';
    if (!seen.text.includes(mark)) throw new Error(`a command failed:\n${text}\n${output.slice(-3000)}`);
    return output;
  };
}

function spawnShell(
  t: Test,
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stdin: 'ignore' | 'pipe',
): ChildProcess {
  const child = spawn('bash', ['-e', '-o', 'pipefail', ...args], {
    ...{ cwd, env, detached: true },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    process.kill(-child.pid, 'SIGTERM');
    await once(child, 'exit');
  });
  return child;
}

function collected(child: ChildProcess): { text: string } {
  const seen = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      seen.text += part;
    });
  return seen;
}

async function waitFor(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(100)) if (await isSo()) return;
  throw new Error(`waited in vain: ${isSo}`);
}

const api = {
  url: `http://127.0.0.1:${port}`,
  ask: (path: string, one?: Ask) => ask(`http://127.0.0.1:${port}`, path, one),
};
let product: ReturnType<typeof lasting> | undefined;

t.test('README: from the clone to the summary of a day', async (t) => {
  const [start, ...calls] = blocksOf('README.md').filter(isShell);
  t.ok(start !== undefined && calls.length > 0);
  product = lasting(whole, folder, start ?? { language: 'sh', text: 'exit 1' });
  await product.prints(/First calls/);
  const run = shell(t);
  for (const block of calls) {
    const output = await run(block);
    t.match(output, '"dailies":{"processed":1,"saved":1}');
    t.match(output, /"timestamp":"2026-01-01T00:00:00Z","type":"heart_rate","value":62,/);
    t.match(output, /"steps":700\b/);
    t.match(output, /"explanation":\{"steps":\[/);
  }
  await product.interrupt();
});

t.test('docs/first-hour.md: word by word', async (t) => {
  const run = shell(t);
  const opened: ReturnType<typeof lasting>[] = [];
  let answer = '';
  for (const block of blocksOf('docs/first-hour.md')) {
    const { language, text } = block;
    if (language === 'js') writeFileSync(join(source, 'receiver.mjs'), text);
    else if (language === 'json') t.same(missingKeys(text, answer), [], text);
    else if (isShell(block) && isLasting(block)) {
      const one = lasting(text.includes('npm start') ? whole : t, source, block);
      if (text.includes('npm start')) {
        product = one;
        await one.prints(/First calls/);
      } else if (text.includes('--last')) {
        await one.prints(/first-hour .*verified/);
        await one.interrupt();
      } else {
        opened.push(one);
        if (text.includes('receiver.mjs')) await waitFor(isListening);
        else await one.prints(/forwarded to/);
      }
    } else if (isShell(block)) {
      answer = await run(block);
      // The page says that the data of this user arrives within minutes.
      if (text.includes('$SANDBOX_USER/'))
        await waitFor(async () => {
          answer = await run(block);
          return !answer.includes('"data":[]');
        });
      if (text.includes('/connect/sessions')) await connectByHand(t, answer, run);
      // The user is deleted when the message is seen: messages about an erased user are not delivered.
      if (text.includes('-X PATCH')) await messageArrives(opened);
    }
  }
  t.equal(opened.length, 2);
});

/** The lines of other messages may stand between the two of the forwarding terminal. */
async function messageArrives([receiver, forwarder]: readonly ReturnType<typeof lasting>[]): Promise<void> {
  await receiver?.prints(/^user\.updated [0-9a-f-]{36}$/m);
  await forwarder?.prints(/user\.updated .*verified\n.* 204 +POST/s);
}

/** What the text between two blocks says: connect Garmin on the page, as somebody new. Then past days arrive. */
async function connectByHand(t: Test, answer: string, run: ReturnType<typeof shell>): Promise<void> {
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(answer));
  const browser = visitor(api);
  const page = await browser.open(url);
  const consent = await browser.open(`${page.url}/devicemaker`);
  const provider = leadsTo(await agree(browser, `${page.url}/devicemaker`, formOf(consent)));
  const there = await (await fetch(provider)).text();
  t.match(there, / checked> Somebody new</);
  const form = new URLSearchParams({ decision: 'allow', person: 'new' });
  for (const [, name = '', value = ''] of there.matchAll(
    /type="(?:hidden|checkbox)" name="([^"]*)" value="([^"]*)"/g,
  ))
    form.append(name, value);
  const allowed = await fetch(provider.split('?')[0] ?? '', {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  t.match((await browser.open(allowed.headers.get('location') ?? '')).text, /Garmin is connected/);
  const path = '/api/v1/users/$USER_ID/connections/devicemaker/backfill';
  const status = { language: 'sh', text: `curl -s -H "X-API-Key: $KEY" "${api.url}${path}"` };
  // Some data is enough for the next block. All of it takes minutes: kinds without data are waited for.
  await waitFor(async () => /"saved":[1-9]/.test(await run(status)));
}

/** The names of an example that the answer lacks. A list of the answer may be empty, and then has none. */
function missingKeys(example: string, answer: string): string[] {
  if (/"(data|items)":\[\]/.test(answer)) return [];
  return [...example.matchAll(/"(\w+)":/g)]
    .map(([, name = '']) => name)
    .filter((name) => !answer.includes(`"${name}":`));
}

/** The receiver refuses a request that is not signed. */
const isListening = () =>
  fetch(`http://127.0.0.1:${receiverPort}`).then(
    ({ status }) => status === 401,
    () => false,
  );

/** Examples in programming languages that need a reader's program around them, and the tests that run the others. */
const examples = ['docs/first-hour.md js', 'docs/webhooks.md js', 'docs/webhooks.md python'];

t.test('docs/: every other command', async (t) => {
  const pages = globSync('docs/**/*.md', { cwd: root }).toSorted();
  const others = pages.filter((page) => !/decisions|first-hour/.test(page) && blocksOf(page).some(isShell));
  t.ok(others.length >= 5, others.join());
  const login = await api.ask('/api/v1/auth/login', {
    body: { email: admin.username, password: admin.password },
  });
  const { access_token: token } = z.object({ access_token: z.string() }).parse(login.body);
  const key = readFileSync(join(source, '.data/sandbox.key'), 'utf8').trim();
  const users = z.object({ items: z.array(z.object({ id: z.string() })) });
  const [user] = users.parse((await api.ask('/api/v1/users?external_user_id=42', { key })).body).items;
  // Files of a reader. The kind of a file is recognised by its content.
  const weight = record('BodyMass', '07:00:00', '07:00:00', { value: 70, unit: 'kg' });
  writeFileSync(join(source, 'export.zip'), appleExport([weight]));
  writeFileSync(join(source, 'run.fit'), 'type,timestamp,value\nweight,2026-01-02T07:00:00Z,70\n');
  writeFileSync(join(source, 'logo.png'), Buffer.from(logo, 'base64'));
  const variables = { KEY: key, TOKEN: token, USER_ID: user?.id ?? '' };
  for (const page of others) {
    const run = shell(t, { ...variables, PULSEBUS_URL: api.url, PULSEBUS_API_KEY: key });
    const blocks = blocksOf(page).filter(isShell);
    for (const block of blocks) await run(block);
    t.ok(blocks.length > 0, page);
  }
  const programs = pages.flatMap((page) =>
    blocksOf(page).flatMap(({ language }) =>
      /^(js|javascript|python|py)$/.test(language) ? [`${page} ${language}`] : [],
    ),
  );
  t.same(programs, examples, 'each is run by this file or by test/services/webhooks/receivers-page.test.ts');
  await product?.interrupt();
});

const logo = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
