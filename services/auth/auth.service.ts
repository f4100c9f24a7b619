import type { ServiceSchema } from 'moleculer';
import type { Config } from '../../config.ts';
import { auth } from '../../contracts/auth.ts';
import { database } from '../../mixins/database/database.ts';
import { orm } from '../../mixins/database/orm.ts';
import { reads } from '../../mixins/database/reads.ts';
import { jobs } from '../../mixins/jobs/jobs.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import type { Starting } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import { projectOf } from '../../runtime/user-project.ts';
import { admit, outage, readWindow } from './actions/admission.ts';
import {
  changeApplication,
  createApplication,
  removeApplication,
  replaceSecret,
  toApplication,
} from './actions/applications.ts';
import { forgetAccesses, noteAccesses, readAccesses, readAudit } from './actions/audit.ts';
import {
  callingDeveloper,
  changePassword,
  confirmDeveloper,
  createDeveloper,
  findDeveloper,
  readDeveloper,
  toDeveloper,
} from './actions/developers.ts';
import { createApiKey, removeKey, replaceApiKey, shownKey } from './actions/keys.ts';
import { createSignInLink, endSession, logIn, startSession, startSessionByLink } from './actions/log-in.ts';
import {
  acceptInvitation,
  addMember,
  invite,
  removeMember,
  revokeInvitation,
  toInvitation,
  toMember,
} from './actions/members.ts';
import { moveApplicationsIn, moveKeysIn, moveTokensIn } from './actions/move-in.ts';
import {
  createProject,
  logoIn,
  readProject,
  removeProject,
  setLogo,
  toProject,
  updateProject,
} from './actions/projects.ts';
import { resetByLink } from './actions/reset-by-link.ts';
import {
  addPasskey,
  beginPasskey,
  beginTotp,
  confirmBegunTotp,
  listPasskeys,
  removePasskey,
  removeTotp,
  showTotp,
} from './actions/second-factors.ts';
import { beginPasskeySignIn, oidcIn, signInByOidc, startSessionByPasskey } from './actions/sign-in.ts';
import { createEmbed, issueForCode, issueToken, originsOfEmbed, refresh, revoke } from './actions/tokens.ts';
import { tokenSignerOf } from './rules/access-tokens.ts';
import { refuseWithoutPasswords } from './rules/password-rules.ts';
import { acting } from './tables/acting.ts';
import type { AdmittedRow } from './tables/admission.ts';
import { renameApiKey, selectApiKeys } from './tables/api-keys.ts';
import { selectApplications } from './tables/applications.ts';
import { deleteDeveloper, selectDevelopers } from './tables/developers.ts';
import { Developer } from './tables/entities.ts';
import { endFamiliesOfUser } from './tables/families.ts';
import { selectInvitations } from './tables/invitations.ts';
import {
  hasFurtherProjects,
  selectBrand,
  selectLogo,
  selectMembers,
  selectProjects,
} from './tables/projects.ts';
import { createBcryptQueue } from './work/application-secrets.ts';
import { countAttempt } from './work/attempts.ts';
import { cleaningHandler } from './work/cleaning.ts';
import { keyEndingHandler } from './work/end-key.ts';
import { forgotPassword, forgottenHandler } from './work/forgot-password.ts';
import { GroupedCounts } from './work/grouped-counts.ts';
import { mailer, mailHandler } from './work/mail.ts';
import { oidc } from './work/oidc.ts';
import { createPasswords, type HashCosts } from './work/passwords.ts';
import { projectDeletionHandler } from './work/project-deletion.ts';

/** The resources in the context of every action of auth. */
const authResources = {
  database: database(),
  reads: reads(),
  outage: outage(),
  jobs: jobs(),
  orm: orm([Developer]),
  tokens: ({ config }: Starting) => tokenSignerOf(config),
  cipher: ({ config }: Starting) => cipherOf(config),
  mailer: mailer(),
  oidc: oidc(),
  counts: () => new GroupedCounts<AdmittedRow>(),
  config: ({ config }: Starting): Config => config,
};

