import type { Arrow, Box, Drawing } from './drawing.js';

const at = (x: number, y: number, width: number, height: number, title: string, ...lines: string[]): Box => ({
  x,
  y,
  width,
  height,
  title,
  lines,
});

const line = (...points: Arrow['points']): Arrow => ({ points });

const labeled = (text: string, x: number, y: number, ...points: Arrow['points']): Arrow => ({ points, label: { x, y, text } });

const journey: Drawing = {
  name: 'journey',
  title:
    'The journey of a check: a link is normalized, hashed and looked up on the device. Only if four bytes match is the source asked for full hashes.',
  width: 860,
  height: 350,
  areas: [at(10, 10, 840, 190, 'On the device, without a request')],
  boxes: [
    at(30, 46, 170, 66, 'A link or an address', 'as it was typed or opened'),
    at(240, 46, 170, 66, 'What may be listed', 'the host, its site, a folder'),
    at(450, 46, 160, 66, 'SHA-256', 'four bytes of each'),
    at(650, 46, 180, 66, 'The list', 'a sorted set of four bytes'),
    { ...at(450, 146, 160, 36, 'clear'), color: 'clear' },
    at(650, 236, 180, 66, 'The source', 'knows the full hashes'),
    { ...at(60, 214, 350, 34, 'blocked: all 32 bytes are equal'), color: 'blocked' },
    { ...at(60, 256, 350, 34, 'clear: they belong to something else'), color: 'clear' },
    { ...at(60, 298, 350, 34, 'unconfirmed: no answer, so warn'), color: 'unsure' },
  ],
  arrows: [
    line([200, 79], [236, 79]),
    line([410, 79], [446, 79]),
    line([610, 79], [646, 79]),
    labeled('none found', 624, 158, [700, 112], [700, 164], [614, 164]),
    labeled('found: four bytes go out', 632, 222, [790, 112], [790, 232]),
    labeled('full hashes come back', 518, 262, [650, 269], [510, 269], [510, 231], [414, 231]),
    line([510, 269], [510, 273], [414, 273]),
    line([510, 269], [510, 315], [414, 315]),
  ],
};

const list: Drawing = {
  name: 'list',
  title:
    'Where a list lives: it comes from a service through a relay, or from files on a static host, and each device keeps it in memory and in a store.',
  width: 860,
  height: 300,
  areas: [at(10, 10, 430, 280, 'Servers'), at(470, 10, 380, 280, 'Each device')],
  boxes: [
    at(30, 60, 160, 66, 'The service', 'needs an API key'),
    at(250, 60, 170, 66, 'Your relay', 'holds the key'),
    at(30, 190, 160, 66, 'Your own list', 'a file of scams'),
    at(250, 190, 170, 66, 'Static files', 'on any host or CDN'),
    at(490, 120, 150, 76, 'Sync', 'version, snapshot,', 'recent additions'),
    at(690, 60, 140, 66, 'Memory', 'answers each check'),
    at(690, 190, 140, 66, 'Store', 'survives a restart'),
  ],
  arrows: [
    line([190, 93], [246, 93]),
    labeled('publish', 197, 215, [190, 223], [246, 223]),
    line([420, 93], [455, 93], [455, 145], [486, 145]),
    line([420, 223], [455, 223], [455, 171], [486, 171]),
    line([640, 145], [665, 145], [665, 93], [686, 93]),
    line([640, 171], [665, 171], [665, 223], [686, 223]),
    labeled('at a start', 768, 163, [760, 190], [760, 130]),
  ],
};

const sight: Drawing = {
  name: 'sight',
  title:
    'Who sees what: the device alone sees what is checked. After a hit, a relay sees four bytes of a hash and the network address of the device; the service behind it sees the four bytes and the address of the relay; a host of static files sees up to twelve bits of a hash and the address of the device.',
  width: 860,
  height: 280,
  areas: [at(10, 10, 220, 260, 'The device'), at(300, 10, 550, 260, 'Others, about a check: only after a hit')],
  boxes: [
    at(30, 50, 180, 190, 'Everything', 'links, addresses, texts,', 'paths, whole hashes,', 'what the user did next'),
    at(320, 46, 220, 90, 'Your relay', 'four bytes of a hash,', 'the address of the device'),
    at(610, 46, 220, 90, 'The service', 'four bytes of a hash, the key,', 'the address of the relay'),
    at(320, 160, 220, 90, 'Host of static files', 'up to twelve bits of a hash,', 'the address of the device'),
  ],
  arrows: [line([210, 91], [316, 91]), line([540, 91], [606, 91]), line([210, 205], [316, 205])],
};

/** Every drawing of the documentation. */
export const drawings: readonly Drawing[] = [journey, list, sight];
