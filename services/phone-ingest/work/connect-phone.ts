import { isError, ServiceError } from '../../../domain/errors.ts';
import { type Call, callAs } from '../../../runtime/environment.ts';

const provider = 'phone';

/**
 * Connects a user at the first upload. @throws UNAUTHENTICATED (401) after a disconnect: the app keeps its data, while on a
 * 403 it might drop it. FORBIDDEN (403) for a user who does not exist
 */
export async function openUploads(call: Call, user_id: string): Promise<{ connection_id: string }> {
  try {
    const { id, status } = await call('users.connection', { user_id, provider });
    if (status !== 'active') throw disconnected();
    return { connection_id: id };
  } catch (error) {
    if (isError(error, 'CONNECTION_NOT_FOUND')) return connectPhone(call, user_id);
    throw isError(error, 'USER_NOT_FOUND') ? noUser() : error;
  }
}

/** Connects a user, or connects a user again. The phone's account is the user. */
export async function connectPhone(call: Call, user_id: string): Promise<{ connection_id: string }> {
  try {
    const { id } = await callAs(call, `user:${user_id}`)('users.connect', {
      user_id,
      provider,
      provider_user_id: user_id,
      scope: [],
    });
    return { connection_id: id };
  } catch (error) {
    if (isError(error, 'CONNECTION_EXISTS'))
      return { connection_id: (await call('users.connection', { user_id, provider })).id };
    throw isError(error, 'USER_NOT_FOUND') ? noUser() : error;
  }
}

const disconnected = () =>
  new ServiceError('UNAUTHENTICATED', 'The phone was disconnected. A new invitation code connects it again.');

const noUser = () => new ServiceError('FORBIDDEN', 'This user does not exist.');
