// This file is generated from openapi.json by generate.ts.
import { Group, VerifyingGroup } from '../group.ts';
import type { Input } from '../input.ts';
import type { Lines } from '../lines.ts';
import type { Pages } from '../pages.ts';
import type { CallOptions, Transport } from '../transport.ts';
import type * as types from './types.gen.ts';

export class Auth extends Group {
  /**
   * Log in as a developer.
   * Takes JSON `{email, password}`, or a form with `username` and `password`. An account with an authenticator needs a `code` too: without one the response to the right password is 401 with the code `SECOND_FACTOR_REQUIRED`. An account with passkeys and no authenticator signs in to the console only: the response is 401 with the code `PASSKEY_REQUIRED`.
   */
  login(params: Input<types.AuthLoginData>, options?: CallOptions): Promise<types.Tokens> {
    return this.json('POST /auth/login', params, options, { isOpen: true });
  }

  /** Get the current developer */
  me(options?: CallOptions): Promise<types.Developer> {
    return this.json('GET /auth/me', {}, options);
  }

  /**
   * Change your password and end all other sessions.
   * A password has at least 10 characters. Common passwords are rejected, also with digits or symbols around them. Repetitions, sequences, and passwords that contain the e-mail address or the part of it before the @ are rejected too.
   */
  changePassword(params: Input<types.AuthChangePasswordData>, options?: CallOptions): Promise<types.Developer> {
    return this.json('POST /auth/change-password', params, options);
  }

  /**
   * Create a developer account.
   * A password has at least 10 characters. Common passwords are rejected, also with digits or symbols around them. Repetitions, sequences, and passwords that contain the e-mail address or the part of it before the @ are rejected too.
   */
  createDeveloper(params: Input<types.AuthCreateDeveloperData>, options?: CallOptions): Promise<types.Developer> {
    return this.json('POST /developers', params, options, { takesKey: true });
  }

  /** List developer accounts */
  listDevelopers(options?: CallOptions): Promise<types.Developer[]> {
    return this.json('GET /developers', {}, options);
  }

  /**
   * Confirm that the e-mail address of an account belongs to its holder.
   * Ask the holder of the address first: the account keeps its password and second factors. Delete an account that the holder does not know.
   */
  confirmDeveloper(params: Input<types.AuthConfirmDeveloperData>, options?: CallOptions): Promise<types.Developer> {
    return this.json('POST /developers/{developer_id}/confirm', params, options);
  }

  /** Delete a developer account and keep its API keys */
  removeDeveloper(params: Input<types.AuthRemoveDeveloperData>, options?: CallOptions): Promise<types.Developer> {
    return this.json('DELETE /developers/{developer_id}', params, options);
  }

  /**
   * Request a link by e-mail that sets a new password.
   * The response is the same whether an account has the address, and where the installation sends no e-mail (SMTP_URL). The link serves once, within an hour. At most 5 e-mails an hour are sent to an account.
   */
  forgotPassword(params: Input<types.AuthForgotPasswordData>, options?: CallOptions): Promise<Record<string, never>> {
    return this.json('POST /auth/forgot-password', params, options, { isOpen: true });
  }

  /**
   * Set a new password with a link, and end all sessions of the account.
   * It confirms the e-mail address. If that was not confirmed before, second factors of the account are removed: somebody else may have set them up. A password has at least 10 characters. Common passwords are rejected, also with digits or symbols around them. Repetitions, sequences, and passwords that contain the e-mail address or the part of it before the @ are rejected too.
   */
  resetPassword(params: Input<types.AuthResetPasswordData>, options?: CallOptions): Promise<Record<string, never>> {
    return this.json('POST /auth/reset-password', params, options, { isOpen: true });
  }

  /** Get whether you have an authenticator */
  showTotp(options?: CallOptions): Promise<types.Totp> {
    return this.json('GET /auth/totp', {}, options);
  }

  /**
   * Begin to set up an authenticator; only this response contains the secret.
   * It has no effect until `POST /auth/totp/confirm`, within an hour.
   */
  beginTotp(options?: CallOptions): Promise<types.NewTotp> {
    return this.json('POST /auth/totp', {}, options);
  }

  /** Turn the authenticator off, with the password or a code in the body */
  removeTotp(params: Input<types.AuthRemoveTotpData> = {}, options?: CallOptions): Promise<Record<string, never>> {
    return this.json('DELETE /auth/totp', params, options, { hasBody: true });
  }

  /**
   * Turn the authenticator on with a code; only this response contains the recovery codes.
   * From now on a log-in needs a `code`. Your other sessions continue.
   */
  confirmTotp(params: Input<types.AuthConfirmTotpData>, options?: CallOptions): Promise<types.RecoveryCodes> {
    return this.json('POST /auth/totp/confirm', params, options);
  }

  /** List your passkeys */
  listPasskeys(options?: CallOptions): Promise<types.Passkey[]> {
    return this.json('GET /auth/passkeys', {}, options);
  }

  /**
   * Begin to add a passkey, with the password or a code in the body.
   * A page of this installation passes the response to `navigator.credentials.create`, and sends the credential within 5 minutes to `POST /auth/passkeys/confirm`.
   */
  beginPasskey(params: Input<types.AuthBeginPasskeyData> = {}, options?: CallOptions): Promise<types.NewPasskeyOptions> {
    return this.json('POST /auth/passkeys', params, options);
  }

  /**
   * Add the passkey that the browser made.
   * The console signs in with it, which counts as password and second factor. A log-in with the password alone is refused from now on. An account has at most 20 passkeys.
   */
  confirmPasskey(params: Input<types.AuthConfirmPasskeyData>, options?: CallOptions): Promise<types.Passkey> {
    return this.json('POST /auth/passkeys/confirm', params, options);
  }

  /**
   * Remove a passkey, with the password or a code in the body.
   * Your other sessions end.
   */
  removePasskey(params: Input<types.AuthRemovePasskeyData>, options?: CallOptions): Promise<types.Passkey> {
    return this.json('DELETE /auth/passkeys/{passkey_id}', params, options, { hasBody: true });
  }

  /** List the projects that you may enter, with your role */
  listProjects(options?: CallOptions): Promise<types.Project[]> {
    return this.json('GET /projects', {}, options);
  }

  /** Create a project */
  createProject(params: Input<types.AuthCreateProjectData>, options?: CallOptions): Promise<types.Project> {
    return this.json('POST /projects', params, options, { takesKey: true });
  }

  /** Change the name, the limits or the second factor of a project; omitted fields are unchanged */
  updateProject(params: Input<types.AuthUpdateProjectData>, options?: CallOptions): Promise<types.Project> {
    return this.json('PATCH /projects/{project_id}', params, options);
  }

  /** Get a project, and how many users are left while it is deleted */
  getProject(params: Input<types.AuthGetProjectData>, options?: CallOptions): Promise<types.ProjectState> {
    return this.json('GET /projects/{project_id}', params, options);
  }

  /**
   * Delete a project with its keys, applications, endpoints, members and retention rule.
   * With `users=delete`, the project is closed and its credentials are refused when the response arrives. Its users are erased in the background, one after the other, then the project; `GET /projects/{project_id}` returns the number of users that are left, and 404 at the end. The audit trail has an entry for each user, and one with the numbers of what was deleted.
   */
  removeProject(params: Input<types.AuthRemoveProjectData>, options?: CallOptions): Promise<types.Project> {
    return this.json('DELETE /projects/{project_id}', params, options);
  }

  /**
   * Set the logo that the connect page shows to users of a project.
   * The form of the image follows from its bytes: PNG, JPEG or WebP, at most 100,000 bytes. Links that were made before show the former logo for an hour.
   */
  putConnectLogo(params: Input<types.AuthPutConnectLogoData>, options?: CallOptions): Promise<types.Project> {
    return this.json('PUT /projects/{project_id}/connect-logo', params, options);
  }

  /** Remove the logo of a project: the connect page shows that of the installation */
  removeConnectLogo(params: Input<types.AuthRemoveConnectLogoData>, options?: CallOptions): Promise<types.Project> {
    return this.json('DELETE /projects/{project_id}/connect-logo', params, options);
  }

