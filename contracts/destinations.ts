import { z } from 'zod';
import { action, contract, Nothing } from '../domain/contract.ts';
import {
  Destination,
  DestinationFields,
  DestinationFrom,
  DestinationId,
  DestinationKind,
} from './destinations/schemas.ts';
import { ProjectId } from './fields.ts';
import { onUserErased } from './lifecycle.ts';

const tag = 'Destinations';
const path = '/destinations';
const ofDestination = z.object({ destination_id: DestinationId });
const one = `${path}/:destination_id` as const;
const writing = { access: 'destinations.write', tag } as const;

/** Copies of the data of a project in stores of its own. */
export const destinations = contract('destinations', {
  create: action({
    summary: 'Create a destination, to which data is copied from now on',
    description: 'Its state shows whether it can be reached. There are at most 10 in a project.',
    params: z
      .object({
        kind: DestinationKind.meta({ example: 's3' }),
        ...DestinationFields,
        from: DestinationFrom.default('beginning'),
      })
      .meta({ id: 'CreateDestinationRequest' }),
    returns: Destination,
    http: {
      ...writing,
      method: 'POST',
      path,
      status: 201,
      idempotencyKey: true,
      audit: 'destination.created',
    },
  }),
  list: action({
    summary: 'List destinations, oldest first',
    params: Nothing,
    returns: z.array(Destination),
    http: { method: 'GET', path, access: 'destinations.read', tag },
  }),
  get: action({
    summary: 'Get one destination',
    params: ofDestination,
    returns: Destination,
    http: { method: 'GET', path: one, access: 'destinations.read', tag },
  }),
  update: action({
    summary: 'Update a destination; omitted fields and settings are unchanged',
    description: 'Another place, such as a bucket, or other `types` begin the copy anew.',
    params: ofDestination
      .extend({ ...DestinationFields, settings: DestinationFields.settings.optional() })
      .meta({ id: 'UpdateDestinationRequest' }),
    returns: Destination,
    http: { ...writing, method: 'PATCH', path: one, audit: 'destination.updated' },
  }),
  remove: action({
    summary: 'Delete a destination; what it has written stays where it is',
    params: ofDestination,
    returns: Destination,
    http: { ...writing, method: 'DELETE', path: one, audit: 'destination.deleted' },
  }),
  pause: action({
    summary: 'Pause a destination; nothing is lost, it continues where it stopped',
    params: ofDestination,
    returns: Destination,
    http: {
      ...writing,
      method: 'POST',
      path: `${one}/pause`,
      bodyOptional: true,
      audit: 'destination.paused',
    },
  }),
  resume: action({
    summary: 'Resume a paused destination, or try a failing one at once',
    params: ofDestination,
    returns: Destination,
    http: {
      ...writing,
      method: 'POST',
      path: `${one}/resume`,
      bodyOptional: true,
      audit: 'destination.resumed',
    },
  }),
  reset: action({
    summary: 'Begin the copy anew; readers see the former one until it is replaced',
    params: ofDestination
      .extend({ from: DestinationFrom.default('beginning') })
      .meta({ id: 'ResetDestinationRequest' }),
    returns: Destination,
    http: {
      ...writing,
      method: 'POST',
      path: `${one}/reset`,
      bodyOptional: true,
      audit: 'destination.reset',
    },
  }),
  /** For auth, which deleted the keys: the ids that one key had. */
  endKeys: action({
    summary: 'Pause the destinations that deleted API keys set, unless they are kept',
    params: z.object({ key_ids: z.array(z.uuid()), keep: z.boolean() }),
    returns: z.object({ paused: z.array(z.string()) }),
    idempotent: true,
  }),
  forgetProject: action({
    summary: 'Delete the destinations of a project',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({ deleted: z.int() }),
    idempotent: true,
  }),
  forgetUser: onUserErased('Remove a deleted user from all destinations'),
});
