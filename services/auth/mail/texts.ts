import type { Mail } from './mailer.ts';

/** The messages. They name no project and no person: whoever gets one by mistake learns nothing. */

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