  /** List the members of the project */
  listMembers(options?: CallOptions): Promise<types.Member[]> {
    return this.json('GET /members', {}, options);
  }

  /** Give a developer a role in the project, or another one */
  addMember(params: Input<types.AuthAddMemberData>, options?: CallOptions): Promise<types.Member> {
    return this.json('POST /members', params, options);
  }

  /**
   * Remove a member from the project, and end the API keys that the member made.
   * The keys are those whose `created_by` is the member: made, or rotated last, by the member. They end as with `DELETE /api-keys/{key_id}`, unless `keep_keys` names them; the response and the audit trail list both. User tokens that the member made end too. Removing an API key that applications use ends their access: rotate or keep it.
   */
  removeMember(params: Input<types.AuthRemoveMemberData>, options?: CallOptions): Promise<types.RemovedMember> {
    return this.json('DELETE /members/{developer_id}', params, options);
  }

  /**
   * Invite an e-mail address to the project.
   * With SMTP_URL the link is in the e-mail only. Without it, it is in this response only: whoever accepts it has an account whose address is not confirmed, unless an owner made the invitation. The link serves once, within 7 days. A further invitation of the same address to the project replaces the former one. It ends if the role of the one who made it ends.
   */
  createInvitation(params: Input<types.AuthCreateInvitationData>, options?: CallOptions): Promise<types.NewInvitation> {
    return this.json('POST /invitations', params, options);
  }

  /** List the invitations to the project that are open */
  listInvitations(options?: CallOptions): Promise<types.Invitation[]> {
    return this.json('GET /invitations', {}, options);
  }

  /** Revoke an invitation */
  removeInvitation(params: Input<types.AuthRemoveInvitationData>, options?: CallOptions): Promise<types.Invitation> {
    return this.json('DELETE /invitations/{invitation_id}', params, options);
  }

  /**
   * Accept an invitation, with a new password or that of the account.
   * Makes an account if the address has none. An address with an account needs its password. If the address of that account is not confirmed, a link by e-mail or of an owner takes a new password, ends the sessions of the account and removes its second factors; another link adds it to no further project. A password has at least 10 characters. Common passwords are rejected, also with digits or symbols around them. Repetitions, sequences, and passwords that contain the e-mail address or the part of it before the @ are rejected too.
   */
  acceptInvitation(params: Input<types.AuthAcceptInvitationData>, options?: CallOptions): Promise<types.Membership> {
    return this.json('POST /invitations/accept', params, options, { isOpen: true });
  }

  /** Create an API key; only this response contains the key */
  createKey(params: Input<types.AuthCreateKeyData> = {}, options?: CallOptions): Promise<types.NewApiKey> {
    return this.json('POST /api-keys', params, options, { takesKey: true });
  }

  /** List API keys, without their values */
  listKeys(options?: CallOptions): Promise<types.ApiKey[]> {
    return this.json('GET /api-keys', {}, options);
  }

  /** Rename an API key */
  renameKey(params: Input<types.AuthRenameKeyData>, options?: CallOptions): Promise<types.ApiKey> {
    return this.json('PATCH /api-keys/{key_id}', params, options);
  }

  /**
   * Delete an API key and disable the webhook endpoints whose address it set.
   * The key is invalid when the response arrives. Endpoints whose `url` it set, also before a rotation, receive nothing more, unless `keep_endpoints` is true.
   */
  removeKey(params: Input<types.AuthRemoveKeyData>, options?: CallOptions): Promise<types.DeletedApiKey> {
    return this.json('DELETE /api-keys/{key_id}', params, options);
  }

  /** Rotate an API key; the old key is invalid when the response arrives */
  rotateKey(params: Input<types.AuthRotateKeyData>, options?: CallOptions): Promise<types.NewApiKey> {
    return this.json('POST /api-keys/{key_id}/rotate', params, options);
  }

  /**
   * List who read data of a user, newest first.
   * Each read of health values is counted by hour: by whoever held the credential (`actor`), and by the kind of data. Requests that failed are not counted. A gateway writes its counts every second, so that the newest reads may be missing, and a gateway that is killed loses those of its last second. The list is erased with its user. AUDIT_RETENTION_DAYS applies to it.
   */
  accesses(params: Input<types.AuthAccessesData>, options?: CallOptions): Pages<types.DataAccessPage> {
    return this.pages('GET /users/{user_id}/accesses', params, options);
  }

  /**
   * Exchange a refresh token for new tokens.
   * A refresh token is valid once. A second use revokes all tokens of the same session, unless the same client (network address and User-Agent) repeats its request within 10 seconds: such a request is 401 and ends nothing.
   */
  refresh(params: Input<types.AuthRefreshData>, options?: CallOptions): Promise<types.Tokens> {
    return this.json('POST /auth/refresh', params, options, { isOpen: true });
  }

  /**
   * End a session: revoke a token and all tokens of the same session.
   * Implements RFC 7009 for JSON and form bodies. `token` is an access token or a refresh token; its holder may revoke it. A session consists of all tokens that derive from one log-in or from one issued token. They are invalid when the response arrives. An unknown or expired token returns 200 too. An application that authenticates (`app_id` and `app_secret`, or `client_id` and `client_secret`) can revoke tokens that it obtained; the tokens of others return 403.
   */
  revoke(params: Input<types.AuthRevokeData>, options?: CallOptions): Promise<Record<string, never>> {
    return this.json('POST /auth/revoke', params, options, { isOpen: true });
  }

  /**
   * Issue a token that reads one user's data.
   * Takes an application's `app_id` and `app_secret` in the body, or a developer's token and no body.
   */
  issueToken(params: Input<types.AuthIssueTokenData>, options?: CallOptions): Promise<types.Tokens> {
    return this.json('POST /users/{user_id}/token', params, options);
  }

  /**
   * Create an address that shows one user's days within your own page.
   * Give `url` to the browser of whoever may see the data of this user, as the `src` of an `<iframe>` in a page of one of `origins`. The address contains a token that reads the health data of this user, but not the profile and the connections, changes nothing, and ends at `expires_at`, when the user, the project, or the account or API key that made it is deleted, or with `POST /auth/revoke`. A rotation of the key ends it too. Make a new address each time that your page is opened.
   */
  createEmbed(params: Input<types.AuthCreateEmbedData>, options?: CallOptions): Promise<types.Embed> {
    return this.json('POST /console/embeds', params, options);
  }

  /** Create an application; only this response contains its secret */
  createApplication(params: Input<types.AuthCreateApplicationData>, options?: CallOptions): Promise<types.NewApplication> {
    return this.json('POST /applications', params, options, { takesKey: true });
  }

  /** List applications */
  listApplications(options?: CallOptions): Promise<types.Application[]> {
    return this.json('GET /applications', {}, options);
  }

  /** Rename an application */
  renameApplication(params: Input<types.AuthRenameApplicationData>, options?: CallOptions): Promise<types.Application> {
    return this.json('PATCH /applications/{app_id}', params, options);
  }

  /** Delete an application and revoke the tokens that it obtained */
  removeApplication(params: Input<types.AuthRemoveApplicationData>, options?: CallOptions): Promise<types.Application> {
    return this.json('DELETE /applications/{app_id}', params, options);
  }

  /** Rotate an application's secret and revoke the tokens that it obtained */
  rotateSecret(params: Input<types.AuthRotateSecretData>, options?: CallOptions): Promise<types.NewApplication> {
    return this.json('POST /applications/{app_id}/rotate-secret', params, options);
  }

  /**
   * List audit entries, newest first.
   * The audit trail records every change and every export of personal data. Filters can be combined: `user_id` (the user whose data it is), `actor` (in the form that entries have), `action`, and the times `start_time` (included) and `end_time` (excluded). An entry holds only ids, names of fields and counts, so it is kept when its user is erased.
   */
  audit(params: Input<types.AuthAuditData> = {}, options?: CallOptions): Pages<types.AuditPage> {
    return this.pages('GET /audit', params, options);
  }
}

