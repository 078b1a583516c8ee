/**
 * Hosts on which anyone can publish a page or get a subdomain, and folders in which anyone can publish. Listing one of them, or a parent
 * of one, would block everyone's pages; its subdomains and pages can be listed. The list is incomplete: pass a longer one if you have it.
 */
export const SHARED_HOSTS: readonly string[] = [
  // Short links.
  'amzn.to bit.ly bl.ink buff.ly clck.ru cutt.ly dub.sh fb.me fb.watch forms.gle goo.gl is.gd lnkd.in maps.app.goo.gl ow.ly',
  'page.link qrco.de rb.gy rebrand.ly redd.it reurl.cc s.id shorturl.at short.gy t.co t.ly tdly.co tiny.cc tinyurl.com urlz.fr v.gd vk.cc',
  'wp.me youtu.be',
  // Collections of links, profiles and messengers.
  'about.me beacons.ai bio.link bio.site campsite.bio discord.com discord.com/channels discord.com/invite discord.gg discordapp.com lnk.bio',
  'link3.to linktr.ee signal.group slack.com solo.to t.me t.me/addlist t.me/joinchat t.me/s taplink.cc telegram.dog telegram.me',
  'telegram.me/s wa.me chat.whatsapp.com api.whatsapp.com api.whatsapp.com/send whatsapp.com whatsapp.com/channel',
  'bsky.app bsky.app/profile bsky.social facebook.com facebook.com/events facebook.com/groups facebook.com/marketplace/item',
  'facebook.com/pages facebook.com/people facebook.com/photo facebook.com/profile.php facebook.com/reel',
  'facebook.com/share facebook.com/watch farcaster.xyz instagram.com instagram.com/p instagram.com/reel instagram.com/stories linkedin.com',
  'linkedin.com/company linkedin.com/feed/update linkedin.com/in linkedin.com/posts linkedin.com/pulse mastodon.social ok.ru pinterest.com',
  'quora.com reddit.com reddit.com/r reddit.com/u reddit.com/user snapchat.com threads.net tiktok.com tiktok.com/t twitch.tv twitter.com',
  'twitter.com/i twitter.com/intent vk.com warpcast.com x.com x.com/i x.com/i/spaces x.com/intent',
  // Films and music.
  'dailymotion.com open.spotify.com soundcloud.com vimeo.com youtube.com youtube.com/c youtube.com/channel youtube.com/embed',
  'youtube.com/live youtube.com/playlist youtube.com/post youtube.com/shorts youtube.com/user youtube.com/watch',
  // Markets, communities and explorers of chains.
  'arbiscan.io basescan.org blur.io bscscan.com dexscreener.com etherscan.io etherscan.io/address etherscan.io/token etherscan.io/tx',
  'foundation.app galxe.com guild.xyz magiceden.io magiceden.io/item-details manifold.xyz mirror.xyz opensea.io opensea.io/assets',
  'opensea.io/assets/ethereum opensea.io/collection opensea.io/item paragraph.com polygonscan.com pump.fun pump.fun/coin',
  'rarible.com snapshot.org solscan.io solscan.io/account solscan.io/token solscan.io/tx tronscan.org zealy.io zora.co zora.co/collect',
  // Documents, forms and files that anyone can upload.
  'airtable.com box.com calendly.com canva.com canva.com/design coda.io docs.google.com docs.google.com/document docs.google.com/document/d',
  'docs.google.com/document/d/e docs.google.com/drawings/d docs.google.com/file/d docs.google.com/forms docs.google.com/forms/d',
  'docs.google.com/forms/d/e docs.google.com/presentation/d docs.google.com/presentation/d/e docs.google.com/spreadsheets/d',
  'docs.google.com/spreadsheets/d/e docs.google.com/viewer docsend.com docsend.com/view docusign.com drive.google.com',
  'drive.google.com/drive/folders drive.google.com/file drive.google.com/file/d drive.google.com/open drive.google.com/uc dropbox.com',
  'dropbox.com/s dropbox.com/scl/fi dropbox.com/scl/fo dropbox.com/sh dropboxusercontent.com evernote.com figma.com figma.com/proto',
  'forms.office.com forms.office.com/pages forms.office.com/r google.com google.com/maps google.com/search google.com/url',
  'googleusercontent.com gofile.io hackmd.io issuu.com jotform.com mediafire.com mega.nz miro.com notion.com notion.so onedrive.live.com',
  'pastebin.com paste.ee rentry.co scribd.com sharepoint.com surveymonkey.com tally.so tally.so/r telegra.ph trello.com trello.com/b',
  'typeform.com wetransfer.com zoho.com',
  // Sites, shops, texts and courses that anyone can set up.
  'bandcamp.com blogger.com blogspot.com canva.site carrd.co etsy.com framer.app framer.website gitbook.io ghost.io godaddysites.com',
  'gumroad.com hashnode.dev ko-fi.com lovable.app medium.com medium.com/p myshopify.com notion.site patreon.com sites.google.com',
  'sites.google.com/site sites.google.com/view softr.app square.site squarespace.com strikingly.com substack.com super.site teachable.com',
  'tumblr.com typedream.app unicornplatform.page webflow.io weebly.com wixsite.com wixstudio.com wordpress.com',
  // Programs and packages that anyone can publish.
  'addons.mozilla.org addons.mozilla.org/en-US/firefox/addon addons.mozilla.org/firefox/addon addons.mozilla.org/firefox/downloads/file',
  'apps.apple.com apps.apple.com/app apps.apple.com/us/app cdn.jsdelivr.net cdn.jsdelivr.net/gh cdn.jsdelivr.net/npm',
  'chrome.google.com/webstore/detail chromewebstore.google.com chromewebstore.google.com/detail crates.io crates.io/crates hub.docker.com',
  'huggingface.co huggingface.co/spaces marketplace.visualstudio.com marketplace.visualstudio.com/items microsoftedge.microsoft.com',
  'npmjs.com npmjs.com/package play.google.com play.google.com/store/apps play.google.com/store/apps/details',
  'play.google.com/store/apps/developer pypi.org pypi.org/project sourceforge.net sourceforge.net/projects testflight.apple.com',
  'testflight.apple.com/join unpkg.com',
  // Code that anyone can show or run.
  '4everland.app appspot.com azureedge.net azurestaticapps.net azurewebsites.net bitbucket.org bolt.host cloudfront.net codeberg.org codepen.io',
  'codesandbox.io csb.app deno.dev digitaloceanspaces.com edgeone.app firebaseapp.com fleek.co fly.dev gist.github.com github.com github.dev',
  'github.io githubusercontent.com gitlab.com gitlab.io glitch.me herokuapp.com jsfiddle.net lhr.life netlify.app on-fleek.app onrender.com',
  'ondigitalocean.app pages.dev r2.dev railway.app raw.githubusercontent.com replit.app repl.co run.app script.google.com',
  'script.google.com/macros/s stackblitz.com surge.sh translate.goog vercel.app web.app workers.dev',
  // Cloud storage.
  'amazonaws.com awsapps.com backblazeb2.com blob.core.windows.net cloudapp.azure.com firebasestorage.googleapis.com',
  'firebasestorage.googleapis.com/v0/b s3.amazonaws.com storage.googleapis.com web.core.windows.net',
  // Tunnels, gateways and archives.
  'archive.org archive.org/details archive.ph cf-ipfs.com cf-ipfs.com/ipfs cloudflare-ipfs.com cloudflare-ipfs.com/ipfs',
  'cloudflare-ipfs.com/ipns dweb.link dweb.link/ipfs dweb.link/ipns eth.limo eth.link gateway.pinata.cloud gateway.pinata.cloud/ipfs',
  'infura-ipfs.io ipfs.io ipfs.io/ipfs ipfs.io/ipns loca.lt mypinata.cloud ngrok-free.app ngrok.app ngrok.io nftstorage.link',
  'nftstorage.link/ipfs trycloudflare.com w3s.link w3s.link/ipfs web.archive.org web.archive.org/web',
].flatMap((line) => line.split(' '));
