/** What is reported of an account that no user connected. */
export const notConnected = 'no user is connected to this userId';