export class Users extends Group {
  /** List which credentials a project uses at each provider */
  credentials(params: Input<types.UsersCredentialsData>, options?: CallOptions): Promise<types.ProviderCredentials[]> {
    return this.json('GET /projects/{project_id}/providers', params, options);
  }

  /**
   * Set the credentials of a project at a provider.
   * Users who connect from now on agree to this client. A new secret for the same client id concerns all its connections. With another client id, connections of the former client are read until their access token expires; then their users have to connect again.
   */
  setCredentials(params: Input<types.UsersSetCredentialsData>, options?: CallOptions): Promise<types.ProviderCredentials> {
    return this.json('PUT /projects/{project_id}/providers/{provider}', params, options);
  }

  /**
   * Remove the credentials of a project at a provider: it uses those of the installation.
   * Connections of the removed client are read until their access token expires; then their users have to connect again.
   */
  removeCredentials(params: Input<types.UsersRemoveCredentialsData>, options?: CallOptions): Promise<types.ProviderCredentials> {
    return this.json('DELETE /projects/{project_id}/providers/{provider}', params, options);
  }

  /** Create a user */
  create(params: Input<types.UsersCreateData> = {}, options?: CallOptions): Promise<types.User> {
    return this.json('POST /users', params, options, { takesKey: true });
  }

  /**
   * List users, page by page.
   * `search` finds a literal text in names, e-mail address and external id, ignoring case. Names and addresses are sorted ignoring case, then by id. Users without a value come last (ascending) or first (descending). Pages are counted from the start of the list. With `connected`, `provider` or `connection_status`, the list ends after 10,000 users: a `total` of 10,000 means 10,000 or more. With `search` alone, users are counted up to 1,000, or up to the first user after the page: such a `total` is a lower bound, and the list does not end there. While users are added, the order oldest first neither repeats nor omits a user.
   */
  list(params: Input<types.UsersListData> = {}, options?: CallOptions): Pages<types.UserPage> {
    return this.pages('GET /users', params, options);
  }

  /** Get one user */
  get(params: Input<types.UsersGetData>, options?: CallOptions): Promise<types.User> {
    return this.json('GET /users/{user_id}', params, options);
  }

  /** Update a user; omitted fields are unchanged */
  update(params: Input<types.UsersUpdateData>, options?: CallOptions): Promise<types.User> {
    return this.json('PATCH /users/{user_id}', params, options);
  }

  /**
   * Delete a user and all their data.
   * The user is deleted when the response arrives. Their data is erased in the background.
   */
  remove(params: Input<types.UsersRemoveData>, options?: CallOptions): Promise<types.User> {
    return this.json('DELETE /users/{user_id}', params, options);
  }

  /** List a user's connections to providers */
  connections(params: Input<types.UsersConnectionsData>, options?: CallOptions): Promise<types.Connection[]> {
    return this.json('GET /users/{user_id}/connections', params, options);
  }

  /**
   * Import an existing connection.
   * Returns 409 if the user has an active connection to the provider. A revoked or expired connection becomes active again under its id. With a token, the data of the last 30 days is read at once, unless BACKFILL_ON_CONNECT is off; a backfill reads what is older.
   */
  connect(params: Input<types.UsersConnectData>, options?: CallOptions): Promise<types.Connection> {
    return this.json('POST /users/{user_id}/connections', params, options, { takesKey: true });
  }

  /**
   * Revoke a connection and erase its tokens.
   * The access is revoked at the provider in the background, unless another user is connected to the same account. The data is kept. If `purge` is true, all data from this provider is hidden immediately and erased in the background; a later call with `purge` does so too.
   */
  disconnect(params: Input<types.UsersDisconnectData>, options?: CallOptions): Promise<types.Connection> {
    return this.json('DELETE /users/{user_id}/connections/{provider}', params, options);
  }
}

export class Timeseries extends Group {
  /** Get how long data of the project is kept */
  retention(options?: CallOptions): Promise<types.Retention> {
    return this.json('GET /retention', {}, options);
  }

  /**
   * Change how long data of the project is kept.
   * Older data is deleted in the background, in whole local days, and nothing announces it. Workouts, sleep and totals of days are kept. Data that is older when it arrives is not stored. Bodies of deliveries hold accounts of all projects: DELIVERY_RETENTION_DAYS of the installation holds for them.
   */
  changeRetention(params: Input<types.TimeseriesChangeRetentionData> = {}, options?: CallOptions): Promise<types.Retention> {
    return this.json('PATCH /retention', params, options);
  }

  /**
   * Count what a rule would delete.
   * Takes the body of `PATCH /retention`, and changes and deletes nothing. The numbers are those of the next pass, as long as nothing else is stored or deleted. Tracks and values of parts of slots go with the samples and are not counted.
   */
  previewRetention(params: Input<types.TimeseriesPreviewRetentionData> = {}, options?: CallOptions): Promise<types.RetentionPreview> {
    return this.json('POST /retention/preview', params, options);
  }

  /**
   * Read samples, raw or in buckets.
   * Samples are sorted oldest first. Buckets are aligned to the UTC epoch, and the timestamp of a bucket is its start. The range is widened to whole buckets. Each source has its own buckets.
   */
  samples(params: Input<types.TimeseriesSamplesData>, options?: CallOptions): Pages<types.TimeseriesPage> {
    return this.pages('GET /users/{user_id}/timeseries', params, options);
  }

  /** List workouts, newest first */
  workouts(params: Input<types.TimeseriesWorkoutsData>, options?: CallOptions): Pages<types.WorkoutPage> {
    return this.pages('GET /users/{user_id}/events/workouts', params, options);
  }

  /** Get one workout */
  workout(params: Input<types.TimeseriesWorkoutData>, options?: CallOptions): Promise<types.SingleWorkout> {
    return this.json('GET /users/{user_id}/events/workouts/{event_id}', params, options);
  }

  /** List sleep sessions and naps, newest first */
  sleeps(params: Input<types.TimeseriesSleepsData>, options?: CallOptions): Pages<types.SleepSessionPage> {
    return this.pages('GET /users/{user_id}/events/sleep', params, options);
  }

  /** Get one sleep session */
  sleep(params: Input<types.TimeseriesSleepData>, options?: CallOptions): Promise<types.SingleSleepSession> {
    return this.json('GET /users/{user_id}/events/sleep/{event_id}', params, options);
  }

  /**
   * List events that are neither workouts nor sleep, newest first.
   * Movement that a device detected by itself (`moveiq`), the menstrual cycle (`mct`, one event per day), measurements without confirmation (`unconfirmed_measurement`: `reason` is `ambiguous_user` or `entered_at_sign_up`, `measurements` has type, value and unit), nutrition (`nutrition`: `energy_kcal`, `carbohydrates_g`, `protein_g`, `fat_g` and further nutrients, each with its unit in its name, `meal_id`, `name` and `meal_type`; events with the same `meal_id` are one meal), mindful sessions (`mindfulness`, without data) and observations of the menstrual cycle (`cycle_record`: `observation`, `value`, `is_cycle_start`, `is_protected`). A field that was not sent is absent. None is part of any total.
   */
  others(params: Input<types.TimeseriesOthersData>, options?: CallOptions): Pages<types.OtherEventPage> {
    return this.pages('GET /users/{user_id}/events/other', params, options);
  }

  /** Get one event that is neither a workout nor a sleep */
  other(params: Input<types.TimeseriesOtherData>, options?: CallOptions): Promise<types.OtherEvent> {
    return this.json('GET /users/{user_id}/events/other/{event_id}', params, options);
  }

  /**
   * Get the intervals of the stages of a sleep session or nap.
   * `intervals` is null for naps and nights whose provider sends no intervals.
   */
  sleepStages(params: Input<types.TimeseriesSleepStagesData>, options?: CallOptions): Promise<types.SleepStageIntervals> {
    return this.json('GET /users/{user_id}/events/sleep/{event_id}/stages', params, options);
  }

