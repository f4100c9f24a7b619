import { contract } from '../domain/contract.ts';
import { changeActions } from './webhooks/changes.ts';
import { endpointActions } from './webhooks/endpoints.ts';
import { messageActions } from './webhooks/messages.ts';

/** The change log for applications: signed webhooks and a feed. */
export const webhooks = contract('webhooks', { ...endpointActions, ...messageActions, ...changeActions });
