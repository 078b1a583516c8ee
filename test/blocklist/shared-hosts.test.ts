import { readFileSync } from 'node:fs';
import { allFamilies } from 'portcullis/core';
import { buildList, SHARED_HOSTS, sharedHostsOf } from 'portcullis/publish';
import { parse } from 'tldts';
import { describe, expect, test } from 'vitest';
import { builtInHostSet, sharedHostSet } from '../../src/blocklist/lists/covering-set.js';
import { lonePrivateSuffixes, privateSuffixes } from '../../src/blocklist/lists/private-suffix-table.js';

/** Hosts as scam lists have them, one for each kind of place where anyone can publish. */
const scams = `
claim-airdrop.s3.eu-west-3.amazonaws.com login.s3-website-us-east-1.amazonaws.com login.s3-website.eu-central-1.amazonaws.com
a1b2c3.execute-api.us-west-2.amazonaws.com ec2-1-2-3-4.us-east-2.compute.amazonaws.com x.us-west-2.elasticbeanstalk.com
abc.lambda-url.us-east-1.on.aws abc.us-east-1.awsapprunner.com main.d1abc.amplifyapp.com d111.cloudfront.net
mypage.z13.web.core.windows.net store.blob.core.windows.net vm.eastus.cloudapp.azure.com happy.2.azurestaticapps.net x.azurefd.net
login.azurewebsites.net x.trafficmanager.net bucket.nyc3.digitaloceanspaces.com bucket.nyc3.cdn.digitaloceanspaces.com
bucket.us-east-1.linodeobjects.com b.f004.backblazeb2.com b.s3.us-west-004.backblazeb2.com b.oss-us-west-1.aliyuncs.com
b-123.cos.ap-singapore.myqcloud.com app.uc.r.appspot.com app.appspot.com us-central1-x.cloudfunctions.net x.web.app x.firebaseapp.com
metamask-login.duckdns.org wallet.ddns.net wallet.hopto.org wallet.zapto.org wallet.sytes.net wallet.mooo.com wallet.dynv6.net
airdrop.base44.app airdrop.mystrikingly.com airdrop.strikingly.com airdrop.start.page airdrop.framer.ai airdrop.webflow.io airdrop.carrd.co
airdrop.weeblysite.com airdrop.weebly.com airdrop.wixsite.com airdrop.editorx.io airdrop.godaddysites.com airdrop.jimdosite.com
airdrop.webnode.page airdrop.hostingersite.com airdrop.rf.gd airdrop.000webhostapp.com airdrop.42web.io airdrop.infinityfreeapp.com
airdrop.lovable.app airdrop.lovableproject.com airdrop.replit.app airdrop.vusercontent.net airdrop.bolt.host airdrop.figma.site
airdrop.my.canva.site airdrop.gitbook.io airdrop.notion.site airdrop.super.site airdrop.softr.app airdrop.bubbleapps.io
airdrop.hubspotpagebuilder.com airdrop.hs-sites.com airdrop.mailchimpsites.com airdrop.systeme.io airdrop.zapier.app
airdrop.hf.space airdrop.streamlit.app airdrop.pythonanywhere.com airdrop.vercel.app airdrop.netlify.app airdrop.pages.dev
airdrop.workers.dev airdrop.r2.dev airdrop.onrender.com airdrop.fly.dev airdrop.up.railway.app airdrop.surge.sh airdrop.github.io
airdrop.codeberg.page airdrop.gitlab.io airdrop.deno.dev airdrop.glitch.me airdrop.tiiny.site airdrop.b-cdn.net airdrop.expo.app
abc.arweave.net abc.ar-io.dev abc.permagate.io abc.icp0.io abc.raw.icp0.io bafy.ipfs.dweb.link bafy.ipfs.w3s.link bafy.ipfs.4everland.io
abc.ngrok-free.app abc.ngrok-free.dev abc.trycloudflare.com abc.loca.lt abc.serveo.net abc-3000.euw.devtunnels.ms abc.lhr.life
abc.a.pinggy.io abc.ts.net abc.share.zrok.io abc-3000.app.github.dev
scam.eu.org scam.pp.ua scam.us.com scam.uk.com scam.sa.com scam.za.com scam.it.com scam.is-a.dev scam.qzz.io
`
  .trim()
  .split(/\s+/);