  /**
   * List which data exists, by type, provider and local day.
   * One row for each type and provider with data in the range; other types are omitted. Devices of a provider are added up. A date is a local day of the user. An instant selects the UTC dates that the range touches. The range has at most 1100 days, with `counts=true` at most 370. Counts are exact.
   */
  calendar(params: Input<types.TimeseriesCalendarData>, options?: CallOptions): Promise<types.DataCalendar> {
    return this.json('GET /users/{user_id}/data-calendar', params, options);
  }

  /**
   * Read series of a whole range with a bounded number of points.
   * Each type has at most `max_points` points, over all of its sources together. A type with no more samples than that is returned raw. Otherwise the shortest bucket that fits is chosen for the type, from 2 seconds on. Buckets of less than an hour are returned for at most 700,000 samples, divided by the number of types; for more, a bucket has at least an hour, so that the cost does not depend on the number of samples. With `resolution`, all types have the same bucket and `max_points` is for all series together. Buckets are aligned to the UTC epoch (from a week on, to a Monday), empty ones are omitted, and the range is widened to whole buckets. Each source has its own. The range has at most 3660 days.
   */
  chart(params: Input<types.TimeseriesChartData>, options?: CallOptions): Promise<types.Chart> {
    return this.json('GET /users/{user_id}/timeseries/chart', params, options);
  }

  /**
   * List scores, newest day first.
   * Scores that a provider computed, each with its components. Scores of sleep sessions (`sleep`), and stress and body battery from the values of days, are among them. A date is a local day of the user. An instant selects the UTC dates that the range touches. Of one day, the scores that start last come first. With `category`, the first page also has `computed`: the scores that Pulsebus computes of the days of the range, by published methods.
   */
  scores(params: Input<types.TimeseriesScoresData>, options?: CallOptions): Pages<types.ScorePage> {
    return this.pages('GET /users/{user_id}/scores', params, options);
  }

  /** Get the order of sources of a user */
  sourcePriority(params: Input<types.TimeseriesSourcePriorityData>, options?: CallOptions): Promise<types.SourcePriority> {
    return this.json('GET /users/{user_id}/source-priority', params, options);
  }

  /**
   * Change the order of sources of a user.
   * Where several sources measured the same time in intervals, the first provider counts, and of one provider the first device type. What an order does not name comes after what it names. Days and hours are computed anew in the background; `activity_summary.updated` reports the days that change.
   */
  changeSourcePriority(params: Input<types.TimeseriesChangeSourcePriorityData>, options?: CallOptions): Promise<types.SourcePriority> {
    return this.json('PATCH /users/{user_id}/source-priority', params, options);
  }

  /** Get which positions of routes are stored */
  routePrivacy(params: Input<types.TimeseriesRoutePrivacyData>, options?: CallOptions): Promise<types.RoutePrivacy> {
    return this.json('GET /users/{user_id}/route-privacy', params, options);
  }

  /**
   * Change which positions of routes are stored.
   * A privacy zone cuts both ends of a route before it is stored: the positions from its start to the first one outside of all zones, and those from the last one outside of all zones to its end. Other streams stay. A passage through a zone in the middle of a route stays. Routes that are already stored are cut in the background. Removed zones do not bring positions back.
   */
  changeRoutePrivacy(params: Input<types.TimeseriesChangeRoutePrivacyData>, options?: CallOptions): Promise<types.RoutePrivacy> {
    return this.json('PATCH /users/{user_id}/route-privacy', params, options);
  }
}

export class Connect extends Group {
  /**
   * List a user's consents, newest first.
   * A user who agrees on the connect page leaves a consent with the version and the language of the text, also if the provider is not connected afterwards. Without the connect page, the consent has the time at which the account was connected. `DELETE /users/{user_id}/connections/{provider}` withdraws the consents to the provider. Imported connections have no consent. The list is erased with its user.
   */
  consents(params: Input<types.ConnectConsentsData>, options?: CallOptions): Pages<types.ConsentPage> {
    return this.pages('GET /users/{user_id}/consents', params, options);
  }

  /** Get one connection with the state of its data types and its last error */
  status(params: Input<types.ConnectStatusData>, options?: CallOptions): Promise<types.ConnectionStatus> {
    return this.json('GET /users/{user_id}/connections/{provider}', params, options);
  }

  /**
   * Create a link to a provider's consent page.
   * Open `authorization_url` in the user's browser within 15 minutes; the link is valid once. Afterwards the browser is redirected to `redirect_uri`, which must be one of the configured addresses, with `status` (connected, denied, failed), `provider` and, unless connected, `reason`. Without `redirect_uri`, the browser shows a plain result page. Never give the link to another user: the account of whoever consents is connected to this user.
   */
  authorize(params: Input<types.ConnectAuthorizeData>, options?: CallOptions): Promise<types.AuthorizationLink> {
    return this.json('GET /connect/{provider}/authorize', params, options);
  }

  /** Receive the browser after the consent page of a provider */
  callback(params: Input<types.ConnectCallbackData>, options?: CallOptions): Promise<string> {
    return this.text('GET /connect/{provider}/callback', params, options, { isOpen: true });
  }

  /**
   * Show the result of a connection attempt.
   * The result page of links without `redirect_uri`.
   */
  result(params: Input<types.ConnectResultData>, options?: CallOptions): Promise<string> {
    return this.text('GET /connect/{provider}/result', params, options, { isOpen: true });
  }

  /**
   * Create a link to the connect page.
   * Open `url` in the user's browser within 30 minutes. The page lists the providers with their state, shows what each shares, and connects them. It works in the first browser in which the user agrees. Its link back leads to `redirect_uri` with `status`: `connected` with the connected providers in `provider`, separated by commas; `denied` or `failed` with `provider` and `reason` of the last attempt; or `cancelled`. With a single provider the browser is redirected as soon as it is connected. Never give the link to another user.
   */
  createSession(params: Input<types.ConnectCreateSessionData> = {}, options?: CallOptions): Promise<types.ConnectSession> {
    return this.json('POST /connect/sessions', params, options, { takesKey: true });
  }
}

export class Backfill extends Group {
  /**
   * Start a backfill of a connection's past data.
   * Requests one data type after another from the provider, 30 days at a time, newest first. The data arrives through the webhook. The range is that of `days`, or from `start_date` to `end_date`; one that is empty, in the future or older than 3650 days, or of which the provider shows nothing, is 422. The next request is sent when the data of the previous one has arrived, or when its time limit has passed. One backfill runs per connection; another one returns 409.
   */
  start(params: Input<types.BackfillStartData>, options?: CallOptions): Promise<types.Backfill> {
    return this.json('POST /users/{user_id}/connections/{provider}/backfill', params, options);
  }

  /**
   * Get the newest backfill of a connection.
   * `items` counts received items, `saved` those of them that were new or newer than the stored ones. A type is `requested` from its first request until its last one has finished, and `failed` if one of them failed.
   */
  status(params: Input<types.BackfillStatusData>, options?: CallOptions): Promise<types.Backfill> {
    return this.json('GET /users/{user_id}/connections/{provider}/backfill', params, options);
  }

  /**
   * Cancel the backfill of a connection.
   * Sends no further requests. Data that was already requested may still arrive. A backfill that has ended is unchanged.
   */
  cancel(params: Input<types.BackfillCancelData>, options?: CallOptions): Promise<types.Backfill> {
    return this.json('DELETE /users/{user_id}/connections/{provider}/backfill', params, options);
  }
}

export class Summaries extends Group {
  /**
   * List activity summaries, one per local day.
   * A date is a local day of the user. An instant selects the UTC dates that the range touches. Days without data are omitted. If several sources have a value of an additive field, the largest is returned, never their sum.
   */
  activity(params: Input<types.SummariesActivityData>, options?: CallOptions): Pages<types.ActivitySummaryPage> {
    return this.pages('GET /users/{user_id}/summaries/activity', params, options);
  }

  /**
   * List the other values of local days: stress, goals, resting values.
   * One item per day, with the records of each provider and data type: what it sent of the day that neither a series nor an activity summary has. A date is a local day of the user. An instant selects the UTC dates that the range touches. Days without data are omitted. A page has fewer days than `limit` if their records are large.
   */
  days(params: Input<types.SummariesDaysData>, options?: CallOptions): Pages<types.DayPage> {
    return this.pages('GET /users/{user_id}/days', params, options);
  }

