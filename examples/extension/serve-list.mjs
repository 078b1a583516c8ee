// Serves a folder on this machine, for trials: node serve-list.mjs <folder> [port]
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';

const [folder = 'list', port = '8080'] = process.argv.slice(2);
const server = createServer(async (request, response) => {
  try {
    // `//` is no address.
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    // `normalize` keeps the path inside the folder.
    response.end(await readFile(join(folder, normalize(pathname))));
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
