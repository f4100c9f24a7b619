import { scryptSync } from 'node:crypto';
import { z } from 'zod';
import { openCheckout } from '../checkout.ts';
import { connections } from '../lines.ts';
import type { Bench, Measurement } from '../measurement.ts';
import { migrated } from './commits.ts';

const login = { email: 'admin@example.com', password: 'purple lamps over quiet water' };
const Tokens = z.object({ access_token: z.string() });
/** Equal, within the noise of a comparison: of answers a second, and of response times. */
const [rateGoal, timeGoal] = [{ least: 0.97 }, { most: 1.03 }] as const;

/** Log-ins of developers, and requests in their sessions, against another commit. */
export const logIns: Measurement = {
  name: 'log-ins',
  title: 'Log-ins in two commits',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    const other = await openCheckout(bench.against);
    yield `Requests of a developer, each side on a database of its own, all services in one process. A: this checkout. B: ${other.name}. Response times are over one connection, answers a second over ${connections}. The hash is most of a log-in, so log-ins to an account whose stored hash is cheap are measured too.`;
    const [ours, theirs] = [
      await startSide(bench, 'log_ins'),
      await startSide(bench, 'log_ins_other', other.folder),
    ];
    const what = 'response time of a log-in';
    yield { what, times: [ours.logIn, theirs.logIn], goal: timeGoal };
    await Promise.all([ours.takeCheapHash(), theirs.takeCheapHash()]);
    yield { what: `${what}, with a cheap hash`, times: [ours.logIn, theirs.logIn], goal: timeGoal };
    yield { what: 'log-ins with a cheap hash', rates: [ours.logIn, theirs.logIn], goal: rateGoal };
    yield {
      what: 'response time of the account of a session',
      times: [ours.session, theirs.session],
      goal: timeGoal,
    };
    yield { what: 'accounts of a session', rates: [ours.session, theirs.session], goal: rateGoal };
  },
};

/** A checkout on an empty database: its log-in, and a request in the session that a log-in began. */
async function startSide(bench: Bench, part: string, folder = process.cwd()) {
  const databaseUrl = await migrated(bench, part, folder);
  const settings = { ADMIN_EMAIL: login.email, ADMIN_PASSWORD: login.password };
  const product = await bench.start({ databaseUrl, folder, settings });
  const { access_token } = Tokens.parse(await product.post('/auth/login', login));
  const of = (path: string, headers: Record<string, string>, body?: object) => {
    const request = { path: `/api/v1${path}`, headers };
    const requests = [body === undefined ? request : { ...request, body: JSON.stringify(body) }];
    return { url: product.url, requests, parts: [product] };
  };
  return {
    logIn: of('/auth/login', { 'Content-Type': 'application/json' }, login),
    session: of('/auth/me', { Authorization: `Bearer ${access_token}` }),
    takeCheapHash: () =>
      bench.connect(databaseUrl).query('update auth.developer set password = $1', [cheapHash()]),
  };
}

/** The password as it is stored, with a low cost of scrypt: its check takes no time that is measurable. */
function cheapHash(): string {
  const [log2N, r, p] = [4, 1, 1];
  const salt = Buffer.alloc(16, 1);
  const hash = scryptSync(login.password, salt, 32, { N: 2 ** log2N, r, p });
  return ['scrypt', log2N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}