  /**
   * Get the other values of one local day.
   * `records` is empty if no provider sent any.
   */
  day(params: Input<types.SummariesDayData>, options?: CallOptions): Promise<types.Day> {
    return this.json('GET /users/{user_id}/days/{date}', params, options);
  }

  /**
   * List sleep summaries, one per local day of waking up.
   * Oldest first. A date is a local day of the user. An instant selects the UTC dates that the range touches. Days without data are omitted. The summary of a night comes from one source. Its main sessions are added up; naps are counted separately.
   */
  sleep(params: Input<types.SummariesSleepData>, options?: CallOptions): Pages<types.SleepSummaryPage> {
    return this.pages('GET /users/{user_id}/summaries/sleep', params, options);
  }

  /**
   * Get the current body summary; null if there is no data.
   * `averaged` covers the last `average_period` local days, today included; `latest` holds readings of the last `latest_window_hours`.
   */
  body(params: Input<types.SummariesBodyData>, options?: CallOptions): Promise<types.BodySummary | null> {
    return this.json('GET /users/{user_id}/summaries/body', params, options);
  }

  /**
   * List recovery summaries, one per local day.
   * What the night says about the day, each measure against the user's own baseline, and the scores of providers beside it. No number is made of them. Oldest first. A date is a local day of the user. An instant selects the UTC dates that the range touches. Days without data are omitted.
   */
  recovery(params: Input<types.SummariesRecoveryData>, options?: CallOptions): Pages<types.RecoverySummaryPage> {
    return this.pages('GET /users/{user_id}/summaries/recovery', params, options);
  }
}

export class ApiGateway extends Group {
  /**
   * Export all data of a user as JSON lines.
   * Streams the user, connections (without tokens), consents, the privacy of routes, workouts with their details, the tracks of workouts in parts of at most 1,800 points, sleep sessions, day totals, scores, other events, samples by series (those that were measured in an interval have `end_time` too), the audit entries of the user, and who read data of the user. The last line is `{"kind": "end", "lines": n}`. An export without this line is incomplete.
   */
  export(params: Input<types.ApiGatewayExportData>, options?: CallOptions): Lines<types.ExportLine> {
    return this.lines('GET /users/{user_id}/export', params, options);
  }

  /**
   * Download all samples of a range, as JSON lines or CSV.
   * Streams the samples of `GET /users/{user_id}/timeseries` in the same order, without pages. The range may have any length. No line marks the end. A download that fails is cut off, so that the HTTP client reports an error.
   */
  download(params: Input<types.ApiGatewayDownloadData>, options?: CallOptions): Lines<types.Sample> {
    return this.lines('GET /users/{user_id}/timeseries/download', params, options);
  }

  /**
   * Read the streams of a workout: route, altitude, speed, heart rate and others.
   * All streams have one time axis, and a value that was not measured is null. A workout without a track has an empty list. Positions are location data: they are missing where the user or the setting STORE_ROUTES refuses to have them stored, and at ends that lie in a privacy zone. `gpx` and `geojson` contain only points with a position, `tcx` contains all points. A response that fails is cut off, so that the HTTP client reports an error.
   */
  workoutStreams(params: Input<types.ApiGatewayWorkoutStreamsData>, options?: CallOptions): Promise<types.WorkoutStreams> {
    return this.json('GET /users/{user_id}/events/workouts/{event_id}/streams', params, options);
  }

  /** Check that the gateway runs */
  health(options?: CallOptions): Promise<types.Health> {
    return this.json('GET /health', {}, options, { isOpen: true });
  }

  /**
   * Check that all services and the database respond.
   * Returns 503 while one of them is unavailable, and after a shutdown has begun.
   */
  ready(options?: CallOptions): Promise<types.Readiness> {
    return this.json('GET /ready', {}, options, { isOpen: true });
  }
}

export class Webhooks extends VerifyingGroup {
  /**
   * Create a webhook endpoint; only this response contains its secret.
   * Events that are published from now on are sent to `url` as POST requests, signed as Standard Webhooks 1.0 defines. There are at most 50 endpoints.
   */
  createEndpoint(params: Input<types.WebhooksCreateEndpointData>, options?: CallOptions): Promise<types.NewWebhookEndpoint> {
    return this.json('POST /webhook-endpoints', params, options, { takesKey: true });
  }

  /** List webhook endpoints, oldest first */
  listEndpoints(options?: CallOptions): Promise<types.WebhookEndpoint[]> {
    return this.json('GET /webhook-endpoints', {}, options);
  }

  /** Get one webhook endpoint */
  getEndpoint(params: Input<types.WebhooksGetEndpointData>, options?: CallOptions): Promise<types.WebhookEndpoint> {
    return this.json('GET /webhook-endpoints/{endpoint_id}', params, options);
  }

  /**
   * Update a webhook endpoint; omitted fields are unchanged.
   * A change of `event_types` applies to later events. `enabled: true` also ends an automatic disabling; `POST …/recover` then sends what was missed.
   */
  updateEndpoint(params: Input<types.WebhooksUpdateEndpointData>, options?: CallOptions): Promise<types.WebhookEndpoint> {
    return this.json('PATCH /webhook-endpoints/{endpoint_id}', params, options);
  }

  /** Delete a webhook endpoint and its messages */
  removeEndpoint(params: Input<types.WebhooksRemoveEndpointData>, options?: CallOptions): Promise<types.WebhookEndpoint> {
    return this.json('DELETE /webhook-endpoints/{endpoint_id}', params, options);
  }

  /**
   * Rotate a webhook endpoint's secret; only this response contains the new one.
   * For 24 hours each request has two signatures, one with each secret.
   */
  rotateSecret(params: Input<types.WebhooksRotateSecretData>, options?: CallOptions): Promise<types.NewWebhookEndpoint> {
    return this.json('POST /webhook-endpoints/{endpoint_id}/rotate-secret', params, options, { takesKey: true });
  }

  /**
   * Send a test message to a webhook endpoint.
   * Sends an event of the type `test.ping` at once, and returns it with its attempt.
   */
  testEndpoint(params: Input<types.WebhooksTestEndpointData>, options?: CallOptions): Promise<types.WebhookMessage> {
    return this.json('POST /webhook-endpoints/{endpoint_id}/test', params, options);
  }

  /** List the messages of a webhook endpoint, newest first */
  messages(params: Input<types.WebhooksMessagesData>, options?: CallOptions): Pages<types.WebhookMessagePage> {
    return this.pages('GET /webhook-endpoints/{endpoint_id}/messages', params, options);
  }

  /**
   * Send one message again.
   * The message is sent at once, with the same `webhook-id`.
   */
  resendMessage(params: Input<types.WebhooksResendMessageData>, options?: CallOptions): Promise<types.WebhookMessage> {
    return this.json('POST /webhook-endpoints/{endpoint_id}/messages/{message_id}/resend', params, options, { takesKey: true });
  }

  /**
   * Send all messages again that were not delivered since a time.
   * Includes events that occurred while the endpoint was disabled, as long as the change log has them. Ends a pause that a Retry-After caused.
   */
  recoverMessages(params: Input<types.WebhooksRecoverMessagesData>, options?: CallOptions): Promise<types.QueuedMessages> {
    return this.json('POST /webhook-endpoints/{endpoint_id}/recover', params, options, { takesKey: true });
  }

  /**
   * Send all messages again since a time, delivered ones too.
   * Each event is sent with the `webhook-id` that it had. Events that occurred while the endpoint was disabled are sent as well.
   */
  replayMessages(params: Input<types.WebhooksReplayMessagesData>, options?: CallOptions): Promise<types.QueuedMessages> {
    return this.json('POST /webhook-endpoints/{endpoint_id}/replay', params, options, { takesKey: true });
  }

