import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { enqueue, type JobKind, type JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler } from '../../../mixins/jobs/jobs.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { Mixin } from '../../../runtime/environment.ts';

/** A message in plain text. */
interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Why a message was not sent. `isFinal`: the server refused it permanently. */
class MailError extends Error {
  readonly reason: string;
  readonly isFinal: boolean;
  constructor(reason: string, isFinal: boolean, cause?: unknown) {
    super(reason, { cause });
    this.name = 'MailError';
    this.reason = reason;
    this.isFinal = isFinal;
  }
}

/** Sends messages through the server of SMTP_URL. */
export interface Mailer {
  /** @throws MailError */
  send(mail: Mail): Promise<void>;
}

/** How long a step of the protocol, and a whole message, may take. */
interface MailBounds {
  readonly stepMs: number;
  readonly totalMs: number;
}

const usualBounds: MailBounds = { stepMs: 10_000, totalMs: 25_000 };

/** The settings of e-mail. */
type MailSettings = Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>;

/** The mailer of SMTP_URL and MAIL_FROM; null where they are not set. */
export function mailerOf({ SMTP_URL, MAIL_FROM }: MailSettings, bounds = usualBounds): Mailer | null {
  if (SMTP_URL === undefined || MAIL_FROM === undefined) return null;
  const options = optionsOf(new URL(SMTP_URL), bounds);
  return {
    async send(mail) {
      // The package is loaded with the first message, because most processes send none.
      const { createTransport } = await import('nodemailer');
      const sending = createTransport(options).sendMail({ from: MAIL_FROM, ...mail });
      await within(bounds.totalMs, sending);
    },
  };
}

/** The mailer as a mixin: `uses: { mailer: mailer() }`. */
export function mailer(): Mixin<Mailer | null> {
  return ({ config }) => mailerOf(config);
}

const loopback = /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/;
const submissionPorts = { 'smtp:': 587, 'smtps:': 465 } as const;

// Messages contain links that sign in, so they are sent to other machines under TLS only, unless the URL allows
// otherwise.
function optionsOf(url: URL, { stepMs }: MailBounds) {
  const isSecure = url.protocol === 'smtps:';
  const allowsPlain = loopback.test(url.hostname) || url.searchParams.get('requireTLS') === 'false';
  const port = url.port === '' ? submissionPorts[isSecure ? 'smtps:' : 'smtp:'] : Number(url.port);
  const auth = {
    user: decodeURIComponent(url.username),
    pass: decodeURIComponent(url.password),
  };
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    secure: isSecure,
    requireTLS: !isSecure && !allowsPlain,
    ...(url.username === '' ? {} : { auth }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function within(totalMs: number, sending: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new MailError('SMTP_TIMEOUT', false)), totalMs);
  try {
    await Promise.race([sending, late.promise]);
  } catch (error) {
    throw error instanceof MailError ? error : mailErrorOf(error);
  } finally {
    clearTimeout(timer);
    sending.catch(() => undefined); // it may fail after its time-out
  }
}

const finalFrom = 500;

function mailErrorOf(error: unknown): MailError {
  const code = fieldOf(error, 'code');
  const status = fieldOf(error, 'responseCode');
  const reason = typeof code === 'string' && /^E[A-Z]{1,20}$/.test(code) ? code.slice(1) : 'FAILED';
  const isRefused = reason === 'ENVELOPE' || reason === 'MESSAGE';
  return new MailError(
    `SMTP_${reason}`,
    isRefused && typeof status === 'number' && status >= finalFrom,
    error,
  );
}

/** The payload of a job, encrypted and bound to its key. */
export const Sealed = z.object({ sealed: z.string().min(1).max(16_384) });
type Sealed = z.infer<typeof Sealed>;

const Letter = z.object({ to: z.string(), subject: z.string(), text: z.string(), expires_at_ms: z.int() });

/** Sends a message. The key is random: operators see it. About a quarter of an hour passes before the last attempt. */
const kind: JobKind<Sealed> = { name: 'auth.send_mail', payload: Sealed, mostFailures: 10 };

/** Enqueues a message. It is not sent after `expiresAt`, when its link has expired. */
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

/** The messages name no project and no person, so that a wrong recipient learns nothing. */

/** The message with the link of an invitation. */
export const invitationMail = (to: string, link: string): Mail => ({
  to,
  subject: 'Invitation to Pulsebus',
  text: `You are invited to a project of Pulsebus.\n\nOpen this link to join. It serves once, within 7 days:\n${link}\n\nIf you do not expect an invitation, ignore this message.\n`,
});

/** The message with the link that sets a new password. */
export const resetMail = (to: string, link: string): Mail => ({
  to,
  subject: 'Set a new password of Pulsebus',
  text: `A new password was requested for your account of Pulsebus.\n\nOpen this link to set it. It serves once, within an hour:\n${link}\n\nIf you did not request it, ignore this message: your password is unchanged.\n`,
});
