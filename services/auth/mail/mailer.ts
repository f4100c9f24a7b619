import type { Config } from '../../../config.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import type { Mixin } from '../../../runtime/environment.ts';

/** A message in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Why a message was not sent. `isFinal`: the server refuses it, and would do so again. */
export class MailError extends Error {
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
export type MailSettings = Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>;

/** The mailer of SMTP_URL and MAIL_FROM; null where they are not set. */
export function mailerOf({ SMTP_URL, MAIL_FROM }: MailSettings, bounds = usualBounds): Mailer | null {
  if (SMTP_URL === undefined || MAIL_FROM === undefined) return null;
  const options = optionsOf(new URL(SMTP_URL), bounds);
  return {
    async send(mail) {
      // The package is loaded with the first message: most processes send none.
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

// A message holds a link that signs in, so it leaves this machine under TLS only, unless the URL says otherwise.
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
    ...{ connectionTimeout: stepMs, greetingTimeout: stepMs, socketTimeout: stepMs, dnsTimeout: stepMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
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