  /**
   * Read the change feed, oldest first.
   * Returns every change at least once, those of a user in the order of `sequence`. Without `cursor` it starts with the oldest change that is kept (CHANGE_RETENTION_DAYS). Store `next_cursor` after a page was processed, and continue with it.
   */
  changes(params: Input<types.WebhooksChangesData> = {}, options?: CallOptions): Pages<types.ChangePage> {
    return this.pages('GET /changes', params, options);
  }
}

export class Destinations extends Group {
  /**
   * Create a destination, to which data is copied from now on.
   * Its state shows whether it can be reached. There are at most 10 in a project.
   */
  create(params: Input<types.DestinationsCreateData>, options?: CallOptions): Promise<types.Destination> {
    return this.json('POST /destinations', params, options, { takesKey: true });
  }

  /** List destinations, oldest first */
  list(options?: CallOptions): Promise<types.Destination[]> {
    return this.json('GET /destinations', {}, options);
  }

  /** Get one destination */
  get(params: Input<types.DestinationsGetData>, options?: CallOptions): Promise<types.Destination> {
    return this.json('GET /destinations/{destination_id}', params, options);
  }

  /**
   * Update a destination; omitted fields and settings are unchanged.
   * Another place, such as a bucket, or other `types` begin the copy anew.
   */
  update(params: Input<types.DestinationsUpdateData>, options?: CallOptions): Promise<types.Destination> {
    return this.json('PATCH /destinations/{destination_id}', params, options);
  }

  /** Delete a destination; what it has written stays where it is */
  remove(params: Input<types.DestinationsRemoveData>, options?: CallOptions): Promise<types.Destination> {
    return this.json('DELETE /destinations/{destination_id}', params, options);
  }

  /** Pause a destination; nothing is lost, it continues where it stopped */
  pause(params: Input<types.DestinationsPauseData>, options?: CallOptions): Promise<types.Destination> {
    return this.json('POST /destinations/{destination_id}/pause', params, options);
  }

  /** Resume a paused destination, or try a failing one at once */
  resume(params: Input<types.DestinationsResumeData>, options?: CallOptions): Promise<types.Destination> {
    return this.json('POST /destinations/{destination_id}/resume', params, options);
  }

  /** Begin the copy anew; readers see the former one until it is replaced */
  reset(params: Input<types.DestinationsResetData>, options?: CallOptions): Promise<types.Destination> {
    return this.json('POST /destinations/{destination_id}/reset', params, options);
  }
}

export class Insights extends Group {
  /**
   * List baselines and deviations, one item per local day.
   * What is usual for the user, the median and the spread of the days before, and the distance of the day from it in spreads. A page has fewer days than `limit` if they have many measures. A date is a local day of the user. Days without data are omitted. Values are computed within about two minutes after data changes; the event `insight.updated` reports it. Every value has its method; docs/insights has the formulas. They are no medical statements.
   */
  baselines(params: Input<types.InsightsBaselinesData>, options?: CallOptions): Pages<types.DayBaselinesPage> {
    return this.pages('GET /users/{user_id}/baselines', params, options);
  }

  /**
   * List computed scores of nights and days, one item per local day.
   * The sleep score, the stability of the heart rate variability (resilience), the regularity of the sleep, the social jet lag, and the activity of the week. Scores that providers computed are those of `/scores`. A date is a local day of the user. Days without data are omitted. Values are computed within about two minutes after data changes; the event `insight.updated` reports it. Every value has its method; docs/insights has the formulas. They are no medical statements.
   */
  days(params: Input<types.InsightsDaysData>, options?: CallOptions): Pages<types.DayInsightsPage> {
    return this.pages('GET /users/{user_id}/insights', params, options);
  }

  /**
   * List training impulses, zones and loads, one item per local day.
   * From the heart rates of workouts. Loads take each day without a workout as 0. A date is a local day of the user. Days without data are omitted. Values are computed within about two minutes after data changes; the event `insight.updated` reports it. Every value has its method; docs/insights has the formulas. They are no medical statements.
   */
  training(params: Input<types.InsightsTrainingData>, options?: CallOptions): Pages<types.DayTrainingPage> {
    return this.pages('GET /users/{user_id}/training', params, options);
  }

  /**
   * Get the report of continuous glucose monitoring of two weeks.
   * The measures of the international consensus over 14 local days of the sensor with the most values. They are no medical statements.
   */
  glucose(params: Input<types.InsightsGlucoseData>, options?: CallOptions): Promise<types.GlucoseReport> {
    return this.json('GET /users/{user_id}/glucose', params, options);
  }
}

export class Freshness extends Group {
  /**
   * Get the freshness of a user's connections.
   * One entry for each connection whose data is expected, with the state of each kind of data. Missing data is read again automatically before it counts as stale.
   */
  ofUser(params: Input<types.FreshnessOfUserData>, options?: CallOptions): Promise<types.UserFreshness> {
    return this.json('GET /users/{user_id}/freshness', params, options);
  }

  /** List connections and kinds of data in a state */
  list(params: Input<types.FreshnessListData> = {}, options?: CallOptions): Pages<types.FreshnessPage> {
    return this.pages('GET /freshness', params, options);
  }

  /**
   * List incidents of providers, newest first.
   * Those of the last 90 days, at most 100.
   */
  incidents(options?: CallOptions): Promise<types.IncidentList> {
    return this.json('GET /incidents', {}, options);
  }
}

export class PhoneIngest extends Group {
  /**
   * Upload health data from a phone.
   * The protocol of the Open Wearables SDKs. The body is stored before the answer. Items are processed independently: an invalid item is set aside and named in `problems`, and items of types that are neither series nor events are kept with the body and counted in `unmapped`. The id of an item is its key, so a body may be sent again. `data.deleted` lists items that were deleted on the phone. The local day of an item follows the first of: its `zoneOffset`, `HKTimeZone` of its `metadata`, the header `Time-Zone`, the `time_zone` of the user, the latest known offset of any provider, UTC. The first upload connects the user to the provider `phone`; after a disconnect the answer is 401. Apart from 401 and 403 there is no refusal that an app would take as final: pressure is 503 with Retry-After. The credential may also be sent without `Bearer`, and an API key as `X-Open-Wearables-API-Key`.
   */
  sync(params: Input<types.PhoneIngestSyncData>, options?: CallOptions): Promise<types.UploadAnswer> {
    return this.json('POST /sdk/users/{user_id}/sync', params, options, { headers: ['Time-Zone'] });
  }

  /**
   * Report the progress of the first upload of a phone.
   * Takes 1 to 100 events: `historical_data_sync_start` with the number of items per type, `historical_data_type_sync_end` per type, and `device_state`, which is ignored. The progress is the backfill of the connection.
   */
  logs(params: Input<types.PhoneIngestLogsData>, options?: CallOptions): Promise<types.UploadAnswer> {
    return this.json('POST /sdk/users/{user_id}/logs', params, options);
  }

  /**
   * Create an invitation code for the app on the phone of a user.
   * The user types the code into the app within 15 minutes, which exchanges it for tokens. Each code is valid once. A redeemed code also connects a user again who was disconnected.
   */
  createCode(params: Input<types.PhoneIngestCreateCodeData>, options?: CallOptions): Promise<types.InvitationCode> {
    return this.json('POST /users/{user_id}/invitation-code', params, options);
  }

  /**
   * Exchange an invitation code for tokens.
   * Public. Failed attempts are limited per address. Spaces, hyphens and case of the code do not matter.
   */
  redeemCode(params: Input<types.PhoneIngestRedeemCodeData>, options?: CallOptions): Promise<types.RedeemedCode> {
    return this.json('POST /invitation-code/redeem', params, options, { isOpen: true });
  }

  /**
   * Exchange a refresh token for new tokens (as POST /auth/refresh).
   * The path that the Open Wearables SDKs use.
   */
  refreshToken(params: Input<types.PhoneIngestRefreshTokenData>, options?: CallOptions): Promise<types.Tokens> {
    return this.json('POST /token/refresh', params, options, { isOpen: true });
  }
}

