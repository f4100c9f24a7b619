import { defaultProject } from '../../../../domain/access.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { changeProject, project } from '../../session.ts';
import { TypedConfirmation } from '../dialog.tsx';
import { Loaded } from '../states.tsx';

/** Deletes the current project with its users, for owners. The project `default` stays. */
export function ProjectDeletion() {
  const { id, name } = project.value ?? {};
  if (id === undefined || name === undefined || id === defaultProject) return null;
  return (
    <section aria-label="Delete the project">
      <h2>Delete the project</h2>
      <p class="faint">Its users, keys, applications, webhook endpoints and members are deleted with it.</p>
      <TypedConfirmation
        label="Delete the project"
        title={`Delete the project ${name}?`}
        word={name}
        run={async () => {
          await api.auth.removeProject({ project_id: id, users: 'delete' });
          changeProject(defaultProject);
        }}
      >
        <Consequences />
      </TypedConfirmation>
    </section>
  );
}

function Consequences() {
  const users = useResource('users of the project', (signal) => api.users.list({ limit: 1 }, { signal }));
  return (
    <Loaded of={users} what="number of users">
      {({ total }) => (
        <p>
          The project has{' '}
          <strong>
            {total.toLocaleString('en')} {total === 1 ? 'user' : 'users'}
          </strong>
          . All of their data is erased. Its keys, tokens and members are refused at once. Nothing takes this
          back.
        </p>
      )}
    </Loaded>
  );
}
