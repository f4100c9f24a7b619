import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Database } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, type Jobs, jobHandler } from '../../../mixins/jobs/jobs.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { type Linking, linkBase, newLinkToken, sha256 } from '../rules/secrets.ts';
import { chargeAttempt } from '../tables/attempts.ts';
import { insertResetLink } from '../tables/developers.ts';
import { type Attempting, hourlyWindow, refuseFull } from './attempts.ts';
import { enqueueMail, type Mailer, resetMail, Sealed } from './mail.ts';

const Request = z.object({ email: z.string(), base: z.string() });

/**
 * Looks up the account of a request and sends it a link. The request itself does not: it takes the same time for every
 * address.
 */
const kind: JobKind<z.infer<typeof Sealed>> = {
  name: 'auth.forgot_password',
  payload: Sealed,
  mostFailures: 10,
};

const linkSeconds = 3600;
/** Requests an hour: of a network address, after which it is refused, and for an account, after which nothing is sent. */
const most = { ofAddress: 30, forAccount: 5 } as const;

/** Dependencies of a request. */
interface ForgotDeps extends Linking, Attempting {
  readonly database: Database;
  readonly config: Linking['config'] & Attempting['config'];
  readonly meta: Linking['meta'] & Attempting['meta'];
  readonly cipher: Cipher;
  readonly mailer: Mailer | null;
  readonly jobs: Pick<Jobs, 'notify'>;
}

/**
 * Requests a link that sets a new password. The answer and its time are the same with and without an account, and without
 * SMTP_URL. @throws RATE_LIMITED (429)
 */
export async function forgotPassword(deps: ForgotDeps, email: string): Promise<void> {
  const { database, meta, cipher, mailer, jobs } = deps;
  const account = email.trim().toLowerCase();
  if (meta.address !== undefined) {
    const window = hourlyWindow(`forgot address:${meta.address}`, most.ofAddress);
    if ((await chargeAttempt(database, window)) === null)
      throw await refuseFull(database, window, `${most.ofAddress} requests an hour for a new password`);
  }
  const counted = await chargeAttempt(database, hourlyWindow(`forgot account:${account}`, most.forAccount));
  if (mailer === null || counted === null) return;
  const key = randomUUID();
  const request = JSON.stringify({ email: account, base: linkBase(deps) });
  await enqueue(database, kind, { key, payload: { sealed: cipher.encrypt(request, `forgot ${key}`) } });
  jobs.notify();
}

/** The handler of the job. A retry creates another link. Each link is valid for an hour. */
export function forgottenHandler({
  database,
  cipher,
  jobs,
}: Pick<ForgotDeps, 'database' | 'cipher' | 'jobs'>): JobHandler {
  return jobHandler(kind, async ({ key, payload }) => {
    const { email, base } = Request.parse(JSON.parse(cipher.decrypt(payload.sealed, `forgot ${key}`)));
    const token = newLinkToken();
    await database.transaction(async (on) => {
      const link = await insertResetLink(on, { hash: sha256(token), email, seconds: linkSeconds });
      if (link === undefined) return;
      await enqueueMail(on, cipher, resetMail(link.email, `${base}/reset#${token}`), link.expires_at);
    });
    jobs.notify();
    return { kind: 'done' };
  });
}