export class FileImport extends Group {
  /**
   * Import a file of health data.
   * Takes an export of Apple Health (zip or XML), a FIT, TCX or GPX file, a CSV table, or an archive of such files or of an account, also compressed by gzip, as the part `file` of a form or as the whole body, up to 16 GiB. The password of an encrypted archive is the part `password`, or the header `X-File-Password` beside a whole body; it is kept encrypted until the file is read. The file is read in the background. The same file again changes nothing.
   */
  create(params: Input<types.FileImportCreateData>, options?: CallOptions): Promise<types.FileImport> {
    return this.json('POST /users/{user_id}/imports', params, options, { isForm: true });
  }

  /** List the imports of a user */
  list(params: Input<types.FileImportListData>, options?: CallOptions): Promise<types.FileImport[]> {
    return this.json('GET /users/{user_id}/imports', params, options);
  }

  /** Get the state of an import */
  get(params: Input<types.FileImportGetData>, options?: CallOptions): Promise<types.FileImportReport> {
    return this.json('GET /users/{user_id}/imports/{import_id}', params, options);
  }

  /**
   * Cancel an import.
   * What was stored stays. The original of an import that has ended is deleted.
   */
  cancel(params: Input<types.FileImportCancelData>, options?: CallOptions): Promise<types.FileImport> {
    return this.json('DELETE /users/{user_id}/imports/{import_id}', params, options);
  }

  /**
   * Download the original of an import.
   * The bytes as they were uploaded, under their name: while they are read, and until `original_until`. An original that is not kept is answered 410. A download that fails is cut off, so that the HTTP client reports an error.
   */
  original(params: Input<types.FileImportOriginalData>, options?: CallOptions): Promise<Response> {
    return this.response('GET /users/{user_id}/imports/{import_id}/file', params, options);
  }
}

export class DevicemakerIngest extends Group {
  /**
   * Receive a push notification of Garmin.
   * The body is an object of arrays keyed by data type. Items are processed independently: an invalid item does not affect the others.
   */
  push(params: Input<types.DevicemakerIngestPushData>, options?: CallOptions): Promise<types.PushAnswer> {
    return this.json('POST /webhooks/devicemaker/push', params, options, { headers: ['devicemaker-client-id'], isOpen: true });
  }

  /**
   * Receive a push notification of Garmin.
   * The body is an object of arrays keyed by data type. Items are processed independently: an invalid item does not affect the others.
   */
  pushAtSecretAddress(params: Input<types.DevicemakerIngestPushAtSecretAddressData>, options?: CallOptions): Promise<types.PushAnswer> {
    return this.json('POST /webhooks/devicemaker/push/{secret}', params, options, { headers: ['devicemaker-client-id'], isOpen: true });
  }

  /**
   * Receive a ping notification of Garmin.
   * The body is an object of arrays keyed by data type. Each item names an account and a callbackURL, which is fetched if it belongs to the provider's API. Callbacks that are not fetched within 15 s are fetched in the background.
   */
  ping(params: Input<types.DevicemakerIngestPingData>, options?: CallOptions): Promise<types.PingAnswer> {
    return this.json('POST /webhooks/devicemaker/ping', params, options, { headers: ['devicemaker-client-id'], isOpen: true });
  }

  /**
   * Receive a ping notification of Garmin.
   * The body is an object of arrays keyed by data type. Each item names an account and a callbackURL, which is fetched if it belongs to the provider's API. Callbacks that are not fetched within 15 s are fetched in the background.
   */
  pingAtSecretAddress(params: Input<types.DevicemakerIngestPingAtSecretAddressData>, options?: CallOptions): Promise<types.PingAnswer> {
    return this.json('POST /webhooks/devicemaker/ping/{secret}', params, options, { headers: ['devicemaker-client-id'], isOpen: true });
  }

  /** Check the webhook of Garmin */
  health(options?: CallOptions): Promise<types.WebhookHealth> {
    return this.json('GET /webhooks/devicemaker/health', {}, options, { isOpen: true });
  }
}

export class ActivitynetIngest extends Group {
  /** Verify a webhook subscription of Strava */
  verify(params: Input<types.ActivitynetIngestVerifyData>, options?: CallOptions): Promise<types.SubscriptionChallenge> {
    return this.json('GET /webhooks/activitynet/webhook', params, options, { isOpen: true });
  }

  /**
   * Receive an event of Strava.
   * Returns 200 once the event is stored. The activity is fetched afterwards, within the rate limits of the provider. The message of a `processed` event names the activity, the action and the user. Events of unknown accounts and malformed, forged or outdated events are `skipped`.
   */
  receive(params: Input<types.ActivitynetIngestReceiveData> = {}, options?: CallOptions): Promise<types.EventAnswer> {
    return this.json('POST /webhooks/activitynet/webhook', params, options, { isOpen: true });
  }

  /** Verify a webhook subscription of Strava */
  verifyAtSecretAddress(params: Input<types.ActivitynetIngestVerifyAtSecretAddressData>, options?: CallOptions): Promise<types.SubscriptionChallenge> {
    return this.json('GET /webhooks/activitynet/webhook/{secret}', params, options, { isOpen: true });
  }

  /**
   * Receive an event of Strava.
   * Returns 200 once the event is stored. The activity is fetched afterwards, within the rate limits of the provider. The message of a `processed` event names the activity, the action and the user. Events of unknown accounts and malformed, forged or outdated events are `skipped`.
   */
  receiveAtSecretAddress(params: Input<types.ActivitynetIngestReceiveAtSecretAddressData>, options?: CallOptions): Promise<types.EventAnswer> {
    return this.json('POST /webhooks/activitynet/webhook/{secret}', params, options, { isOpen: true });
  }

  /** Check the webhook of Strava */
  health(options?: CallOptions): Promise<types.WebhookHealth> {
    return this.json('GET /webhooks/activitynet/health', {}, options, { isOpen: true });
  }
}

