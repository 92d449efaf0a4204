import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

// Serves the function of a module as a program that answers HTTP. Arguments: the file, and the port.

const ANSWERED = 200;
const FAILED = 500;

const [file = '', port] = process.argv.slice(2);
const { default: run } = await import(pathToFileURL(file).href);
if (typeof run !== 'function') throw new TypeError('The module exports no function by default.');

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  const [jobId, recruiterId] = ['jobId', 'recruiterId'].map((name) =>
    Number(searchParams.get(name)),
  );
  try {
    const outcome = await run({ jobId, recruiterId });
    // The judge reads the kind of the outcome in the body.
    response.writeHead(ANSWERED).end(String(outcome?.kind ?? outcome));
  } catch (error) {
    response.writeHead(FAILED).end(error instanceof Error ? error.message : String(error));
  }
});
server.listen(Number(port), '127.0.0.1');
