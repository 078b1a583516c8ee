/** Cloud hosts that exist once per region, below which anyone can get a name or a bucket. `*` is the region. */
export const regionalHosts: readonly (readonly [hosts: string, regions: string])[] = [
  [
    's3.*.amazonaws.com s3-*.amazonaws.com s3-website-*.amazonaws.com s3-website.*.amazonaws.com s3.dualstack.*.amazonaws.com ' +
      '*.compute.amazonaws.com *.elb.amazonaws.com execute-api.*.amazonaws.com *.elasticbeanstalk.com *.awsapprunner.com ' +
      'lambda-url.*.on.aws',
    'af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1 ap-southeast-2 ' +
      'ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-7 ca-central-1 ca-west-1 eu-central-1 eu-central-2 eu-north-1 ' +
      'eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3 il-central-1 me-central-1 me-south-1 mx-central-1 sa-east-1 us-east-1 ' +
      'us-east-2 us-gov-east-1 us-gov-west-1 us-west-1 us-west-2',
  ],
  [
    '*.cloudapp.azure.com *.azurecontainerapps.io *.azurecontainer.io',
    'australiaeast australiasoutheast brazilsouth canadacentral canadaeast centralindia centralus eastasia eastus eastus2 ' +
      'francecentral germanywestcentral israelcentral italynorth japaneast japanwest koreacentral northcentralus northeurope ' +
      'norwayeast polandcentral qatarcentral southafricanorth southcentralus southeastasia southindia spaincentral swedencentral ' +
      'switzerlandnorth uaenorth uksouth ukwest westcentralus westeurope westus westus2 westus3',
  ],
  // Storage zones; the numbers in use are below 50.
  ['z*.web.core.windows.net', Array.from({ length: 64 }, (_, zone) => zone + 1).join(' ')],
  ['*.azurestaticapps.net', '1 2 3 4 5 6 7 centralus eastasia eastus2 westeurope westus2'],
  ['*.digitaloceanspaces.com *.cdn.digitaloceanspaces.com', 'ams3 atl1 blr1 fra1 lon1 nyc3 ric1 sfo2 sfo3 sgp1 syd1 tor1'],
  ['*.r.appspot.com', 'an as de df dt el et ew ey ez lm lz nn nw oa rj ts ue uc uk ul uw uy wl wm wn'],
  ['f*.backblazeb2.com', '000 001 002 003 004 005 006'],
  ['s3.*.backblazeb2.com', 'ca-east-006 eu-central-003 us-east-005 us-west-000 us-west-001 us-west-002 us-west-004'],
  ['*.linodeobjects.com', 'ap-south-1 eu-central-1 us-east-1 us-iad-1 us-ord-1 us-southeast-1'],
  [
    's3.*.wasabisys.com',
    'ap-northeast-1 ap-southeast-1 eu-central-1 eu-central-2 eu-west-1 eu-west-2 us-central-1 us-east-1 us-west-1',
  ],
  [
    'oss-*.aliyuncs.com',
    'ap-northeast-1 ap-southeast-1 ap-southeast-3 ap-southeast-5 cn-beijing cn-hangzhou cn-hongkong cn-shanghai cn-shenzhen ' +
      'eu-central-1 eu-west-1 me-east-1 us-east-1 us-west-1',
  ],
  [
    'cos.*.myqcloud.com',
    'ap-beijing ap-guangzhou ap-hongkong ap-shanghai ap-singapore ap-tokyo eu-frankfurt na-ashburn na-siliconvalley',
  ],
  ['*.devtunnels.ms', 'asse auc1 brs eun1 euw inc1 jpe1 uks1 use use2 usw2 usw3'],
  ['*.pythonanywhere.com', 'eu'],
];

