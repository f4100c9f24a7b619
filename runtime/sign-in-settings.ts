import { z } from 'zod';

/** Settings of the sign-in of developers. config.ts reads them. */

/** The forms of the settings, by name. */
export const signInSettings = {
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
  MAIL_FROM: z
    .string()
    .max(320)
    .regex(
      /^([^<>\p{C}]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
      'must be an address, or Name <address>',
    )
    .optional(),
};

/** The secrets among them, which only the service auth gets. */
export const signInSecrets = ['SMTP_URL'] as const;

interface Given {
  readonly SMTP_URL?: string | undefined;
  readonly MAIL_FROM?: string | undefined;
}

/** What is wrong with the settings together. */
export function signInProblems({ SMTP_URL, MAIL_FROM }: Given): string[] {
  return SMTP_URL !== undefined && MAIL_FROM === undefined
    ? ['MAIL_FROM: must be set where SMTP_URL is set']
    : [];
}