const parentsOf = (host: string): string[] => {
  const labels = host.split('.');
  return labels.slice(1, -1).map((_, at) => labels.slice(at + 1).join('.'));
};

async function reasonsOf(lines: readonly string[]): Promise<Map<string, string>> {
  const { report } = await buildList(lines, { maxReportEntries: lines.length });
  return new Map(report.refused.map(({ line, reason }) => [lines[line]!, reason]));
}

test('a host on a shared host is listed, and none of its parents', async () => {
  const parents = [...new Set(scams.flatMap(parentsOf))].filter((parent) => parse(parent).domain !== null);
  const refused = await reasonsOf([...scams, ...parents]);
  expect(scams.filter((host) => refused.has(host))).toEqual([]);
  // A name below `d1abc.amplifyapp.com` belongs to one customer.
  const own = new Set(['d1abc.amplifyapp.com']);
  expect(parents.filter((parent) => refused.get(parent) !== 'shared-host' && !own.has(parent))).toEqual([]);
});

test.each(
  'bit.ly tr.ee qrco.de t.ly is.gd n9.cl linktr.ee heylink.me forms.gle fillout.com telegra.ph graph.org imgur.com wetransfer.com catbox.moe'.split(
    ' ',
  ),
)('%s, where everything is a page, is not listed, and its pages are', async (host) => {
  expect(await reasonsOf([host, `www.${host}`, `https://${host}/`, `${host}/abc`])).toEqual(
    new Map([
      [host, 'shared-host'],
      [`www.${host}`, 'shared-host'],
      [`https://${host}/`, 'shared-host'],
    ]),
  );
});

test('a host below which all customers of a provider have their sites is not listed', async () => {
  const hosts =
    'up.railway.app a.run.app neocities.org myqnapcloud.com no-ip.org eu.ngrok.io cdn.ampproject.org beehiiv.com dev.to'.split(
      ' ',
    );
  const refused = await reasonsOf(hosts);
  expect(hosts.filter((host) => refused.get(host) !== 'shared-host')).toEqual([]);
});

test('the private suffix of every shared host is shared too', async () => {
  const hosts = SHARED_HOSTS.filter((host) => !host.includes('/'));
  const suffixes = hosts.flatMap((host) => {
    const { publicSuffix, isPrivate } = parse(`x.${host}`, { allowPrivateDomains: true });
    // Some rules are wildcards, below which each name is one customer's.
    return isPrivate === true && publicSuffix !== null && publicSuffix !== `x.${host}` ? [publicSuffix] : [];
  });
  expect(suffixes.length).toBeGreaterThan(250);
  const refused = await reasonsOf([...new Set(suffixes)]);
  expect(suffixes.filter((suffix) => !refused.has(suffix))).toEqual([]);
});

test.each([
  ['https://app.example/#/scam', 'too-wide'],
  ['https://app.example/#!/scam', 'too-wide'],
  ['app.example#!scam', 'too-wide'],
  ['https://web.messenger.example/#/im?p=@scammer', 'too-wide'],
  ['https://app.example/#/', undefined],
  ['https://app.example/#/?page=1', undefined],
  ['https://app.example/#top', undefined],
  ['https://app.example/page#/scam', 'too-wide'],
  ['https://app.example/index.html#/scam', 'too-wide'],
  ['https://shared.example/app/#/user/mallory', 'too-wide'],
  ['https://app.example/page#/', undefined],
  ['https://app.example/?page#/scam', 'too-wide'],
])('%s, a route in an app: %s', async (line, reason) => {
  expect((await reasonsOf([line])).get(line)).toBe(reason);
});

test('a route whose type is URL lists the whole host', async () => {
  const { report } = await buildList([{ content: 'https://app.example/#/scam', type: 'URL' }]);
  expect(report.listed).toBe(1);
});

test('reads the built-in names as it reads the same names from an app', () => {
  expect(new Set(builtInHostSet(allFamilies))).toEqual(sharedHostSet(sharedHostsOf(allFamilies)));
});

