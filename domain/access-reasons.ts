/** Why a provider's data of a user cannot be requested: the code that is stored, the sentence that is returned. */
export const accessReasons = {
  CONNECTION_GONE: 'The connection to the provider has ended.',
  TOKEN_MISSING: 'The connection has no access token.',
  TOKEN_REFUSED: 'The provider no longer accepts our access: the user has to connect again.',
} as const;
