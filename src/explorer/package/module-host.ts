import { createServer, type IncomingMessage } from 'node:http';
import { pathToFileURL } from 'node:url';

// Serves a function of a module over HTTP. Arguments: the file, the name of the exported function,
// and the port. The body of a request is the JSON of the address and the value for the
// function. The answer is the JSON of the result, or 500 with the message of the error.

const [file = '', call = '', port] = process.argv.slice(2);
const { [call]: run } = await import(pathToFileURL(file).href);
if (typeof run !== 'function') throw new TypeError(`The module exports no function ${call}.`);

const server = createServer(async (request, response) => {
  const left = new AbortController();
  response.on('close', () => left.abort());
  try {
    const { url, with: given } = JSON.parse(await bodyOf(request));
    const value = await run({ url, signal: left.signal }, given);
    response.writeHead(200).end(JSON.stringify(value));
  } catch (error) {
    response.writeHead(500).end(error instanceof Error ? error.message : String(error));
  }
});
server.listen(Number(port), '127.0.0.1');

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const text of request.setEncoding('utf8')) body += text;
  return body;
}
