import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import jwt from 'jsonwebtoken';
import Provider from 'oidc-provider';
import type { Test } from 'tap';
import { z } from 'zod';

/** The claims of whoever signs in at the provider of a test. */
interface ProviderAccount {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
}

/** An OpenID provider in this process. */
export interface TestProvider {
  readonly issuer: string;
  /** Who signs in next. */
  account: ProviderAccount;
  /** Changes the claims of the next ID tokens, which are signed again. */
  change: Readonly<Record<string, unknown>>;
  /** Whether it answers with 503. */
  isAway: boolean;
  /** The paths that were asked for, other than by a browser. */
  readonly asked: string[];
}

export const client = { id: 'pulsebus', secret: 'a secret of the client of the tests' };
const kid = 'of-the-tests';

/** Starts a provider whose only client may lead back to any of `redirects`. */
export async function startProvider(t: Test, redirects: () => readonly string[]): Promise<TestProvider> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let handle: (req: IncomingMessage, res: ServerResponse) => void = () => undefined;
  const server = createServer((req, res) => handle(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const issuer = `http://127.0.0.1:${port}`;
  const state: TestProvider = { issuer, account: { sub: 'nobody' }, change: {}, isAway: false, asked: [] };
  const accounts = new Map<string, ProviderAccount>();

  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }] },
    clients: [
      {
        ...{
          client_id: client.id,
          client_secret: client.secret,
          token_endpoint_auth_method: 'client_secret_post',
        },
        redirect_uris: [...redirects()],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a key of the tests'] },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...accounts.get(id), sub: id }) }),
    async loadExistingGrant({ oidc }) {
      const { clientId = '' } = oidc.client ?? {};
      const { accountId = '' } = oidc.session ?? {};
      const grant = new provider.Grant({ clientId, accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  handle = (req, res) => {
    const { url = '' } = req;
    if (!url.startsWith('/interaction') && !url.startsWith('/auth')) state.asked.push(url);
    if (state.isAway) return void res.writeHead(503).end();
    if (url.startsWith('/token'))
      signAgain(res, privateKey.export({ type: 'pkcs8', format: 'pem' }), () => state.change);
    if (!url.startsWith('/interaction/')) return void answer(req, res);
    accounts.set(state.account.sub, state.account);
    void provider.interactionFinished(req, res, { login: { accountId: state.account.sub } });
  };
  return state;
}

// The answer of the token endpoint is one JSON text.
function signAgain(res: ServerResponse, key: string | Buffer, change: () => object): void {
  const end = res.end.bind(res);
  res.end = (chunk?: unknown) => {
    const text = String(chunk ?? '');
    const { id_token, ...rest } = z.looseObject({ id_token: z.string().optional() }).parse(JSON.parse(text));
    if (id_token === undefined || Object.keys(change()).length === 0) return end(text);
    const claims = z.looseObject({}).parse(jwt.decode(id_token));
    const signed = jwt.sign({ ...claims, ...change() }, key, { algorithm: 'RS256', keyid: kid });
    const body = JSON.stringify({ ...rest, id_token: signed });
    res.setHeader('Content-Length', Buffer.byteLength(body));
    return end(body);
  };
}

/** A browser without pages: it follows redirects and keeps the cookies of each origin. */
export function newBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const visit = async (address: string, until: (url: URL) => boolean = () => false, most = 10) => {
    let url = new URL(address);
    for (let step = 0; step < most; step += 1) {
      if (step > 0 && until(url)) return { url, status: 0, text: '' };
      const jar = jars.get(url.origin) ?? new Map<string, string>();
      jars.set(url.origin, jar);
      const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { redirect: 'manual', headers: { Cookie, Accept: 'text/html' } });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '' || /max-age=0/i.test(line)) jar.delete(name);
        else jar.set(name, value);
      }
      const location = answer.headers.get('location');
      const text = await answer.text();
      if (location === null) return { url, status: answer.status, text };
      url = new URL(location, url);
    }
    throw new Error(`too many redirects: ${url.pathname}`);
  };
  const cookiesOf = (origin: string) => Object.fromEntries(jars.get(origin) ?? []);
  return { visit, cookiesOf };
}