export class PullIngest extends Group {
  /**
   * Receive notifications of the provider googlehealth.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveGooglehealth(params: Input<types.PullIngestReceiveGooglehealthData> = {}, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/googlehealth/notifications', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider googlehealth.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveGooglehealthAtSecretAddress(params: Input<types.PullIngestReceiveGooglehealthAtSecretAddressData>, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/googlehealth/notifications/{secret}', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider withings.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveWithings(params: Input<types.PullIngestReceiveWithingsData> = {}, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/withings/notify', params, options, { isOpen: true });
  }

  /** Answer the check of the webhook address of the provider withings */
  probeWithings(options?: CallOptions): Promise<types.Health | Record<string, never>> {
    return this.json('GET /webhooks/withings/notify', {}, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider withings.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveWithingsAtSecretAddress(params: Input<types.PullIngestReceiveWithingsAtSecretAddressData>, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/withings/notify/{secret}', params, options, { isOpen: true });
  }

  /** Answer the check of the webhook address of the provider withings */
  probeWithingsAtSecretAddress(params: Input<types.PullIngestProbeWithingsAtSecretAddressData>, options?: CallOptions): Promise<types.Health | Record<string, never>> {
    return this.json('GET /webhooks/withings/notify/{secret}', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider whoop.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveWhoop(params: Input<types.PullIngestReceiveWhoopData> = {}, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/whoop/events', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider whoop.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveWhoopAtSecretAddress(params: Input<types.PullIngestReceiveWhoopAtSecretAddressData>, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/whoop/events/{secret}', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider oura.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveOura(params: Input<types.PullIngestReceiveOuraData> = {}, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/oura/events', params, options, { isOpen: true });
  }

  /** Answer the check of the webhook address of the provider oura */
  probeOura(params: Input<types.PullIngestProbeOuraData>, options?: CallOptions): Promise<types.Health | Record<string, never>> {
    return this.json('GET /webhooks/oura/events', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider oura.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveOuraAtSecretAddress(params: Input<types.PullIngestReceiveOuraAtSecretAddressData>, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/oura/events/{secret}', params, options, { isOpen: true });
  }

  /** Answer the check of the webhook address of the provider oura */
  probeOuraAtSecretAddress(params: Input<types.PullIngestProbeOuraAtSecretAddressData>, options?: CallOptions): Promise<types.Health | Record<string, never>> {
    return this.json('GET /webhooks/oura/events/{secret}', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider polar.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receivePolar(params: Input<types.PullIngestReceivePolarData> = {}, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/polar/events', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider polar.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receivePolarAtSecretAddress(params: Input<types.PullIngestReceivePolarAtSecretAddressData>, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/polar/events/{secret}', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider suunto.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveSuunto(params: Input<types.PullIngestReceiveSuuntoData> = {}, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/suunto/events', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider suunto.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveSuuntoAtSecretAddress(params: Input<types.PullIngestReceiveSuuntoAtSecretAddressData>, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/suunto/events/{secret}', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider wahoo.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveWahoo(params: Input<types.PullIngestReceiveWahooData> = {}, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/wahoo/events', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider wahoo.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveWahooAtSecretAddress(params: Input<types.PullIngestReceiveWahooAtSecretAddressData>, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/wahoo/events/{secret}', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider concept2.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveConcept2(params: Input<types.PullIngestReceiveConcept2Data> = {}, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/concept2/events', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider concept2.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveConcept2AtSecretAddress(params: Input<types.PullIngestReceiveConcept2AtSecretAddressData>, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/concept2/events/{secret}', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider intervals.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveIntervals(params: Input<types.PullIngestReceiveIntervalsData> = {}, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/intervals/events', params, options, { isOpen: true });
  }

  /**
   * Receive notifications of the provider intervals.
   * A notification names what changed. It is stored, checked and answered; the data is read from the provider afterwards. A body with a wrong or missing signature is 401, where the provider signs.
   */
  receiveIntervalsAtSecretAddress(params: Input<types.PullIngestReceiveIntervalsAtSecretAddressData>, options?: CallOptions): Promise<types.NotificationAnswer> {
    return this.json('POST /webhooks/intervals/events/{secret}', params, options, { isOpen: true });
  }
}

export class Deliveries extends Group {
  /**
   * Count received data by time and provider.
   * The last hour in minutes, or the last day in steps of ten minutes, over all users and processes. Processes report every 5 seconds. A process that dies loses the counts since its last report.
   */
  received(params: Input<types.DeliveriesReceivedData> = {}, options?: CallOptions): Promise<types.Received> {
    return this.json('GET /status/received', params, options);
  }

  /**
   * Get the numbers of users, connections and dead letters, waiting times and failing endpoints.
   * The cost does not depend on the number of users, deliveries or jobs.
   */
  overview(options?: CallOptions): Promise<types.Overview> {
    return this.json('GET /overview', {}, options);
  }

  /** List providers with missing settings, remaining quota and last delivery */
  providers(options?: CallOptions): Promise<types.ProviderSetup[]> {
    return this.json('GET /providers', {}, options);
  }

  /**
   * List jobs that are due, oldest first, or dead letters, newest first.
   * Returns the first `limit` jobs. Payloads are never returned.
   */
  listJobs(params: Input<types.DeliveriesListJobsData> = {}, options?: CallOptions): Promise<types.JobList> {
    return this.json('GET /jobs', params, options);
  }

  /**
   * Retry a dead job.
   * Makes the job due now and resets its failures. A job that is already waiting is returned unchanged, so the request may be repeated. Returns 409 while the job is being processed, and 404 once it is done: a job that is done is deleted.
   */
  retryJob(params: Input<types.DeliveriesRetryJobData>, options?: CallOptions): Promise<types.Job> {
    return this.json('POST /jobs/{job_id}/retry', params, options);
  }

  /** Get a delivery with the errors of its items */
  get(params: Input<types.DeliveriesGetData>, options?: CallOptions): Promise<types.DeliveryDetails> {
    return this.json('GET /deliveries/{delivery_id}', params, options);
  }

  /**
   * Read the body of a delivery, as it was received.
   * The body contains personal data. Every read leaves an audit entry (`delivery.read`). Returns 409 if the content was erased, and while the data of deleted users is being erased from deliveries of its time.
   */
  body(params: Input<types.DeliveriesBodyData>, options?: CallOptions): Promise<types.DeliveryBody> {
    return this.json('GET /deliveries/{delivery_id}/body', params, options);
  }

  /**
   * Process kept deliveries again with the current normalisers.
   * Repairs what an earlier version of the normalisers made of the deliveries that are still kept: each is processed as when it arrived, the oldest first, and replaces its own records. Records that the current version no longer makes are removed; samples are replaced, and those that it no longer makes stay. A newer version of an item is never replaced by an older one, and data of erased users is not stored. Users who connected the account after a delivery arrived receive none of its data. Runs in the background; a request that is running is not started again: its run is returned. Changes are announced as historical. Returns 409 for a provider whose deliveries contain no data: a backfill reads its data again.
   */
  startReprocess(params: Input<types.DeliveriesStartReprocessData>, options?: CallOptions): Promise<types.Reprocess> {
    return this.json('POST /deliveries/reprocess', params, options);
  }

  /** Get a run of kept deliveries through the current normalisers */
  reprocessStatus(params: Input<types.DeliveriesReprocessStatusData>, options?: CallOptions): Promise<types.Reprocess> {
    return this.json('GET /reprocess-runs/{run_id}', params, options);
  }

  /**
   * Cancel a run of kept deliveries.
   * What was processed stays as it is. A run that has ended is unchanged.
   */
  cancelReprocess(params: Input<types.DeliveriesCancelReprocessData>, options?: CallOptions): Promise<types.Reprocess> {
    return this.json('DELETE /reprocess-runs/{run_id}', params, options);
  }

  /**
   * List deliveries, newest first.
   * Returns dead deliveries unless `status` names another state. A `total_count` of 10,000 means 10,000 or more.
   */
  list(params: Input<types.DeliveriesListData> = {}, options?: CallOptions): Pages<types.DeliveryPage> {
    return this.pages('GET /deliveries', params, options);
  }

  /**
   * Replay a delivery.
   * Queues the delivery like a new one. Data that it stored before is not stored twice. Users who connected the account after the delivery arrived receive none of its data. Returns 409 while the delivery is being processed, and if its content was erased.
   */
  replay(params: Input<types.DeliveriesReplayData>, options?: CallOptions): Promise<types.Delivery> {
    return this.json('POST /deliveries/{delivery_id}/replay', params, options);
  }

  /** Get the status of each provider: queues, response times, remaining quota; and the space of samples */
  status(options?: CallOptions): Promise<types.Status> {
    return this.json('GET /status', {}, options);
  }
}

/** All operations of the API, in groups. */
export class Api {
  readonly auth: Auth;
  readonly users: Users;
  readonly timeseries: Timeseries;
  readonly connect: Connect;
  readonly backfill: Backfill;
  readonly summaries: Summaries;
  readonly apiGateway: ApiGateway;
  readonly webhooks: Webhooks;
  readonly destinations: Destinations;
  readonly insights: Insights;
  readonly freshness: Freshness;
  readonly phoneIngest: PhoneIngest;
  readonly fileImport: FileImport;
  readonly devicemakerIngest: DevicemakerIngest;
  readonly activitynetIngest: ActivitynetIngest;
  readonly pullIngest: PullIngest;
  readonly deliveries: Deliveries;

  constructor(transport: Transport) {
    this.auth = new Auth(transport);
    this.users = new Users(transport);
    this.timeseries = new Timeseries(transport);
    this.connect = new Connect(transport);
    this.backfill = new Backfill(transport);
    this.summaries = new Summaries(transport);
    this.apiGateway = new ApiGateway(transport);
    this.webhooks = new Webhooks(transport);
    this.destinations = new Destinations(transport);
    this.insights = new Insights(transport);
    this.freshness = new Freshness(transport);
    this.phoneIngest = new PhoneIngest(transport);
    this.fileImport = new FileImport(transport);
    this.devicemakerIngest = new DevicemakerIngest(transport);
    this.activitynetIngest = new ActivitynetIngest(transport);
    this.pullIngest = new PullIngest(transport);
    this.deliveries = new Deliveries(transport);
  }
}
