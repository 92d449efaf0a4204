import { render, useEffect, useState } from 'hono/jsx/dom';
import { api } from '../parts/api.ts';

const listJobs = async () => {
  const answer = await api.jobs.$get({ query: {} });
  if (answer.status !== 200) throw new Error(`the jobs were not answered: ${answer.status}`);
  return (await answer.json()).jobs;
};
type Job = Awaited<ReturnType<typeof listJobs>>[number];

function Board() {
  const [jobs, setJobs] = useState<Job[]>([]);
  useEffect(() => {
    void listJobs().then(setJobs);
  }, []);
  return (
    <>
      <h1>Jobs</h1>
      <ul>
        {jobs.map(({ id, role, company }) => (
          <li key={id}>
            {role}, {company.name}
          </li>
        ))}
      </ul>
    </>
  );
}

const island = document.getElementById('island');
if (island) render(<Board />, island);
