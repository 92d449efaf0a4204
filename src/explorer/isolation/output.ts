/** One schedule in the output of PostgreSQL's isolation tester. */
export interface TestedSchedule {
  sent: TestedStep[];
}

export interface TestedStep {
  name: string;
  /**
   * The number of steps that had been sent when this step returned. Undefined if the step never
   * returned.
   */
  returnedAfter: number | undefined;
  /** The rows of the statement. Undefined if the statement returned no table. */
  rows: string[][] | undefined;
  /** The message of the error. Undefined if the statement succeeded. */
  error: string | undefined;
}

const START = 'starting permutation: ';
const WAITING = ' <waiting ...>';
const COMPLETED = '<... completed>';

/**
 * Reads the output of the isolation tester. Returns an empty list if the text is not such an
 * output.
 */
export function readOutput(text: string): TestedSchedule[] {
  const parts = text.replaceAll('\r\n', '\n').split(`\n${START}`).slice(1);
  return parts.map((part) => {
    const [, ...lines] = part.split('\n');
    return { sent: readSteps(lines) };
  });
}

function readSteps(lines: string[]): TestedStep[] {
  const sent: TestedStep[] = [];
  /** The step whose result is in the next lines. */
  let current: TestedStep | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, name, said = ''] = /^step (\S+): (.*)$/.exec(line) ?? [];
    const error = /^(?:ERROR|FATAL|PANIC): {2}(.*)$/.exec(line)?.[1];
    if (name !== undefined) current = readStep(sent, name, said);
    else if (current && error !== undefined) current.error = error;
    else if (current && isRule(lines[at + 1])) {
      const end = lines.findIndex((each, index) => index > at && /^\(\d+ rows?\)$/.test(each));
      // The output is cut off within this table.
      if (end < 0) break;
      current.rows = readRows(lines.slice(at, end));
      at = end;
    }
  }
  return sent;
}

/** Returns the step if its result follows, and undefined if the step waits. */
function readStep(sent: TestedStep[], name: string, said: string): TestedStep | undefined {
  if (said === COMPLETED) {
    const waiting = sent.findLast((step) => step.name === name && step.returnedAfter === undefined);
    if (waiting) waiting.returnedAfter = sent.length;
    return waiting;
  }
  const waits = said.endsWith(WAITING);
  const step: TestedStep = {
    name,
    returnedAfter: waits ? undefined : sent.length + 1,
    rows: undefined,
    error: undefined,
  };
  sent.push(step);
  return waits ? undefined : step;
}

/** Whether this is the line between the names of the columns and the rows, such as `--+---`. */
const isRule = (line: string | undefined) => line !== undefined && /^[-+]+$/.test(line);

/** Returns the rows of a table. The second line shows the widths of the columns. */
function readRows([, rule = '', ...rows]: string[]): string[][] {
  const widths = rule.split('+').map(({ length }) => length);
  return rows.map((row) => cut(row, widths));
}

function cut(line: string, widths: readonly number[]): string[] {
  let from = 0;
  return widths.map((width) => {
    const cell = line.slice(from, from + width);
    from += width + 1;
    return cell.trim();
  });
}