test('compares the first names with the built-in hosts as it finds later ones in the set', () => {
  const whole = sharedHostSet(sharedHostsOf(allFamilies));
  const others = [
    'com',
    'co.uk',
    'evil.example',
    'ithub.io',
    'a.github.io',
    't.m',
    'm.me/',
    '',
    '.',
    '/',
    'xn--p1ai',
    'amazonaws.com/s3',
  ];
  const names = [...[...whole].filter((_, at) => at % 3 === 0 || whole.size - at < 900), ...others];
  for (let at = 0; at < names.length; at += 8) {
    const hosts = builtInHostSet(allFamilies);
    for (const name of names.slice(at, at + 8)) {
      expect([name, hosts.has(name), hosts.has(`x${name}`)]).toEqual([name, whole.has(name), whole.has(`x${name}`)]);
    }
  }
});

test('a host of a platform or of a redirector is not listed, and its pages are', async () => {
  const sites = sharedHostsOf(allFamilies).filter((host) => !SHARED_HOSTS.includes(host));
  expect(sites.length).toBeGreaterThan(400);
  expect(sites).toEqual(
    expect.arrayContaining(['fb.com', 'm.me', 'web.telegram.org', 'docs.rs', 'link.trustwallet.com', 'slack-redir.net']),
  );
  const refused = await reasonsOf(sites);
  expect(sites.filter((host) => refused.get(host) !== 'shared-host')).toEqual([]);
  expect(await reasonsOf(['https://web.telegram.org/k/#-1001234567', 'https://l.facebook.com/l.php'])).toEqual(
    new Map([
      ['https://web.telegram.org/k/#-1001234567', 'shared-host'],
      ['https://l.facebook.com/l.php', 'shared-host'],
    ]),
  );
  expect(await reasonsOf(['https://docs.rs/evil-crate', 'https://flic.kr/p/abc'])).toEqual(new Map());
});

describe('a table of hosts with many owners, written by hand', () => {
  const written = readFileSync('test/blocklist/many-owners.txt', 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.split(' ').filter((host) => host !== ''));
  const hosts = written.map((host) => host.replace('?', ''));

  test('none is listed without a warning, and those of many owners are refused', async () => {
    expect(new Set(hosts).size).toBe(written.length);
    expect(written.length).toBeGreaterThan(480);
    const { report } = await buildList(hosts, { maxReportEntries: hosts.length });
    const refused = new Set(report.refused.map(({ line, reason }) => (reason === 'shared-host' ? hosts[line] : undefined)));
    const warned = new Set(report.warnings.map((warning) => (warning.code === 'popular' ? warning.host : undefined)));
    expect(
      written.filter(
        (host) => !refused.has(host) && !(host.startsWith('?') && (warned.has(host.slice(1)) || refused.has(host.slice(1)))),
      ),
    ).toEqual(
      // The provider shares only subdomains of it, such as demo.jelastic.com.
      ['jelastic.com'],
    );
    expect(report.warningsBy.popular).toBeGreaterThan(25);
  });

  test('a page or a subdomain on each is listed without a warning', async () => {
    const { report } = await buildList(hosts.flatMap((host) => [`scam-of-somebody.${host}`, `${host}/scam-of-somebody`]));
    expect(report.refused).toEqual([]);
    expect(report.warningsBy.popular).toBeUndefined();
  });
});

test('most domains of the table of private suffixes are private suffixes in a newer edition of the list, and none is a public one', () => {
  const domains = [
    ...privateSuffixes.flatMap(([end, names]) => names.split(' ').map((name) => `${name}.${end}`)),
    ...lonePrivateSuffixes.split(' '),
  ];
  expect(domains.length).toBeGreaterThan(1_400);
  // Owners withdraw domains, and some rules are wildcards.
  const known = domains.filter((domain) => parse(`x.y.${domain}`, { allowPrivateDomains: true }).isPrivate === true);
  expect(known.length / domains.length).toBeGreaterThan(0.8);
  expect(domains.filter((domain) => parse(domain).domain !== domain)).toEqual([]);
});
