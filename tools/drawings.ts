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

// A phone shows a picture at about 350 pixels: wider drawings would have letters too small to read.
const width = 460;

const journey: Drawing = {
  name: 'journey',
  title:
    'The journey of a check: a link is normalized, hashed and looked up on the device. Only if four bytes match is the source asked for full hashes.',
  width,
  height: 630,
  areas: [at(10, 10, 440, 320, 'On the device, without a request'), at(10, 470, 440, 150, 'What the answer says')],
  boxes: [
    at(30, 46, 180, 66, 'A link or an address', 'as it was typed or opened'),
    at(250, 46, 180, 66, 'What may be listed', 'the host, its site, a folder'),
    at(250, 152, 180, 66, 'SHA-256', 'four bytes of each'),
    at(30, 152, 180, 66, 'The list', 'a sorted set of four bytes'),
    { ...at(30, 270, 110, 40, 'clear'), color: 'clear' },
    at(90, 366, 200, 60, 'The source', 'knows the full hashes'),
    { ...at(30, 502, 400, 32, 'blocked: all 32 bytes are equal'), color: 'blocked' },
    { ...at(30, 540, 400, 32, 'clear: they belong to something else'), color: 'clear' },
    { ...at(30, 578, 400, 32, 'unconfirmed: no answer, so warn'), color: 'unsure' },
  ],
  arrows: [
    line([210, 79], [246, 79]),
    line([340, 112], [340, 148]),
    line([250, 185], [214, 185]),
    labeled('none found', 94, 246, [85, 218], [85, 266]),
    labeled('found: four bytes go out', 199, 246, [190, 218], [190, 362]),
    labeled('full hashes come back', 199, 450, [190, 426], [190, 466]),
  ],
};

const list: Drawing = {
  name: 'list',
  title:
    'Where a list lives: it comes from a service through a relay, or from files on a static host, and each device keeps it in memory and in a store.',
  width,
  height: 500,
  areas: [at(10, 10, 440, 216, 'Servers'), at(10, 242, 440, 248, 'Each device')],
  boxes: [
    at(30, 46, 180, 60, 'The service', 'needs an API key'),
    at(250, 46, 180, 60, 'Your own list', 'a file of scams'),
    at(30, 150, 180, 60, 'Your relay', 'holds the key'),
    at(250, 150, 180, 60, 'Static files', 'on any host or CDN'),
    at(110, 286, 240, 60, 'Sync', 'version, snapshot, recent additions'),
    at(30, 404, 160, 66, 'Memory', 'answers each check'),
    at(270, 404, 160, 66, 'Store', 'survives a restart'),
  ],
  arrows: [
    line([120, 106], [120, 146]),
    labeled('publish', 350, 132, [340, 106], [340, 146]),
    line([120, 210], [120, 260], [200, 260], [200, 282]),
    line([340, 210], [340, 260], [260, 260], [260, 282]),
    line([190, 346], [190, 374], [110, 374], [110, 400]),
    line([270, 346], [270, 374], [350, 374], [350, 400]),
    labeled('at a start', 203, 428, [270, 437], [194, 437]),
  ],
};

const sight: Drawing = {
  name: 'sight',
  title:
    'Who sees what: the device alone sees what is checked. After a hit, a relay sees four bytes of a hash and the network address of the device; the service behind it sees the four bytes and the address of the relay; a host of static files sees up to twelve bits of a hash and the address of the device.',
  width,
  height: 500,
  areas: [at(10, 10, 440, 132, 'The device'), at(10, 182, 440, 308, 'Others')],
  boxes: [
    at(30, 42, 400, 84, 'Everything', 'links, addresses, texts, paths, whole hashes,', 'what the user did next'),
    at(30, 222, 190, 90, 'Your relay', 'four bytes of a hash,', 'the address of the device'),
    at(240, 222, 190, 90, 'Host of static files', 'up to twelve bits of a hash,', 'the address of the device'),
    at(30, 380, 190, 90, 'The service', 'four bytes of a hash, the key,', 'the address of the relay'),
  ],
  arrows: [
    labeled('only after a hit', 134, 167, [125, 126], [125, 218]),
    labeled('only after a hit', 344, 167, [335, 126], [335, 218]),
    line([125, 312], [125, 376]),
  ],
};

const unseen: Drawing = {
  name: 'unseen',
  title:
    'Ask without being seen: the device seals a question to the key of your gateway. A relay that somebody else runs sees the address of the device and sealed bytes, but not the question. The gateway opens them and sees the question, but not who asks.',
  width,
  height: 520,
  areas: [at(10, 10, 440, 112, 'The device'), at(10, 172, 440, 124, 'Somebody else'), at(10, 346, 440, 164, 'You')],
  boxes: [
    at(90, 42, 280, 62, 'Seals the question', 'to the key of your gateway'),
    at(90, 204, 280, 74, 'The relay', 'sees the address of the device,', 'not the question'),
    at(30, 378, 230, 112, 'The gateway', 'sees the question:', 'some bits of a hash,', 'not who asks'),
    at(310, 402, 120, 64, 'The list', 'or the service'),
  ],
  arrows: [
    labeled('sealed bytes of one size', 239, 152, [230, 104], [230, 200]),
    labeled('the same bytes, from the relay', 154, 326, [145, 278], [145, 374]),
    line([260, 434], [306, 434]),
  ],
};

const sameList: Drawing = {
  name: 'same-list',
  title:
    'Prove that everyone gets this list: the publisher writes each signed version into a log from which nothing is removed. Anyone can read the whole log, and witnesses sign it if it kept all that they saw. A device uses a version only if it is in the log and enough witnesses have signed; one that was made for a single device is refused, and the list in use stays.',
  width,
  height: 514,
  areas: [at(10, 10, 440, 122, 'The publisher'), at(10, 176, 440, 124, 'Others'), at(10, 344, 440, 160, 'Every device')],
  boxes: [
    at(30, 42, 180, 72, 'A version of the list', 'signed'),
    at(250, 42, 180, 72, 'The log', 'every version, in order;', 'nothing is removed'),
    at(30, 208, 180, 74, 'You, or anyone', 'reads the whole log'),
    at(250, 208, 180, 74, 'Witnesses', 'sign the log if it kept', 'all that they saw'),
    { ...at(30, 376, 400, 52, 'used', 'in the log, and signed by enough witnesses'), color: 'clear' },
    { ...at(30, 436, 400, 52, 'refused', 'made for this device alone; the list in use stays'), color: 'blocked' },
  ],
  arrows: [
    line([210, 78], [246, 78]),
    line([300, 114], [300, 156], [120, 156], [120, 204]),
    line([380, 114], [380, 204]),
    labeled('version.proof', 349, 328, [340, 282], [340, 372]),
  ],
};

/** Every drawing of the documentation. */
export const drawings: readonly Drawing[] = [journey, list, sight, unseen, sameList];
