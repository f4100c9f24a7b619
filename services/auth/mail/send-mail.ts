import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind, type JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler } from '../../../mixins/jobs/jobs.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { type Mail, MailError, type Mailer } from './mailer.ts';

/** The payload of a job, encrypted and bound to its key. */
export const Sealed = z.object({ sealed: z.string().min(1).max(16_384) });
type Sealed = z.infer<typeof Sealed>;

const Letter = z.object({ to: z.string(), subject: z.string(), text: z.string(), expires_at_ms: z.int() });

/** Sends a message. The key is random: operators see it. About a quarter of an hour passes before the last attempt. */
const kind: JobKind<Sealed> = { name: 'auth.send_mail', payload: Sealed, mostFailures: 10 };

/** Enqueues a message, which is not sent after `expiresAt`: its link serves no more then. */
export async function enqueueMail(
  on: Queryable,
  cipher: Cipher,
  { to, subject, text }: Mail,
  expiresAt: Date,
): Promise<void> {
  const key = randomUUID();
  const letter = JSON.stringify({ to, subject, text, expires_at_ms: expiresAt.getTime() });
  await enqueue(on, kind, { key, payload: { sealed: cipher.encrypt(letter, `mail ${key}`) } });
}

interface Sending {
  readonly cipher: Cipher;
  readonly mailer: Mailer | null;
}

/** The handler of the job. */
export function mailHandler({ cipher, mailer }: Sending): JobHandler {
  return jobHandler(
    kind,
    async ({ key, payload }): Promise<JobOutcome> => {
      if (mailer === null) return { kind: 'dead', reason: 'MAIL_NOT_CONFIGURED' };
      const { expires_at_ms, ...mail } = Letter.parse(
        JSON.parse(cipher.decrypt(payload.sealed, `mail ${key}`)),
      );
      if (expires_at_ms < Date.now()) return { kind: 'dead', reason: 'MAIL_EXPIRED' };
      return send(mailer, mail);
    },
    { parallel: 2 },
  );
}

async function send(mailer: Mailer, mail: Mail): Promise<JobOutcome> {
  try {
    await mailer.send(mail);
    return { kind: 'done' };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { kind: error.isFinal ? 'dead' : 'later', reason: error.reason };
  }
}
