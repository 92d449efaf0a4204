/**
 * Returns how many files this process may have open at the same time. Sockets count as files. The
 * limit is `ulimit -n`. Node raises this limit as far as the system allows. Returns Infinity if
 * there is no limit, as on Windows.
 *
 * We read the limit from Node's diagnostic report, because no other source works on every system.
 * The report takes 4 ms.
 */
export function fileLimit(): number {
  const { soft } = readReport().userLimits?.open_files ?? {};
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

interface Report {
  excludeNetwork?: boolean;
  getReport(): object;
}

interface Limits {
  userLimits?: { open_files?: { soft: number | 'unlimited' } };
}

function readReport(): Limits {
  // The types do not have `excludeNetwork`. Without this option the report asks the name server
  // about the other end of each connection. Every request then waits for the answer.
  const report: Report = process.report;
  const { excludeNetwork = false } = report;
  report.excludeNetwork = true;
  const made = report.getReport();
  report.excludeNetwork = excludeNetwork;
  return made;
}
