// Serves a folder on this machine, for trials: node serve-list.mjs <folder> [port]
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';

const [folder = 'list', port = '8080'] = process.argv.slice(2);
if (!existsSync(join(folder, 'version.json'))) {
  console.error(`${folder} is not a published list: it has no version.json; run npx portcullis publish list.txt --out ${folder}`);
  process.exit(2);
}
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
server.on('error', ({ code, message }) => {
  console.error(code === 'EADDRINUSE' ? `port ${port} is in use; pass another one here and to build.mjs` : message);
  process.exitCode = 1;
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
