import type { Config } from '../../config.ts';
import { fhir } from '../../contracts/fhir.ts';
import { apiPrefix } from '../../domain/contract.ts';
import { ServiceError } from '../../domain/errors.ts';
import { capabilityStatement } from '../../domain/fhir/capability.ts';
import { database } from '../../mixins/database/database.ts';
import type { Meta } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import { publicUrl } from '../../runtime/provider-settings.ts';
import { cancelExport, deleteExportsOf, exportPart, exportStatus, startExport } from './exports.ts';
import { searchObservations } from './observations.ts';
import { readDevice, readObservation, readPatient, searchDevices, searchPatients } from './resources.ts';

/** The data of users as FHIR R4. Its resources are made when they are read. */
export default implement(fhir, {
  uses: { database: database() },
  actions: {
    metadata: (ctx) => capabilityStatement(baseOf(ctx)),
    patients: (ctx) => searchPatients(ctx, baseOf(ctx), ctx.params),
    patient: ({ call, params }) => readPatient(call, params.user_id),
    devices: (ctx) => searchDevices(ctx.call, baseOf(ctx), ctx.params),
    device: ({ call, params }) => readDevice(call, params),
    observations: (ctx) => searchObservations(ctx.call, baseOf(ctx), ctx.params),
    observation: ({ call, params }) => readObservation(call, params),
    exportAll: (ctx) => startExport(ctx, baseOf(ctx), { ...ctx.params, user_id: null }),
    async exportPatient(ctx) {
      await ctx.call('users.get', { user_id: ctx.params.user_id });
      return startExport(ctx, baseOf(ctx), ctx.params);
    },
    exportStatus: (ctx) => exportStatus(ctx, baseOf(ctx), ctx.params),
    cancelExport: (ctx) => cancelExport(ctx, ctx.params),
    exportFile: () => {
      throw new ServiceError('NOT_IMPLEMENTED', 'A file is read over HTTP.');
    },
    exportPart: (ctx) => exportPart(ctx, ctx.params),
    async forgetProject({ database, params }) {
      return { deleted: await deleteExportsOf(database, params.project_id) };
    },
  },
});

/** The address of the FHIR API. */
function baseOf({ config, meta }: { readonly config: Config; readonly meta: Meta }): string {
  return `${publicUrl(config, meta.gateway_url)}${apiPrefix}/fhir`;
}
