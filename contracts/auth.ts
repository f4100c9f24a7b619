import { contract } from '../domain/contract.ts';
import { accessActions } from './auth/accesses.ts';
import { apiKeyActions } from './auth/api-keys.ts';
import { applicationActions } from './auth/applications.ts';
import { developerActions } from './auth/developers.ts';
import { embedActions } from './auth/embeds.ts';
import { invitationActions } from './auth/invitations.ts';
import { moveInActions } from './auth/move-in.ts';
import { passkeyActions } from './auth/passkeys.ts';
import { passwordActions } from './auth/passwords.ts';
import { projectActions } from './auth/projects.ts';
import { secondFactorActions } from './auth/second-factor.ts';
import { admissionActions, consoleSessionActions, sessionActions } from './auth/sessions.ts';

/** Projects, developers, API keys, applications, tokens, admission of requests, the audit trail and who read what. */
export const auth = contract('auth', {
  ...sessionActions,
  ...consoleSessionActions,
  ...developerActions,
  ...passwordActions,
  ...secondFactorActions,
  ...passkeyActions,
  ...apiKeyActions,
  ...applicationActions,
  ...embedActions,
  ...projectActions,
  ...invitationActions,
  ...admissionActions,
  ...accessActions,
  ...moveInActions,
});
