/**
 * All actions of the audit trail. The contract of a route that changes data or exports personal data names one of them; a
 * new kind of change needs a new line here.
 */
export const auditActions = {
  'developer.created': 'A developer account was created.',
  'developer.deleted': 'A developer account was deleted.',
  'developer.confirmed': 'An owner confirmed the e-mail address of a developer.',
  'developer.password_changed': 'The password of a developer was changed; the other sessions ended.',
  'developer.logged_in': 'A developer logged in.',
  'developer.signed_in_by_link': 'A developer signed in to the console with a link.',
  'developer.log_in_failed':
    'Log-ins failed; `details.failures` counts those of an account and an address range in an hour.',
  'second_factor.enabled': 'A developer turned an authenticator on.',
  'second_factor.disabled': 'The authenticator of a developer was turned off.',
  'passkey.added': 'A developer added a passkey.',
  'passkey.removed': 'A passkey of a developer was removed.',
  'project.created': 'A project was created.',
  'project.updated': 'The name or a limit of a project was changed.',
  'provider.credentials_set':
    'Credentials of a project at a provider were set; `details` has the provider and the client id.',
  'provider.credentials_removed':
    'Credentials of a project at a provider were removed; `details` has the provider and the client id.',
  'project.deletion_started':
    'The deletion of a project with its users began; `details.project` is the project, `details.users` their number.',
  'project.deleted': 'A project was deleted; `details` has the numbers of what was deleted with it.',
  'retention.updated':
    'How long data of a project is kept was changed; `details.before` and `details.after` are the rules.',
  'member.added': 'A developer became a member of a project; `details.role` is the role.',
  'member.role_changed': 'The role of a member was changed; `details.role` is the new one.',
  'member.removed': 'A member was removed from a project.',
  'invitation.created': 'A role in a project was offered to an e-mail address; `details.role` is the role.',
  'invitation.revoked': 'An invitation was revoked.',
  'invitation.accepted': 'An invitation was accepted; `details.role` is the role.',
  'api_key.created': 'An API key was created.',
  'api_key.renamed': 'An API key was renamed.',
  'api_key.rotated': 'An API key was replaced by a new one.',
  'api_key.deleted': 'An API key was deleted.',
  'application.created': 'An application was created.',
  'application.renamed': 'An application was renamed.',
  'application.secret_rotated':
    'The secret of an application was replaced; the tokens that it obtained ended.',
  'application.deleted': 'An application was deleted; the tokens that it obtained ended.',
  'token.issued': 'A token that reads the data of one user was issued.',
  'embed.created':
    'A page that shows the days of one user within other pages was made; `details.origins` are the origins of these pages.',
  'token.code_created': 'A code that is exchanged for a token of one user was created.',
  'token.revoked': 'A session or a token was revoked; all tokens of its family ended.',
  'token.reused': 'A used refresh token came back; all tokens of its family ended.',
  'user.created': 'A user was created.',
  'user.updated': 'A user was changed; `details.fields` names what.',
  'user.source_priority_changed': 'The order of sources of a user was changed.',
  'user.route_privacy_changed':
    'What is stored of the routes of a user was changed; `details` has the number of zones, not the places.',
  'user.deleted': 'A user was deleted.',
  'user.erased': 'All samples and records of a deleted user were erased.',
  'user.exported': 'The data of a user was exported.',
  'user.read': 'Data of a user was read; recorded where AUDIT_READS is on.',
  'connection.authorization_started': "A link to a provider's consent page was made for a user.",
  'connection.session_created': 'A link to the connect page was made for a user.',
  'connection.session_opened': 'A browser acted first on the connect page of a user.',
  'connection.created': 'An account at a provider was connected, or connected anew.',
  'connection.changed': 'What a connection may read, or its privacy, was changed.',
  'connection.revoked': 'A connection ended.',
  'connection.expired': 'The provider refused the access of a connection.',
  'connection.purge_requested': 'The erasure of all data of a connection was requested.',
  'connection.purged':
    'All samples and records of a purged connection were erased; `details.provider` names it.',
  'connection.repair_started':
    'Missing data of a connection is fetched; `details.data_types` names the kinds.',
  'connection.repair_ended':
    'A repair of a connection ended; `details.outcome` is `data_arrived`, `nothing_found` or the code of a failure.',
  'backfill.started': 'A backfill of past data was started.',
  'backfill.cancelled': 'A backfill of past data was cancelled.',
  'import.created': 'A file of health data was uploaded for a user.',
  'import.cancelled': 'The import of a file was cancelled.',
  'import.original_deleted': 'The original of an import that had ended was deleted.',
  'delivery.read': 'The body of a delivery was read, which contains data of users.',
  'delivery.replayed': 'A delivery was put into the queue again.',
  'job.retried': 'A dead job was made due again; `details.kind` names its kind.',
  'delivery.reprocess_started': 'Kept deliveries were processed again with the current normalisers.',
  'delivery.reprocess_cancelled': 'A run of kept deliveries through the current normalisers was cancelled.',
  'webhook_endpoint.created': 'A webhook endpoint was created.',
  'webhook_endpoint.updated': 'A webhook endpoint was changed; `details.fields` names what.',
  'webhook_endpoint.deleted': 'A webhook endpoint was deleted.',
  'webhook_endpoint.secret_rotated': 'The secret of a webhook endpoint was replaced by a new one.',
  'webhook_endpoint.tested': 'A test message was sent to a webhook endpoint.',
  'webhook_endpoint.message_resent': 'A message of a webhook endpoint was sent again.',
  'webhook_endpoint.recovered': 'The undelivered messages of a webhook endpoint were sent again.',
  'webhook_endpoint.replayed': 'All messages of a webhook endpoint were sent again.',
  'webhook_endpoint.disabled':
    'A webhook endpoint was disabled automatically; `details.reason` is the cause.',
  'destination.created': 'A destination was created, to which the data of a project is copied.',
  'destination.updated': 'A destination was changed; `details.fields` names what.',
  'destination.deleted': 'A destination was deleted; what it has written stays there.',
  'destination.paused': 'A destination was paused; `details.reason` is the cause if it was no request.',
  'destination.resumed': 'A destination was resumed.',
  'destination.reset': 'The copy to a destination was begun anew.',
  'destination.user_erased':
    'The rows of a deleted user were removed from a destination, and its list of objects has no older one; `details` has the numbers.',
  'activity.deleted': 'An activity was deleted at the provider; `details.samples` were removed with it.',
  'activity.samples_removed': 'Samples that only an older version of an activity had were removed.',
} as const;

/** The name of an action of the audit trail. */
export type AuditAction = keyof typeof auditActions;
