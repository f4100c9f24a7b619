import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { newSecret, signedHeaders } from '../../../services/webhooks/rules/signatures.ts';
import { testConfig } from '../../support/servers/broker.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8');
const cipher = cipherOf(testConfig({ databaseUrl: 'postgres://nowhere/' }));
const folder = mkdtempSync(join(tmpdir(), 'pulsebus-receivers-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

interface Case {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly secret: string;
}

/** Runs an example of the page as it stands: the bytes of each body are what arrived. */
function verified(language: 'js' | 'python', cases: readonly Case[]): boolean[] {
  const [, code = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  const { program, name, calls } = languages[language];
  writeFileSync(join(folder, name), `${code}\n${calls}\n`);
  // Without the program the test fails: an example that nobody ran is not to be believed.
  const output = execFileSync(program, [join(folder, name)], { input: JSON.stringify(cases) });
  return z.array(z.boolean()).parse(JSON.parse(output.toString()));
}

const languages = {
  js: {
    ...{ program: process.execPath, name: 'verify.cjs' },
    calls: `const cases = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(cases.map(({ headers, body, secret }) => verify(headers, Buffer.from(body), secret))));`,
  },
  python: {
    ...{ program: 'python3', name: 'verify.py' },
    calls: `import json, sys
print(json.dumps([verify(c["headers"], c["body"].encode(), c["secret"]) for c in json.load(sys.stdin)]))`,
  },
};

for (const language of ['js', 'python'] as const)
  t.test(
    `the page's example in ${language} accepts what is signed, with both secrets of a rotation`,
    async (t) => {
      const [endpoint_id, secret, former, body] = ['e1', newSecret(), newSecret(), '{"note":"naïve"}'];
      const encrypt = (text: string) => cipher.encrypt(text, endpoint_id);
      const receiver = { endpoint_id, secret: encrypt(secret), former_secret: encrypt(former) };
      const headers = signedHeaders(cipher, receiver, { id: 'm1', at: new Date(), body });
      const old = signedHeaders(cipher, receiver, { id: 'm1', at: new Date(Date.now() - 600_000), body });
      const cases = {
        signed: { headers, body, secret },
        'the former secret': { headers, body, secret: former },
        'a changed body': { headers, body: `${body} `, secret },
        'another id': { headers: { ...headers, 'webhook-id': 'm2' }, body, secret },
        'another secret': { headers, body, secret: newSecret() },
        'an old timestamp': { headers: old, body, secret },
      };
      const accepted = verified(language, Object.values(cases));
      t.same(
        Object.keys(cases).filter((_, index) => accepted[index]),
        ['signed', 'the former secret'],
      );
      t.equal(accepted.length, Object.keys(cases).length);
    },
  );
