/** The reasons why a user's data cannot be requested from a provider: the stored code and the returned sentence. */
export const accessReasons = {
  CONNECTION_GONE: 'The connection to the provider has ended.',
  TOKEN_MISSING: 'The connection has no access token.',
  TOKEN_REFUSED: 'The provider no longer accepts our access: the user has to connect again.',
  CLIENT_REMOVED:
    'The credentials at the provider that the connection was made with were replaced or removed: the user has to connect again.',
} as const;
