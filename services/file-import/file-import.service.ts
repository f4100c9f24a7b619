import { fileImport } from '../../contracts/file-import.ts';
import { database } from '../../mixins/database/database.ts';
import { jobHandler, jobs, recurringHandler } from '../../mixins/jobs/jobs.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import type { Mixin } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import {
  appendPart,
  cancelImport,
  createImport,
  dropImport,
  forgetImports,
  listImports,
  newestAsBackfill,
  openImport,
  purgeImports,
  readOriginal,
  showImport,
  showOriginal,
  stopImports,
} from './actions/imports.ts';
import { deleteOldImports, endImport, selectStale, shortenOriginals } from './tables/imports.ts';
import { type FileFolder, fileFolder } from './work/file-folder.ts';
import { importKind, type RunDeps, removeUnneeded, runImport } from './work/run-import.ts';

const upkeep = { name: 'file-import.upkeep', everyMs: 600_000, firstAfterMs: 30_000 };
/** An import ends after this time without another part, or without a job that reads its file. */
const staleHours = 1;
const keptDays = 365;

/** The folder of files, as a mixin. */
const folderMixin: Mixin<FileFolder> = ({ config }) => {
  cipherOf(config); // throws without ENCRYPTION_KEY, which files need too
  return fileFolder(config);
};

/** Imports files with health data: takes them in parts, reads them in the background, and stores what they contain. */
export default implement(fileImport, {
  uses: { database: database(), jobs: jobs(), folder: folderMixin },
  actions: {
    open: (ctx) => openImport(ctx, ctx.params.user_id, ctx.params.bytes),
    append: (ctx) => appendPart(ctx, ctx.params),
    create: (ctx) => createImport(ctx, ctx.params),
    drop: (ctx) => dropImport(ctx, ctx.params),
    list: (ctx) => listImports(ctx, ctx.params.user_id),
    get: (ctx) => showImport(ctx, ctx.params),
    original: (ctx) => showOriginal(ctx, ctx.params),
    originalPart: (ctx) => readOriginal(ctx, ctx.params),
    cancel: (ctx) => cancelImport(ctx, ctx.params),
    backfillStatus: (ctx) => newestAsBackfill(ctx, ctx.params.user_id),
    stopConnection: (ctx) => stopImports(ctx, ctx.params.connection_id),
    purge: (ctx) => purgeImports(ctx, ctx.params.user_id),
    forgetUser: (ctx) => forgetImports(ctx, ctx.params.user_id),
  },
  started: (environment) =>
    environment.jobs.start([
      jobHandler(importKind, (job, held) => runImport(environment, job, held), {
        parallel: 2,
        needs: ['timeseries.store', 'timeseries.storeIntervals', 'timeseries.routeRules'],
      }),
      recurringHandler(upkeep, async () => {
        await keepUp(environment);
        return undefined;
      }),
    ]),
});

/** Ends imports without progress, and deletes files that no import needs. */
async function keepUp(deps: Pick<RunDeps, 'config' | 'database' | 'folder'>): Promise<void> {
  const { config, database, folder } = deps;
  const error = 'The file did not arrive whole, or could not be read.';
  const ending = { state: 'failed', error, keptDays: config.IMPORT_RETENTION_DAYS } as const;
  for (const id of await selectStale(database, importKind.name, staleHours))
    await endImport(database, id, ending);
  await shortenOriginals(database, config.IMPORT_RETENTION_DAYS);
  await removeUnneeded(deps, await folder.ids());
  await deleteOldImports(database, keptDays);
}