/** Creates the service. `costs` are those of password hashes, which tests lower. */
export function authService(costs?: HashCosts): ServiceSchema {
  return implement(auth, {
    uses: { ...authResources, bcrypt: createBcryptQueue, passwords: () => createPasswords({}, costs) },
    actions: {
      async login(ctx) {
        refuseWithoutPasswords(ctx.config);
        const email = ctx.params.email ?? ctx.params.username ?? '';
        return countAttempt(ctx, email.trim().toLowerCase(), (priority) =>
          logIn(ctx, email, ctx.params.password, priority, ctx.params.code),
        );
      },
      refresh: (ctx) => countAttempt(ctx, null, () => refresh(ctx, ctx.params.refresh_token)),
      async revoke(ctx) {
        await revoke(ctx, ctx.params);
        return {};
      },
      async startSession(ctx) {
        refuseWithoutPasswords(ctx.config);
        const account = ctx.params.email.trim().toLowerCase();
        const id = await countAttempt(ctx, account, (priority) => startSession(ctx, ctx.params, priority));
        return toDeveloper(await findDeveloper(ctx.orm, id));
      },
      async startSessionByLink(ctx) {
        const id = await countAttempt(ctx, null, () => startSessionByLink(ctx, ctx.params));
        return toDeveloper(await findDeveloper(ctx.orm, id));
      },
      beginOidc: (ctx) => oidcIn(ctx).begin(ctx.params.redirect_uri),
      async startSessionByOidc(ctx) {
        const id = await countAttempt(ctx, null, () => signInByOidc(ctx, ctx.params));
        return toDeveloper(await findDeveloper(ctx.orm, id));
      },
      beginPasskeySignIn(ctx) {
        refuseWithoutPasswords(ctx.config);
        return beginPasskeySignIn(ctx);
      },
      async startSessionByPasskey(ctx) {
        refuseWithoutPasswords(ctx.config);
        const id = await countAttempt(ctx, null, ({ address }) =>
          startSessionByPasskey(ctx, ctx.params, address),
        );
        return toDeveloper(await findDeveloper(ctx.orm, id));
      },
      async endSession(ctx) {
        await endSession(ctx, ctx.params.session_hash);
        return {};
      },
      createSignInLink: (ctx) => createSignInLink(ctx, ctx.params),
      async me(ctx) {
        return toDeveloper(await readDeveloper(ctx.reads, callingDeveloper(ctx.meta).developer_id));
      },
      async changePassword(ctx) {
        refuseWithoutPasswords(ctx.config);
        const { current_password, new_password } = ctx.params;
        return toDeveloper(
          await changePassword(ctx, callingDeveloper(ctx.meta), current_password, new_password),
        );
      },
      async forgotPassword(ctx) {
        refuseWithoutPasswords(ctx.config);
        await forgotPassword(ctx, ctx.params.email);
        return {};
      },
      async resetPassword(ctx) {
        refuseWithoutPasswords(ctx.config);
        await countAttempt(ctx, null, () => resetByLink(ctx, ctx.params));
        return {};
      },
      showTotp: (ctx) => showTotp(ctx),
      beginTotp: (ctx) => beginTotp(ctx),
      confirmTotp: (ctx) => confirmBegunTotp(ctx, ctx.params.code),
      async removeTotp(ctx) {
        await removeTotp(ctx, ctx.params);
        return {};
      },
      listPasskeys: (ctx) => listPasskeys(ctx),
      beginPasskey(ctx) {
        refuseWithoutPasswords(ctx.config);
        return beginPasskey(ctx, ctx.params);
      },
      confirmPasskey(ctx) {
        refuseWithoutPasswords(ctx.config);
        return addPasskey(ctx, ctx.params);
      },
      removePasskey: (ctx) => removePasskey(ctx, ctx.params.passkey_id, ctx.params),
      async createDeveloper(ctx) {
        return toDeveloper(await createDeveloper(ctx, ctx.origin, ctx.params));
      },
      confirmDeveloper: async (ctx) => toDeveloper(await confirmDeveloper(ctx, ctx.params.developer_id)),
      async listDevelopers(ctx) {
        return (await selectDevelopers(ctx.reads)).map(toDeveloper);
      },
      async removeDeveloper(ctx) {
        return toDeveloper(await deleteDeveloper(ctx.database, ctx.origin, ctx.params.developer_id));
      },
      createKey(ctx) {
        const { name, scopes, expires_at, addresses } = ctx.params;
        const expiresAt = expires_at === null ? null : new Date(expires_at.ms);
        const key = { name, scopes, expires_at: expiresAt, addresses };
        return createApiKey(ctx, projectOf(ctx.meta), key, callingDeveloper(ctx.meta).developer_id);
      },
      async listKeys(ctx) {
        return (await selectApiKeys(ctx.reads, projectOf(ctx.meta))).map(shownKey);
      },
      async renameKey(ctx) {
        return shownKey(
          await acting(ctx.database, ctx.origin, (on) =>
            renameApiKey(on, projectOf(ctx.meta), ctx.params.key_id, ctx.params.name),
          ),
        );
      },
      rotateKey: (ctx) =>
        replaceApiKey(ctx, projectOf(ctx.meta), ctx.params.key_id, ctx.meta.caller?.developer_id ?? null),
      removeKey: (ctx) => removeKey(ctx, projectOf(ctx.meta), ctx.params),
      createApplication: (ctx) => createApplication(ctx, projectOf(ctx.meta), ctx.params.name),
      async listApplications(ctx) {
        return (await selectApplications(ctx.reads, projectOf(ctx.meta))).map(toApplication);
      },
      renameApplication: (ctx) =>
        changeApplication(ctx, projectOf(ctx.meta), ctx.params.app_id, ctx.params.name),
      removeApplication: (ctx) => removeApplication(ctx, projectOf(ctx.meta), ctx.params.app_id),
      rotateSecret: (ctx) => replaceSecret(ctx, projectOf(ctx.meta), ctx.params.app_id),
      issueToken: (ctx) =>
        countAttempt(ctx, null, (priority) => issueToken(ctx, ctx.params, ctx.meta.caller ?? null, priority)),
      moveInKeys: async (ctx) => ({ outcomes: await moveKeysIn(ctx, ctx.params) }),
      moveInApplications: async (ctx) => ({ outcomes: await moveApplicationsIn(ctx, ctx.params) }),
      moveInTokens: async (ctx) => ({ outcomes: await moveTokensIn(ctx, ctx.params) }),
      issueForCode: (ctx) => issueForCode(ctx, ctx.params),
      createEmbed: (ctx) => createEmbed(ctx, ctx.params),
      findEmbed: async (ctx) => ({ origins: await originsOfEmbed(ctx, ctx.params.token) }),
      async listProjects(ctx) {
        return (await selectProjects(ctx.reads, callingDeveloper(ctx.meta).developer_id)).map(toProject);
      },
      createProject: (ctx) => createProject(ctx, ctx.params),
      updateProject: (ctx) => updateProject(ctx, ctx.params.project_id, ctx.params),
      getProject: ({ database, call, params }) => readProject({ database, call }, params.project_id),
      removeProject: (ctx) => removeProject(ctx, ctx.params),
      putConnectLogo: (ctx) => setLogo(ctx, ctx.params.project_id, logoIn(ctx.params.image)),
      removeConnectLogo: (ctx) => setLogo(ctx, ctx.params.project_id, null),
      connectBrand: ({ reads, params }) => selectBrand(reads, params.project_id),
      async connectLogo({ reads, params }) {
        return { content: (await selectLogo(reads, params.name))?.toString('base64') ?? null };
      },
      isShared: async ({ reads }) => ({ shared: await hasFurtherProjects(reads) }),
      async listMembers(ctx) {
        return (await selectMembers(ctx.reads, projectOf(ctx.meta))).map(toMember);
      },
      addMember: (ctx) => addMember(ctx, projectOf(ctx.meta), ctx.params),
      removeMember: (ctx) => removeMember(ctx, projectOf(ctx.meta), ctx.params),
      createInvitation: (ctx) => invite(ctx, projectOf(ctx.meta), ctx.params),
      async listInvitations(ctx) {
        return (await selectInvitations(ctx.reads, projectOf(ctx.meta))).map(toInvitation);
      },
      removeInvitation: (ctx) => revokeInvitation(ctx, projectOf(ctx.meta), ctx.params.invitation_id),
      async acceptInvitation(ctx) {
        refuseWithoutPasswords(ctx.config);
        return acceptInvitation(ctx, ctx.params);
      },
      audit: (ctx) => readAudit(ctx.reads, projectOf(ctx.meta), ctx.params, Date.now()),
      async accesses(ctx) {
        await ctx.call('users.get', { user_id: ctx.params.user_id });
        return readAccesses(ctx.reads, ctx.params, Date.now());
      },
      noteAccesses: async ({ database, params }) => ({ is_new: await noteAccesses(database, params) }),
      admit: (ctx) => admit(ctx, ctx.params),
      window: ({ database, config, params }) => readWindow(database, config, params.subject_id),
      async forgetUser({ database, params }) {
        await forgetAccesses(database, params.user_id);
        await endFamiliesOfUser(database, params.user_id);
      },
    },
    started: ({ jobs, ...environment }) => {
      const handlers = [
        cleaningHandler(environment),
        keyEndingHandler(environment),
        projectDeletionHandler(environment),
        forgottenHandler({ ...environment, jobs }),
        mailHandler(environment),
      ];
      return jobs.start(handlers, { pollMs: 10_000 });
    },
  });
}

export default authService();
