import { randomUUID } from 'node:crypto';
import type { Actions } from '../../../contracts/all.ts';
import type { auth } from '../../../contracts/auth.ts';
import { refused, same, saved } from '../../../contracts/move-in.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { isoTime } from '../../../domain/time/time.ts';
import { moveInOrigin } from '../../../runtime/audit-origin.ts';
import { bcryptProblem } from '../rules/bcrypt-hashes.ts';
import { lifetimesOf, type SessionDays } from '../rules/lifetimes.ts';
import { acting } from '../tables/acting.ts';
import {
  endFamiliesOfDeleted,
  holdApplications,
  holdProject,
  insertMovedApplications,
  insertMovedFamilies,
  insertMovedKeys,
  lockMoves,
  noteMoved,
  replaceUnusedSecrets,
  selectKeyProjects,
  selectMoved,
  selectProjectsOfLive,
  selectStoredTokens,
} from '../tables/moved-in.ts';
import type { ChangeDeps } from '../work/deps.ts';

type Outcomes<N extends 'moveInKeys' | 'moveInApplications' | 'moveInTokens'> =
  Actions[`auth.${N}`]['returns']['outcomes'];

/** Moves API keys in, with an outcome for each. @throws PROJECT_NOT_FOUND (404) */
export function moveKeysIn(
  { database, origin }: ChangeDeps,
  { project_id, keys }: ParamsOf<typeof auth, 'moveInKeys'>,
): Promise<Outcomes<'moveInKeys'>> {
  return acting(database, moveInOrigin(origin, project_id), async (on) => {
    await holdProject(on, project_id);
    await lockMoves(on);
    const hashes = keys.map(({ hash }) => hash);
    const moved = await selectMoved(on, 'api_key', hashes);
    const rows = keys
      .filter(({ hash }) => !moved.has(hash))
      .map((key) => ({ ...key, created_at: isoTime(key.created_at.ms) }));
    const inserted = await insertMovedKeys(on, project_id, rows);
    await noteMoved(on, 'api_key', inserted);
    const projects = await selectKeyProjects(on, hashes);
    return hashes.map((hash) => {
      // Of a key that is given twice the first entry is saved.
      if (inserted.delete(hash)) return saved;
      return refusalOf(projects.get(hash), project_id) ?? same;
    });
  });
}

function refusalOf(project: string | undefined, projectId: string) {
  if (project === undefined) return refused('ended');
  return project === projectId ? null : refused('other_project');
}

/** Moves applications in, with an outcome for each. @throws PROJECT_NOT_FOUND (404) */
export function moveApplicationsIn(
  { database, origin }: ChangeDeps,
  { project_id, applications }: ParamsOf<typeof auth, 'moveInApplications'>,
): Promise<Outcomes<'moveInApplications'>> {
  return acting(database, moveInOrigin(origin, project_id), async (on) => {
    await holdProject(on, project_id);
    await lockMoves(on);
    const usable = new Map(
      applications
        .filter(({ secret_bcrypt }) => bcryptProblem(secret_bcrypt) === null)
        .toReversed() // of an id that is given twice the first entry counts
        .map((one) => [one.app_id, { ...one, created_at: isoTime(one.created_at.ms) }]),
    );
    const appIds = [...usable.keys()];
    const moved = await selectMoved(on, 'application', appIds);
    const rows = [...usable.values()];
    const inserted = await insertMovedApplications(
      on,
      project_id,
      rows.filter(({ app_id }) => !moved.has(app_id)),
    );
    await noteMoved(on, 'application', inserted);
    const replaced = await replaceUnusedSecrets(on, project_id, rows);
    const found = await holdApplications(on, appIds);
    return applications.map(({ app_id, secret_bcrypt }) => {
      const problem = bcryptProblem(secret_bcrypt);
      if (problem !== null) return refused(problem);
      if (inserted.delete(app_id) || replaced.delete(app_id)) return saved;
      return refusalOf(found.get(app_id)?.project, project_id) ?? same;
    });
  });
}

/** Moves refresh tokens of users in, with an outcome for each. @throws PROJECT_NOT_FOUND (404) */
export async function moveTokensIn(
  { database, origin, config }: ChangeDeps & { readonly config: SessionDays },
  { project_id, tokens }: ParamsOf<typeof auth, 'moveInTokens'>,
): Promise<Outcomes<'moveInTokens'>> {
  const moving = moveInOrigin(origin, project_id);
  const choices = await acting(database, moving, async (on) => {
    await holdProject(on, project_id);
    await lockMoves(on);
    const hashes = tokens.map(({ hash }) => hash);
    const here = {
      projects: await selectProjectsOfLive(
        on,
        tokens.map(({ user_id }) => user_id),
      ),
      applications: await holdApplications(
        on,
        tokens.flatMap(({ app_id }) => app_id ?? []),
      ),
      moved: await selectMoved(on, 'refresh_token', hashes),
      stored: await selectStoredTokens(on, hashes),
    };
    const chosen = tokens.map((token) => chooseToken(token, project_id, here));
    const families = chosen.flatMap((choice) => ('outcome' in choice ? [] : [choice]));
    const { refreshSeconds } = lifetimesOf(config).sdk;
    await insertMovedFamilies(on, project_id, families, { refreshSeconds, issuedBy: moving.actor });
    await noteMoved(
      on,
      'refresh_token',
      families.map(({ hash }) => hash),
    );
    return chosen;
  });
  // After the commit: a deletion of the user either ended the family or is found here.
  const families = choices.flatMap((choice) => ('outcome' in choice ? [] : [choice]));
  const ended = await endFamiliesOfDeleted(database, families);
  return choices.map((choice) => {
    if ('outcome' in choice) return choice;
    return ended.has(choice.family_id) ? refused('unknown_user') : saved;
  });
}

interface Here {
  /** The projects of users who are not deleted, by id. */
  readonly projects: ReadonlyMap<string, string>;
  readonly applications: Awaited<ReturnType<typeof holdApplications>>;
  readonly moved: ReadonlySet<string>;
  /** The hashes of refresh tokens that are here; those that are chosen are added. */
  readonly stored: Set<string>;
}

/** The family that a token begins, or its outcome. */
function chooseToken(
  { hash, user_id, app_id }: ParamsOf<typeof auth, 'moveInTokens'>['tokens'][number],
  projectId: string,
  { projects, applications, moved, stored }: Here,
) {
  const project = projects.get(user_id);
  if (project === undefined) return refused('unknown_user');
  if (project !== projectId) return refused('other_project');
  if (stored.has(hash)) return same;
  if (moved.has(hash)) return refused('ended');
  const application = app_id === null ? null : applications.get(app_id);
  if (application === undefined || (application !== null && application.project !== projectId))
    return refused('unknown_application');
  stored.add(hash);
  return { family_id: randomUUID(), hash, user_id, application_id: application?.id ?? null };
}
