/**
 * Hosts on which everybody can have a page or a name below: listing one as a whole would block all of them. What lies below each,
 * and each page on it, can be listed. Data, and incomplete by nature: hand in a longer list where you have one.
 */
export const SHARED_HOSTS: readonly string[] = [
  // Short links.
  'amzn.to bit.ly buff.ly clck.ru cutt.ly fb.watch goo.gl is.gd lnkd.in ow.ly rb.gy rebrand.ly reurl.cc s.id shorturl.at t.co t.ly tdly.co',
  'tiny.cc tinyurl.com vk.cc wp.me',
  // Collections of links, profiles and messengers.
  'beacons.ai link3.to linktr.ee slack.com t.me telegram.me twitter.com x.com',
  // Markets.
  'blur.io opensea.io',
  // Sites, shops, texts and courses that anybody can set up.
  'bandcamp.com canva.site carrd.co framer.app gitbook.io ghost.io godaddysites.com hashnode.dev medium.com notion.site',
  'sites.google.com squarespace.com substack.com super.site teachable.com tumblr.com webflow.io weebly.com wordpress.com',
  // Code that anybody can run.
  '4everland.app github.io glitch.me herokuapp.com netlify.app onrender.com pages.dev r2.dev replit.app vercel.app web.app workers.dev',
  // Tunnels and gateways.
  'eth.limo eth.link ipfs.io ngrok-free.app trycloudflare.com',
].flatMap((line) => line.split(' '));
