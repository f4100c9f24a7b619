import type { Api, ApiAccess } from './api.ts';

/** The services, for a simulation that uploads. */
interface UploadAccess extends ApiAccess {
  readonly apiKey: string;
}

/** A provider without an API of its own: its users' devices upload. */
export interface SimulatedUploads {
  run(api: Api, access: UploadAccess): Promise<void>;
}
