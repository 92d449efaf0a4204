import type { Transaction } from '../../platform/db/client.ts';
import { companies, jobs, recruiters } from './schema.ts';

const openings: Record<string, string[]> = {
  'Harbour Analytics': [
    'Senior Backend Engineer, Payments',
    'Data Engineer, Streaming',
    'Machine Learning Engineer, Ranking',
    'Engineering Manager, Platform',
  ],
  'Fernway Health': [
    'Clinical Data Scientist',
    'iOS Engineer, Patient App',
    'Security Engineer',
    'Product Designer, Care Teams',
  ],
  'Tallow & Pine': ['Furniture Designer', 'Warehouse Operations Lead', 'E-commerce Manager'],
  'Northlight Energy': [
    'Grid Software Engineer',
    'Site Reliability Engineer',
    'Wind Farm Technician',
    'Regulatory Affairs Specialist',
  ],
  'Kestrel Robotics': [
    'Embedded Systems Engineer',
    'Controls Engineer, Drones',
    'Test Automation Engineer',
    'Field Support Engineer',
  ],
  'Brightwater Bank': [
    'Fraud Analyst',
    'Database Administrator, PostgreSQL',
    'Frontend Engineer, Online Banking',
    'Compliance Officer',
    'Technical Writer, Open Banking',
  ],
};

const firstNames = 'Amara Bruno Chiara Dmitri Elif Farid Grace Hiro Ingrid Jonas Kavya Lucía'.split(
  ' ',
);
const lastNames =
  'Abbott Bianchi Castillo Dlamini Eriksen Fontaine Gupta Haddad Ivanova Jensen'.split(' ');

/** The number of rows that were added, for each table. */
export interface AddedRows {
  companies: number;
  jobs: number;
  recruiters: number;
}

/**
 * Adds six companies, 24 jobs and 120 recruiters, and no claims. If the database has a company
 * already, does nothing and returns undefined.
 */
export async function addDemoData(tx: Transaction): Promise<AddedRows | undefined> {
  const [present] = await tx.select({ id: companies.id }).from(companies).limit(1);
  if (present) return undefined;
  const names = Object.keys(openings).map((name) => ({ name }));
  const added = await tx.insert(companies).values(names).returning();
  const posts = added.flatMap(({ id, name }) =>
    (openings[name] ?? []).map((role) => ({ companyId: id, role })),
  );
  await tx.insert(jobs).values(posts);
  const people = firstNames.flatMap((first) => lastNames.map((last) => `${first} ${last}`));
  await tx.insert(recruiters).values(people.map((name) => ({ name })));
  return { companies: added.length, jobs: posts.length, recruiters: people.length };
}