/** Hosts, and folders of hosts, by what they are for. Several in a line: one each would be a file of 900. */
export const globalHosts: readonly string[] = [
  // Short links.
  '1drv.ms 2u.pw acortar.link adf.ly amzn.to bit.do bit.ly bitly.com bl.ink buff.ly buly.kr clck.ru cli.re cutt.ly dlvr.it dub.sh dwz.cn',
  'ead.me fanlink.to fb.me fb.watch ffm.to flowcode.com forms.gle goo.gl han.gl ift.tt is.gd j.mp kutt.it l.ead.me lihi.cc lnk.ink lnk.to',
  'lnkd.in maps.app.goo.gl me-qr.com me2.do n9.cl naver.me oke.io ouo.io ow.ly page.link ppt.cc pse.is q-r.to qr.link qrco.de qrfy.io rb.gy',
  'rebrand.ly redd.it reurl.cc rotf.lol s.id scan.page short.gy shorten.so shorturl.at shorturl.gg smarturl.it snip.ly soo.gd sor.bz',
  'spoo.me t.cn t.co t.ly t1p.de t2m.io tdly.co tiny.cc tiny.one tinyurl.com tny.im tr.ee trib.al u.to url.kr urlz.fr urlzs.com v.gd vk.cc',
  'vo.la we.tl wp.me x.gd yadi.sk youtu.be',
  // Collections of links, profiles and messengers.
  'about.me allmylinks.com api.whatsapp.com api.whatsapp.com/send beacons.ai beacons.page bio.link bio.site biolinky.co bsky.app',
  'bsky.app/profile bsky.social campsite.bio chat.whatsapp.com desty.page direct.me discord.com discord.com/channels discord.com/invite',
  'discord.gg discordapp.com facebook.com facebook.com/events facebook.com/groups facebook.com/marketplace/item facebook.com/pages',
  'facebook.com/people facebook.com/photo facebook.com/profile.php facebook.com/reel facebook.com/share facebook.com/watch farcaster.xyz',
  'flow.page heylink.me hoo.be instabio.cc instagram.com instagram.com/p instagram.com/reel instagram.com/stories link.space link3.to',
  'linkbio.co linkedin.com linkedin.com/company linkedin.com/feed/update linkedin.com/in linkedin.com/posts linkedin.com/pulse linkin.bio',
  'linkr.bio linktr.ee lit.link lnk.bio lynk.id magic.ly many.link mastodon.social msha.ke ok.ru pinterest.com potofu.me quora.com',
  'reddit.com reddit.com/r reddit.com/u reddit.com/user signal.group slack.com snapchat.com snipfeed.co sociatap.com solo.to stan.store',
  'start.page t.me t.me/addlist t.me/joinchat t.me/s tap.bio taplink.cc taplink.ws telegram.dog telegram.me telegram.me/s threads.net',
  'tiktok.com tiktok.com/t twitch.tv twitter.com twitter.com/i twitter.com/intent vk.com wa.me warpcast.com whatsapp.com',
  'whatsapp.com/channel x.com x.com/i x.com/i/spaces x.com/intent znap.link',
  // Films and music.
  'dailymotion.com open.spotify.com soundcloud.com vimeo.com youtube.com youtube.com/c youtube.com/channel youtube.com/embed',
  'youtube.com/live youtube.com/playlist youtube.com/post youtube.com/shorts youtube.com/user youtube.com/watch',
  // Markets, communities and explorers of chains.
  'arbiscan.io basescan.org blockchair.com blockscout.com blur.io bscscan.com debank.com dexscreener.com dial.to dune.com etherscan.io',
  'etherscan.io/address etherscan.io/token etherscan.io/tx explorer.solana.com foundation.app galxe.com guild.xyz magiceden.io',
  'magiceden.io/item-details manifold.xyz mempool.space mirror.xyz opensea.io opensea.io/assets opensea.io/assets/ethereum',
  'opensea.io/collection opensea.io/item optimistic.etherscan.io paragraph.com polygonscan.com pump.fun pump.fun/coin rarible.com',
  'snapshot.box snapshot.org snowtrace.io solana.fm solscan.io solscan.io/account solscan.io/token solscan.io/tx sound.xyz suiscan.xyz',
  'suivision.xyz tonscan.org tonviewer.com tronscan.org xrpscan.com zealy.io zora.co zora.co/collect',
  // Documents, forms and files that anyone can upload.
  '123formbuilder.com 4shared.com acrobat.adobe.com airtable.com alchemer.com anotepad.com app.smartsheet.com behance.net box.com',
  'calameo.com calendly.com canva.com canva.com/design catbox.moe cloud.mail.ru coda.io cognitoforms.com controlc.com craft.me',
  'disk.yandex.ru docs.google.com docs.google.com/document docs.google.com/document/d docs.google.com/document/d/e',
  'docs.google.com/drawings/d docs.google.com/file/d docs.google.com/forms docs.google.com/forms/d docs.google.com/forms/d/e',
  'docs.google.com/presentation/d docs.google.com/presentation/d/e docs.google.com/spreadsheets/d docs.google.com/spreadsheets/d/e',
  'docs.google.com/viewer docsend.com docsend.com/view docusign.com dpaste.org drive.google.com drive.google.com/drive/folders',
  'drive.google.com/file drive.google.com/file/d drive.google.com/open drive.google.com/uc dropbox.com dropbox.com/s dropbox.com/scl/fi',
  'dropbox.com/scl/fo dropbox.com/sh dropboxusercontent.com dropmefiles.com evernote.com express.adobe.com figma.com figma.com/proto',
  'file.io filebin.net files.catbox.moe fillout.com flipsnack.com formcrafts.com formfacade.com forms.app forms.clickup.com',
  'forms.monday.com forms.office.com forms.office.com/pages forms.office.com/r forms.zohopublic.com formsite.com formstack.com gamma.app',
  'gamma.site gofile.io google.com google.com/maps google.com/search google.com/url googleusercontent.com graph.org hackmd.io hastebin.com',
  'heyflow.page heyflow.site heyzine.com hsforms.com ibb.co imgur.com indd.adobe.com involve.me issuu.com jotform.com jumpshare.com',
  'justpaste.it krakenfiles.com mediafire.com mega.nz milanote.com miro.com myportfolio.com notes.io notion.com notion.so onedrive.live.com',
  'opnform.com padlet.com paperform.co paste.ee paste.rs pastebin.com pcloud.link pixeldrain.com postimg.cc prezi.com publuu.com',
  'qualtrics.com questionpro.com rentry.co rentry.org scribd.com send.cm sendspace.com sharepoint.com slideshare.net',
  'surveymonkey.com surveyplanet.com sway.cloud.microsoft sway.office.com tally.so tally.so/r telegra.ph teletype.in terabox.com',
  'transfer.sh trello.com trello.com/b txti.es typeform.com ufile.io view.genially.com wetransfer.com wkf.ms workupload.com write.as',
  'wufoo.com youform.com zfrmz.com zoho.com zohopublic.com',
  // Sites, shops, texts and courses that anyone can set up.
  '000.pe 000webhostapp.com 42web.io altervista.org angelfire.com bandcamp.com base44.app bearblog.dev beehiiv.com bigcartel.com',
  'blogger.com blogspot.com blogspot.de bplaced.de bplaced.net bubbleapps.io builtwithrocket.new byet.host byethost.com canva.link',
  'canva.site carrd.co chatgpt.site clickfunnels.com cpanel.site crd.co dev.to discourse.group editorx.io elementor.cloud emergent.host',
  'epizy.com etsy.com figma.site flutterflow.app framer.ai framer.app framer.media framer.photos framer.website framer.wiki',
  'freehostia.com freewebhostmost.com ghost.io gitbook.io godaddysites.com great-site.net gumroad.com hashnode.dev hatenablog.com',
  'hatenablog.jp here.now hostingersite.com hs-sites-eu1.com hs-sites.com hubspotpagebuilder.com hubspotpagebuilder.eu',
  'infinityfreeapp.com instapage.com jimdofree.com jimdosite.com jouwweb.site kajabi.com kesug.com ko-fi.com leadpages.co',
  'live-website.com livejournal.com lovable.app lovableproject.com lpages.co mailchi.mp mailchimpsites.com manus.space mataroa.blog',
  'medium.com medium.com/p mobirisesite.com my.canva.site myclickfunnels.com myfreesites.net mykajabi.com myshopify.com',
  'mystrikingly.com neocities.org nethouse.ru notion.site oopy.io patreon.com plesk.page readthedocs.io rf.gd shopify.com simdif.com',
  'simplesite.com site123.me sites.google.com sites.google.com/site sites.google.com/view softr.app softr.io square.site',
  'squarespace.com strikingly.com substack.com super.site super.so systeme.io teachable.com tilda.ws tripod.com tumblr.com',
  'typedream.app ucraft.site ukit.me umso.co unicornplatform.page webador.com webcindario.com webflow.io webnode.page webs.com',
  'website3.me webwave.dev weebly.com weeblysite.com windsurf.build wix.com wixsite.com wixstudio.com wixstudio.io wordpress.com',
  'wpcomstaging.com wpengine.com wuaze.com x10.mx x10host.com yolasite.com zapier.app zohosites.com zyrosite.com',
  // Programs and packages that anyone can publish.
  'addons.mozilla.org addons.mozilla.org/en-US/firefox/addon addons.mozilla.org/firefox/addon addons.mozilla.org/firefox/downloads/file',
  'apps.apple.com apps.apple.com/app apps.apple.com/us/app cdn.jsdelivr.net cdn.jsdelivr.net/gh cdn.jsdelivr.net/npm',
  'chrome.google.com/webstore/detail chromewebstore.google.com chromewebstore.google.com/detail crates.io crates.io/crates hub.docker.com',
  'huggingface.co huggingface.co/spaces marketplace.visualstudio.com marketplace.visualstudio.com/items microsoftedge.microsoft.com',
  'npmjs.com npmjs.com/package play.google.com play.google.com/store/apps play.google.com/store/apps/details',
  'play.google.com/store/apps/developer pypi.org pypi.org/project sourceforge.net sourceforge.net/projects testflight.apple.com',
  'testflight.apple.com/join unpkg.com',
  // Code that anyone can show or run.
  '4everland.app a.run.app alwaysdata.net amplifyapp.com apigee.io appspot.com appwrite.network awsapprunner.com azure-api.net',
  'azurecontainerapps.io azureedge.net azurefd.net azurestaticapps.net azurewebsites.net b-cdn.net bitbucket.io bitbucket.org bolt.host',
  'bunny.run cdn.ampproject.org claudeusercontent.com cleverapps.io cloud.run cloudapp.net cloudflare.app cloudfront.net',
  'cloudfunctions.net code.run codeberg.org codeberg.page codeengine.appdomain.cloud codepen.io codesandbox.io convex.app cprapid.com',
  'csb.app databricksapps.com deno.dev deno.net devinapps.com digitaloceanspaces.com easypanel.host edgeone.app elasticbeanstalk.com',
  'encr.app expo.app expo.dev fastly.net firebaseapp.com fleek.co fly.dev gist.github.com githack.com github.app github.com github.dev',
  'github.io githubpreview.dev githubusercontent.com gitlab.com gitlab.io gitpod.io glitch.me hasura.app herokuapp.com hf.space',
  'hosted.app htmlpreview.github.io jsbin.com jsfiddle.net koyeb.app laravel.cloud leapcell.app leapcell.dev lhr.life lovable.sh',
  'mybluemix.net netlify.app northflank.app now.sh on-fleek.app on.aws onamplify.com ondigitalocean.app onrender.com pages.dev',
  'pantheonsite.io platformsh.site plnkr.co pythonanywhere.com r.appspot.com r2.dev railway.app raw.githack.com',
  'raw.githubusercontent.com rawcdn.githack.com repl.co repl.run replit.app replit.dev retool.com run.app script.google.com',
  'script.google.com/macros/s stackblitz.com stackblitz.io static.app statichost.page stormkit.dev streamlit.app supabase.co',
  'supabase.in surge.sh tiiny.host tiiny.site trafficmanager.net translate.goog up.railway.app usercontent.goog vercel.app vercel.dev',
  'vusercontent.net wasmer.app web.app webcontainer.io withgoogle.com workers.dev zeabur.app',
  // Cloud storage.
  'aliyuncs.com amazonaws.com appdomain.cloud awsapps.com backblazeb2.com blob.core.windows.net cdn.digitaloceanspaces.com',
  'cloudapp.azure.com cloudflarestorage.com core.windows.net dfs.core.windows.net file.core.windows.net filebase.io',
  'firebasestorage.googleapis.com firebasestorage.googleapis.com/v0/b hb.bizmrg.com link.storjshare.io linodeobjects.com myfilebase.com',
  'myqcloud.com objectstorage.us-ashburn-1.oraclecloud.com oraclecloud.com r2.cloudflarestorage.com s3.amazonaws.com s3.wasabisys.com',
  'scw.cloud sharepoint.cn storage.cloud.google.com storage.googleapis.com storage.yandexcloud.net storageapi.fleek.co vultrobjects.com',
  'wasabisys.com web.core.windows.net website.yandexcloud.net',
  // Tunnels, gateways and archives.
  'a.pinggy.io ap.ngrok.io app.github.dev ar-io.dev ar-io.net ar.io archive.org archive.org/details archive.ph arweave.dev arweave.net',
  'au.ngrok.io bore.pub bzz.link cf-ipfs.com cf-ipfs.com/ipfs cloudflare-ipfs.com cloudflare-ipfs.com/ipfs cloudflare-ipfs.com/ipns',
  'cpolar.cn cpolar.top devtunnels.ms dweb.link dweb.link/ipfs dweb.link/ipns eth.limo eth.link eu.ngrok.io exp.direct free.pinggy.link',
  'gateway.ethswarm.org gateway.irys.xyz gateway.lighthouse.storage gateway.pinata.cloud gateway.pinata.cloud/ipfs hardbin.com ic0.app',
  'icp.net icp0.io icp1.io in.ngrok.io infura-ipfs.io ipfs.4everland.io ipfs.dweb.link ipfs.fleek.co ipfs.infura.io ipfs.io',
  'ipfs.io/ipfs ipfs.io/ipns ipfs.nftstorage.link ipfs.w3s.link ipfscdn.io ipns.dweb.link irys.xyz jp.ngrok.io lhr.rocks loca.lt',
  'localhost.run localto.net localtonet.com loophole.site mypinata.cloud natappfree.cc nftstorage.link nftstorage.link/ipfs',
  'ngrok-free.app ngrok-free.dev ngrok.app ngrok.dev ngrok.io ngrok.pizza ngrok.pro permagate.io pinggy.link pinggy.online ply.gg',
  'raw.ic0.app raw.icp0.io sa.ngrok.io serveo.net serveousercontent.com share.zrok.io siasky.net telebit.io trycloudflare.com ts.net',
  'tunnelmole.net us.ngrok.io w3s.link w3s.link/ipfs web.archive.org web.archive.org/web zrok.io',
  // Names that anyone can point at a machine, and second levels that are sold like domains.
  '3utilities.com accesscam.org ath.cx biz.ua bounceme.net br.com camdvr.org casacam.net cc.ua chickenkiller.com cloudns.be cloudns.biz',
  'cloudns.cc cloudns.ch cloudns.cl cloudns.nz cloudns.org cloudns.ph cloudns.us cn.com co.com co.nl co.ua com.de com.se crabdance.com',
  'ddns.me ddns.net ddnsfree.com ddnsgeek.com ddnsking.com de.com dedyn.io diskstation.me dns-dynamic.net dnsalias.com dpdns.org',
  'duckdns.org dyndns.org dynu.net dynv6.net eu.cc eu.com eu.org freeddns.org freemyip.com gb.net giize.com gleeze.com goip.de',
  'gotdns.ch gr.com hidns.co hopto.me hopto.org hu.net ignorelist.com in.net is-a.dev it.com jp.net jpn.com js.org jumpingcrab.com',
  'kozow.com lima-city.de loseyourip.com mex.com mine.nu mooo.com myddns.me myddns.rocks mydns.jp myds.me myftp.biz myftp.org',
  'myqnapcloud.com myvnc.com mywire.org no-ip.ca no-ip.org noip.me noip.us ooguy.com pp.ua qzz.io redirectme.net ru.com',
  'sa.com se.net serveblog.net serveftp.com servegame.com servehttp.com servequake.com strangled.net synology.me sytes.net',
  'theworkpc.com twilightparadox.com uk.com uk.net us.com us.kg us.org us.to webhop.me webredirect.org za.com zapto.org',
  // Sites, blogs, shops and services with an address for each customer, which the Public Suffix List does not have.
  'activehosted.com adaptable.app afraid.org ameblo.jp anvil.app app.link atlassian.net atwebpages.com auth0.com',
  'awardspace.info bamboohr.com blog.jp blogg.se buymeacoffee.com cafe24.com canalblog.com circle.so cloudflareaccess.com',
  'cloudwaysapps.com cyclic.app doodlekit.com durable.co ecwid.com eventbrite.com fc2.com freshdesk.com freshservice.com',
  'getresponsesite.com glide.page glideapp.io gradio.live greenhouse.io hatenadiary.jp helpscoutdocs.com home.blog',
  'hyperfollow.com intercom.help jimdo.com kinsta.cloud lever.co lightning.force.com livedoor.blog mendixcloud.com',
  'moonfruit.com my.site.com mybigcommerce.com myfreshworks.com myhuaweicloud.com myshoplaza.com myworkdayjobs.com narod.ru',
  'okta.com onelink.me onelogin.com onmicrosoft.com openshiftapps.com over-blog.com payhip.com pixnet.net podia.com qr.ae',
  'quickconnect.to recruitee.com redbubble.com salesforce-sites.com seesaa.net service-now.com shoplineapp.com shorte.st',
  'spreadshirt.com square.link statuspage.io storenvy.com tcloudbaseapp.com teespring.com thinkific.com tickettailor.com',
  'tiendanube.com tistory.com ucoz.com ucoz.ru unbouncepages.com val.run webnode.com webnode.cz workable.com zendesk.com',
  // Pages of an app that show every account, and those that lead elsewhere.
  'l.facebook.com/l.php lm.facebook.com/l.php web.telegram.org/a web.telegram.org/k web.telegram.org/z x.com/i/flow/login',
  // Others with a page, a site or a link of each owner.
  'adj.st aka.ms bcebos.com blog.naver.com bnc.lt business.site cafe.naver.com calendar.app.google customervoice.microsoft.com',
  'dl.dropboxusercontent.com g.co g.page gitee.com gofund.me hubspotpages.com itch.io kickstarter.com link.medium.com list-manage.com',
  'lookerstudio.google.com meetup.com mp.weixin.qq.com my.salesforce-sites.com note.com paragraph.xyz powerappsportals.com qiita.com',
  'script.googleusercontent.com sendgrid.net teams.microsoft.com translate.google.com webcache.googleusercontent.com webhook.site zenn.dev',
];
