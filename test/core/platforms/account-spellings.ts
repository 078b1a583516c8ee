/**
 * What a user may paste for one account: the row of a list, and other texts that open the same account, by the source that describes
 * them. Written from these sources, independently of the rules. A spelling that is known to be missed stands under `missed`, with the reason.
 */
export interface AccountSpellings {
  readonly platform: string;
  readonly type: string;
  /** The link of the account as a list has it. */
  readonly row: string;
  readonly spellings: readonly (readonly [source: string, ...spellings: string[]])[];
  readonly missed?: readonly (readonly [spelling: string, reason: string])[];
}

// Sources that several platforms share.
const uri = 'RFC 3986 §6.2.2: scheme and host have no case; escapes of letters, and of `@` in a path, mean the same character';
const browser =
  'URL Standard (url.spec.whatwg.org): backslashes, default ports, tabs and spaces around; a browser adds the scheme';
const campaign = 'Google Analytics help, "URL builders": campaign parameters; platforms ignore parameters they do not know';
const table = "the service's asset type table: names of this platform have no case, and a final slash is not part of them";
const chromeIntent = 'developer.chrome.com, "Android Intents with Chrome": intent://host/path#Intent;scheme=…;package=…;end';

const redirect =
  'what a platform makes of the links in its posts: l.php?u=, redirect?q=, safety/go?url=, link/v2?target=, r/?url=';
const loginWall =
  'links in public code that were copied where the platform asked to sign in: authwall?sessionRedirect=, accounts/login/?next=, m/global-identity?redirectUrl=';
const hash = 'addresses of 2010 to 2012 with #!/, which twitter.com and facebook.com still lead on (AJAX crawling scheme)';

// Sources of one platform each.
const telegram =
  'core.telegram.org/api/links: t.me, telegram.me, telegram.dog, <username>.t.me, tg: and tg://, and their parameters';
const telegramWeb = 'github.com/TelegramOrg/Telegram-web-k and -web-a: #@username, #?tgaddr=tg://…, #/im?p=@username';
const telegramPreview = 'telegram.org/blog/privacy-discussions-web-bots, "Channels on the web": t.me/s/channel';
const xIntents = 'docs.x.com, "Web Intents" and "Follow button": intent/user, intent/follow with screen_name';
const xGallery =
  'github.com/mikf/gallery-dl, extractor/twitter.py: www and mobile; fxtwitter, vxtwitter, fixupx, fixvx; tabs of an account';
const xApp = 'apps of others, found by searching public code for twitter://user?screen_name=';
const xLogin = 'what x.com sends a visitor to who is not signed in: i/flow/login?redirect_after_login=';
const xViewers =
  'github.com/zedeus/nitter (nitter.net, and xcancel.com, which runs it); github.com/FxEmbed/FxEmbed (twittpr.com)';
const youtubeHelp = 'support.google.com/youtube/answer/6180214: youtube.com/@handle, /channel/ID, /c/name, /name, /user/name';
const youtubeTabs = 'github.com/yt-dlp/yt-dlp, extractor/youtube: tabs of a channel; m., music. and www.';
const youtubeApp = 'Apple URL Scheme Reference, "YouTube links", and apps of others: vnd.youtube://, youtube://';
const youtubeEmbed =
  'developers.google.com/youtube/player_parameters and the Atom feeds: embed/live_stream?channel=, feeds/videos.xml?channel_id=';
const discordHelp =
  'support.discord.com, "Invites 101": discord.gg/code, discord.com/invite/code; discordapp.com is the former domain';
const discordBuilds = 'support.discord.com, "Discord Testing Clients": ptb. and canary.';
const discordApp = 'gist.github.com/itsmefox/ea6584889451e54e7a3098fdf0c0b681 and …/Awoocado/8877e637: links of the desktop app';
const discordApi = 'docs.discord.com, "Guild" and "Invite": api/guilds/id/widget.json, api/invites/code, widget?id=';
const facebookHelp =
  'facebook.com/help/211813265517027 and the tabs that its pages have; facebook.com/help: names ignore dots and case';
const facebookHosts = 'the languages and low-bandwidth hosts of facebook.com: m., mbasic., touch., free., fr-fr., fb.com';
const messenger =
  'developers.facebook.com, "m.me Links": m.me/PAGE-NAME; messenger.com/t/ is what it leads to (stackoverflow.com/q/25467445)';
const facebookApp = 'stackoverflow.com/q/4810803 and q/34564211: fb://profile, fb://page, fb://facewebmodal/f?href=';
const messengerApp = 'stackoverflow.com/q/25467445: fb-messenger://user/, user-thread/, fb-messenger-public://user-thread/';
const instagramHooks =
  'Instagram developer documentation, "iPhone hooks": instagram://user?username=; instagram.com/_u/ for Android';
const instagramLinks =
  'developers.facebook.com, "ig.me Links": ig.me/m/USERNAME; indieweb.org/Instagram: instagram.com/m/USERNAME';
const instagramTabs =
  'github.com/mikf/gallery-dl, extractor/instagram.py: tabs and stories of an account; instagr.am is the short domain';
const instagramViewers = 'github.com/seriaati/embed-fixer: ddinstagram.com in place of instagram.com';
const tiktokLinks =
  'support.tiktok.com, "Share": links with is_from_webapp, _t and _r; github.com/yt-dlp/yt-dlp, extractor/tiktok.py';
const tiktokViewers = 'github.com/seriaati/embed-fixer: tiktxk.com in place of tiktok.com';
const linkedinHelp =
  'linkedin.com/help/linkedin/answer/a542685: public profile URL, with country subdomains; the pages of a profile';
const linkedinApp =
  'apps of others, found by searching public code for linkedin://profile/; comm/ is in its mails, mwlite/ and m/ on mobile';
const linkedinPost = 'github.com/chetangoel01/social-media-reports: posts/<author>_…-activity-<number>-<code>';
const githubDocs = 'docs.github.com: profile tabs, organizations, sponsors, .keys, .gpg and .png of a user';
const githubRest =
  'docs.github.com/rest/users: api.github.com/users/name, /orgs/name; gist.github.com/name lists the gists of a user';
const redditDocs =
  'reddit.com/dev/api and reddit help: user/ and u/, old., new., np., .json and .rss, r/u_name, message/compose?to=';
const redditApp = 'apps of others, found by searching public code for reddit:///u/';
const redditViewers = 'github.com/seriaati/embed-fixer: rxddit.com in place of reddit.com';
const whatsappFaq =
  'faq.whatsapp.com/5913398998672934, "click to chat": wa.me/number, text=; api.whatsapp.com/send?phone= before it';
const whatsappApp =
  'faq.whatsapp.com/iphone, "link to WhatsApp from a different app": whatsapp://send?phone=; web.whatsapp.com/send for desktop';
const mediumHelp =
  'help.medium.com, "Custom domains" and "Profile": medium.com/@name, name.medium.com, and the tabs of a profile';
const mediumFeed = 'help.medium.com, "RSS feeds": medium.com/feed/@name, name.medium.com/feed';
const twitchDocs =
  'dev.twitch.tv/docs/mobile-deeplinks: twitch://stream/, twitch://open?stream=, twitch://channel/, twitch://open?channel=';
const twitchEmbed = 'dev.twitch.tv/docs/embed: player.twitch.tv/?channel=, twitch.tv/embed/name/chat, popout';
const twitchTabs = 'help.twitch.tv, "Channel page": videos, clips, schedule, about; m. is the mobile site and go. the former one';
const threadsDocs = 'developers.facebook.com, "Threads Web Intents": intent/follow?username=; threads.net became threads.com';
const threadsApp = 'zenn.dev/roboin/articles/7f0bd5fb20cf2b, and apps of others: the scheme barcelona:';

export const accountSpellings: readonly AccountSpellings[] = [
  {
    platform: 'Telegram',
    type: 'TELEGRAM',
    row: 'https://t.me/Evil_Support',
    spellings: [
      [table, 'https://t.me/evil_support', 'https://t.me/EVIL_SUPPORT', 'https://t.me/Evil_Support/'],
      [uri, 'HTTPS://T.ME/Evil_Support', 'https://t.me/%45vil_Support', 'https://t.me/Evil%5FSupport'],
      [browser, 't.me/Evil_Support', 'http://t.me/evil_support', '//t.me/evil_support', 'https:\\\\t.me\\evil_support'],
      [browser, ' https://t.me/evil_support\n', 'https://t.me:443/evil_support', 'https://www.t.me/evil_support'],
      [campaign, 'https://t.me/evil_support?utm_source=x', 'https://t.me/Evil_Support?fbclid=abc'],
      [telegram, 'https://telegram.me/evil_support', 'https://telegram.dog/evil_support', 'telegram.me/Evil_Support/'],
      [telegram, 'https://evil_support.t.me', 'https://evil_support.t.me/', 'https://Evil_Support.t.me/123'],
      [telegram, 'tg://resolve?domain=evil_support', 'tg:resolve?domain=Evil_Support', 'TG://resolve?domain=EVIL_SUPPORT'],
      [telegram, 'tg://resolve?domain=evil_support&start=pay', 'tg://resolve?start=pay&domain=evil_support'],
      [
        telegram,
        'tg://resolve?domain=evil_support&post=123',
        'tg://resolve?domain=evil_support&text=hi',
        'tg://boost?domain=evil_support',
      ],
      [telegram, 'tg://resolve?domain=evil_support&appname=app&startapp=1', 'tg://resolve?domain=evil_support&videochat'],
      [telegram, 'tg:resolve?domain=evil_support&profile', 'tg://resolve?domain=%65vil_support', 'tg:boost?domain=evil_support'],
      [telegram, 'https://t.me/evil_support?start=pay', 'https://t.me/evil_support?startgroup=a&admin=manage_chat'],
      [telegram, 'https://t.me/evil_support/123', 'https://t.me/evil_support/1/2', 'https://t.me/evil_support/123?comment=4'],
      [
        telegram,
        'https://t.me/evil_support?text=hello',
        'https://t.me/evil_support?videochat',
        'https://t.me/evil_support?profile',
      ],
      [
        telegram,
        'https://t.me/evil_support/app?startapp=1',
        'https://t.me/evil_support?startapp',
        'https://t.me/evil_support/s/7',
      ],
      [telegram, 'https://t.me/boost/evil_support', 'https://t.me/evil_support?boost', 'https://t.me/evil_support#fragment'],
      [
        telegram,
        'https://t.me/evil_support?direct',
        'https://t.me/evil_support?livestream',
        'tg://resolve?domain=evil_support&story=7',
      ],
      [
        telegramPreview,
        'https://t.me/s/evil_support',
        'https://t.me/s/evil_support?before=99',
        'https://telegram.me/s/Evil_Support',
      ],
      [telegramWeb, 'https://web.telegram.org/k/#@evil_support', 'https://web.telegram.org/a/#@evil_support'],
      [telegramWeb, 'https://web.telegram.org/#/im?p=@evil_support', 'https://web.telegram.org/z/#@Evil_Support'],
      [telegramWeb, 'https://web.telegram.org/k/#?tgaddr=tg%3A%2F%2Fresolve%3Fdomain%3Devil_support'],
      [chromeIntent, 'intent://resolve?domain=evil_support#Intent;package=org.telegram.messenger;scheme=tg;end'],
      [chromeIntent, 'intent:tg://resolve?domain=evil_support#Intent;package=org.telegram.messenger;end'],
      [chromeIntent, 'intent://t.me/evil_support#Intent;scheme=https;package=org.telegram.messenger;end'],
    ],
  },
  {
    platform: 'X',
    type: 'TWITTER',
    row: 'https://x.com/Evil_Mint',
    spellings: [
      [table, 'https://x.com/evil_mint', 'https://x.com/EVIL_MINT', 'https://x.com/Evil_Mint/'],
      [uri, 'HTTPS://X.COM/Evil_Mint', 'https://x.com/%45vil_Mint', 'https://x.com/%40evil_mint'],
      [
        browser,
        'x.com/Evil_Mint',
        'http://x.com/evil_mint',
        '//x.com/evil_mint',
        'https://x.com:443/evil_mint',
        ' x.com/evil_mint ',
      ],
      [
        campaign,
        'https://x.com/evil_mint?s=20',
        'https://x.com/Evil_Mint?t=AbCd&s=09',
        'https://x.com/evil_mint?ref_src=twsrc%5Etfw',
      ],
      [
        xGallery,
        'https://twitter.com/Evil_Mint',
        'twitter.com/evil_mint',
        'https://www.twitter.com/evil_mint',
        'https://www.x.com/evil_mint',
      ],
      [xGallery, 'https://mobile.twitter.com/evil_mint', 'https://mobile.x.com/evil_mint', 'https://m.twitter.com/evil_mint'],
      [xGallery, 'https://x.com/evil_mint/with_replies', 'https://x.com/evil_mint/media', 'https://twitter.com/evil_mint/likes'],
      [
        xGallery,
        'https://x.com/evil_mint/highlights',
        'https://x.com/evil_mint/followers',
        'https://x.com/evil_mint/status/1790000000000000000',
      ],
      [
        xGallery,
        'https://fxtwitter.com/evil_mint',
        'https://vxtwitter.com/Evil_Mint',
        'https://fixupx.com/evil_mint',
        'https://fixvx.com/evil_mint',
      ],
      [
        xViewers,
        'https://nitter.net/evil_mint',
        'https://xcancel.com/Evil_Mint',
        'https://xcancel.com/evil_mint/media',
        'https://twittpr.com/evil_mint',
      ],
      [xIntents, 'https://twitter.com/intent/user?screen_name=evil_mint', 'https://x.com/intent/user?screen_name=Evil_Mint'],
      [
        xIntents,
        'https://x.com/intent/follow?screen_name=evil_mint',
        'https://twitter.com/intent/follow?original_referer=a&screen_name=Evil_Mint',
      ],
      [
        xApp,
        'twitter://user?screen_name=evil_mint',
        'twitter://user?screen_name=Evil_Mint&x=1',
        'TWITTER://user?screen_name=evil_mint',
      ],
      [
        xLogin,
        'https://x.com/i/flow/login?redirect_after_login=%2FEvil_Mint',
        'https://twitter.com/i/flow/login?redirect_after_login=%2Fevil_mint',
      ],
      [hash, 'https://twitter.com/#!/evil_mint'],
      [browser, 'https://twitter.com/@evil_mint', 'https://x.com//evil_mint'],
      [chromeIntent, 'intent://user?screen_name=evil_mint#Intent;package=com.twitter.android;scheme=twitter;end'],
      [chromeIntent, 'intent://x.com/evil_mint#Intent;package=com.twitter.android;scheme=https;end'],
    ],
    missed: [
      [
        'https://syndication.twitter.com/srv/timeline-profile/screen-name/evil_mint',
        'the address of a frame inside other pages, which nobody opens by itself',
      ],
    ],
  },
  {
    platform: 'YouTube (handle)',
    type: 'YOUTUBE',
    row: 'https://www.youtube.com/@Evil-Mint',
    spellings: [
      [table, 'https://www.youtube.com/@evil-mint', 'https://youtube.com/@EVIL-MINT', 'https://www.youtube.com/@Evil-Mint/'],
      [uri, 'https://www.youtube.com/%40evil-mint', 'HTTPS://WWW.YOUTUBE.COM/@evil-mint', 'https://youtube.com/@evil%2Dmint'],
      [browser, 'youtube.com/@Evil-Mint', 'http://youtube.com/@evil-mint', '//www.youtube.com/@evil-mint'],
      [
        campaign,
        'https://youtube.com/@evil-mint?si=AbCdEfGh',
        'https://www.youtube.com/@evil-mint?sub_confirmation=1',
        'https://www.youtube.com/@evil-mint?app=desktop',
      ],
      [
        youtubeTabs,
        'https://m.youtube.com/@evil-mint',
        'https://music.youtube.com/@evil-mint',
        'https://www.youtube.com/@evil-mint/videos',
      ],
      [
        youtubeTabs,
        'https://www.youtube.com/@evil-mint/shorts',
        'https://www.youtube.com/@evil-mint/streams',
        'https://www.youtube.com/@evil-mint/live',
      ],
      [
        youtubeTabs,
        'https://www.youtube.com/@evil-mint/about',
        'https://www.youtube.com/@evil-mint/community',
        'https://www.youtube.com/@evil-mint/playlists',
      ],
      [
        youtubeTabs,
        'https://www.youtube.com/@evil-mint/featured',
        'https://www.youtube.com/@evil-mint/search?query=x',
        'https://m.youtube.com/@Evil-Mint/posts',
      ],
      [
        youtubeApp,
        'vnd.youtube://www.youtube.com/@evil-mint',
        'youtube://www.youtube.com/@evil-mint',
        'vnd.youtube://@evil-mint',
        'youtube://youtube.com/@evil-mint',
      ],
      [redirect, 'https://www.youtube.com/redirect?q=https%3A%2F%2Fwww.youtube.com%2F%40evil-mint'],
      [chromeIntent, 'intent://www.youtube.com/@evil-mint#Intent;scheme=https;package=com.google.android.youtube;end'],
      [
        chromeIntent,
        'intent://www.youtube.com/@evil-mint/videos#Intent;scheme=vnd.youtube;package=com.google.android.youtube;end',
      ],
    ],
  },
  {
    platform: 'YouTube (channel)',
    type: 'YOUTUBE',
    row: 'https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv',
    spellings: [
      [table, 'https://youtube.com/channel/UCabcdefghijklmnopqrstuv/', 'youtube.com/channel/UCabcdefghijklmnopqrstuv'],
      [
        uri,
        'HTTPS://WWW.YOUTUBE.COM/channel/UCabcdefghijklmnopqrstuv',
        'https://www.youtube.com/ch%61nnel/UCabcdefghijklmnopqrstuv',
      ],
      [browser, 'http://youtube.com/channel/UCabcdefghijklmnopqrstuv', '//youtube.com/channel/UCabcdefghijklmnopqrstuv'],
      [
        campaign,
        'https://youtube.com/channel/UCabcdefghijklmnopqrstuv?si=a',
        'https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv?sub_confirmation=1',
      ],
      [
        youtubeTabs,
        'https://m.youtube.com/channel/UCabcdefghijklmnopqrstuv',
        'https://music.youtube.com/channel/UCabcdefghijklmnopqrstuv',
      ],
      [
        youtubeTabs,
        'https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv/videos',
        'https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv/live',
      ],
      [
        youtubeTabs,
        'https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv/about',
        'https://gaming.youtube.com/channel/UCabcdefghijklmnopqrstuv',
      ],
      [
        youtubeTabs,
        'https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv/playlists?view=1',
        'https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv/community',
      ],
      [
        youtubeEmbed,
        'https://www.youtube.com/embed/live_stream?channel=UCabcdefghijklmnopqrstuv',
        'https://www.youtube-nocookie.com/embed/live_stream?channel=UCabcdefghijklmnopqrstuv',
      ],
      [youtubeEmbed, 'https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstuv'],
      [
        youtubeApp,
        'vnd.youtube://www.youtube.com/channel/UCabcdefghijklmnopqrstuv',
        'youtube://www.youtube.com/channel/UCabcdefghijklmnopqrstuv',
      ],
      [
        youtubeApp,
        'vnd.youtube:channel/UCabcdefghijklmnopqrstuv',
        'youtube://channel/UCabcdefghijklmnopqrstuv',
        'vnd.youtube://user/channel/UCabcdefghijklmnopqrstuv',
      ],
      [
        chromeIntent,
        'intent://www.youtube.com/channel/UCabcdefghijklmnopqrstuv#Intent;scheme=https;package=com.google.android.youtube;end',
      ],
    ],
  },
  {
    platform: 'YouTube (custom URL)',
    type: 'YOUTUBE',
    row: 'https://www.youtube.com/c/EvilMint',
    spellings: [
      [table, 'https://www.youtube.com/c/evilmint', 'https://youtube.com/c/EVILMINT/'],
      [uri, 'HTTPS://YOUTUBE.COM/c/evilmint', 'https://youtube.com/c/%65vilmint'],
      [browser, 'youtube.com/c/evilmint', 'http://www.youtube.com/c/evilmint', '//youtube.com/c/evilmint'],
      [campaign, 'https://youtube.com/c/evilmint?sub_confirmation=1', 'https://youtube.com/c/evilmint?utm_source=x'],
      [youtubeHelp, 'https://www.youtube.com/EvilMint', 'youtube.com/evilmint', 'https://www.youtube.com/evilmint/'],
      [
        youtubeTabs,
        'https://www.youtube.com/evilmint/videos',
        'https://www.youtube.com/evilmint?sub_confirmation=1',
        'https://m.youtube.com/evilmint',
      ],
      [
        youtubeTabs,
        'https://www.youtube.com/c/evilmint/videos',
        'https://m.youtube.com/c/evilmint',
        'https://www.youtube.com/c/evilmint/about',
      ],
      [
        youtubeTabs,
        'https://www.youtube.com/c/evilmint/live',
        'https://www.youtube.com/c/evilmint/featured',
        'https://www.youtube.com/c/evilmint/playlists',
      ],
      [
        youtubeApp,
        'vnd.youtube://www.youtube.com/c/evilmint',
        'youtube://www.youtube.com/c/evilmint',
        'vnd.youtube://c/evilmint',
      ],
      [chromeIntent, 'intent://www.youtube.com/c/evilmint#Intent;scheme=https;package=com.google.android.youtube;end'],
    ],
  },
  {
    platform: 'Discord (invite)',
    type: 'DISCORD',
    row: 'https://discord.gg/EvilMint7',
    spellings: [
      [table, 'https://discord.gg/EvilMint7/', 'discord.gg/EvilMint7'],
      [uri, 'HTTPS://DISCORD.GG/EvilMint7', 'https://discord.gg/%45vilMint7'],
      [browser, 'http://discord.gg/EvilMint7', '//discord.gg/EvilMint7', 'https://www.discord.gg/EvilMint7'],
      [campaign, 'https://discord.gg/EvilMint7?utm_source=x', 'https://discord.gg/EvilMint7?event=123456789012345678'],
      [
        discordHelp,
        'https://discord.com/invite/EvilMint7',
        'discord.com/invite/EvilMint7/',
        'https://www.discord.com/invite/EvilMint7',
      ],
      [
        discordHelp,
        'https://discordapp.com/invite/EvilMint7',
        'https://discord.gg/invite/EvilMint7',
        'http://discordapp.com/invite/EvilMint7?a=b',
      ],
      [
        discordBuilds,
        'https://ptb.discord.com/invite/EvilMint7',
        'https://canary.discord.com/invite/EvilMint7',
        'https://ptb.discordapp.com/invite/EvilMint7',
        'https://canary.discordapp.com/invite/EvilMint7',
      ],
      [
        discordApp,
        'discord://-/invite/EvilMint7',
        'discord://discord.com/invite/EvilMint7',
        'discord://discord.gg/EvilMint7',
        'discord://-/invite/EvilMint7/login',
      ],
      [
        discordApp,
        'https://discord.com/invite/EvilMint7/login',
        'discord://invite/EvilMint7',
        'com.hammerandchisel.discord://discord.gg/EvilMint7',
      ],
      [discordApi, 'https://discord.com/api/v10/invites/EvilMint7', 'https://discord.com/api/invites/EvilMint7?with_counts=true'],
      [chromeIntent, 'intent://discord.com/invite/EvilMint7#Intent;scheme=https;package=com.discord;end'],
      [chromeIntent, 'intent://discord.gg/EvilMint7#Intent;scheme=https;package=com.discord;end'],
    ],
  },
  {
    platform: 'Discord (server)',
    type: 'DISCORD',
    row: 'https://discord.com/channels/876543210987654321',
    spellings: [
      [table, 'https://discord.com/channels/876543210987654321/', 'discord.com/channels/876543210987654321'],
      [uri, 'HTTPS://DISCORD.COM/channels/876543210987654321', 'https://discord.com/ch%61nnels/876543210987654321'],
      [browser, 'http://discord.com/channels/876543210987654321', 'https://www.discord.com/channels/876543210987654321'],
      [
        discordHelp,
        'https://discord.com/channels/876543210987654321/876543210987654322',
        'https://discordapp.com/channels/876543210987654321',
      ],
      [discordHelp, 'https://discord.com/channels/876543210987654321/876543210987654322/1122334455667788990'],
      [
        discordHelp,
        'https://discord.com/events/876543210987654321/1122334455667788990',
        'https://discord.com/servers/evil-mint-876543210987654321',
      ],
      [
        discordBuilds,
        'https://ptb.discord.com/channels/876543210987654321',
        'https://canary.discord.com/channels/876543210987654321/1122334455667788990',
      ],
      [
        discordApp,
        'discord://-/channels/876543210987654321',
        'discord://-/channels/876543210987654321/1122334455667788990',
        'discord://discord.com/channels/876543210987654321',
      ],
      [
        discordApp,
        'discord://-/member-verification/876543210987654321',
        'discord:///channels/876543210987654321',
        'discord://-/events/876543210987654321/1122334455667788990',
      ],
      [
        discordApi,
        'https://discord.com/api/guilds/876543210987654321/widget.json',
        'https://discord.com/api/v10/guilds/876543210987654321/widget.png',
        'https://discord.com/widget?id=876543210987654321&theme=dark',
      ],
      [chromeIntent, 'intent://discord.com/channels/876543210987654321#Intent;scheme=https;package=com.discord;end'],
    ],
  },
  {
    platform: 'Discord (user)',
    type: 'DISCORD_USER',
    row: 'https://discord.com/users/876543210987654321',
    spellings: [
      [table, 'https://discord.com/users/876543210987654321/', 'discord.com/users/876543210987654321'],
      [uri, 'HTTPS://DISCORD.COM/users/876543210987654321', 'https://discord.com/us%65rs/876543210987654321'],
      [browser, 'http://discord.com/users/876543210987654321', 'https://www.discord.com/users/876543210987654321'],
      [discordHelp, 'https://discordapp.com/users/876543210987654321', 'https://discord.com/users/876543210987654321?a=b'],
      [discordBuilds, 'https://ptb.discord.com/users/876543210987654321', 'https://canary.discord.com/users/876543210987654321'],
      [
        discordApp,
        'discord://-/users/876543210987654321',
        'discord://discord.com/users/876543210987654321',
        'discord:///users/876543210987654321',
      ],
      [chromeIntent, 'intent://discord.com/users/876543210987654321#Intent;scheme=https;package=com.discord;end'],
    ],
  },
  {
    platform: 'Facebook (name)',
    type: 'FACEBOOK',
    row: 'https://www.facebook.com/Evil.Mint',
    spellings: [
      [table, 'https://www.facebook.com/evil.mint', 'https://facebook.com/EVIL.MINT/'],
      [facebookHelp, 'https://www.facebook.com/evilmint', 'https://facebook.com/e.vil.mint'],
      [uri, 'HTTPS://FACEBOOK.COM/Evil.Mint', 'https://facebook.com/%65vilmint'],
      [browser, 'facebook.com/Evil.Mint', 'http://facebook.com/evil.mint', '//facebook.com/evil.mint'],
      [hash, 'https://www.facebook.com/#!/evil.mint'],
      [
        campaign,
        'https://www.facebook.com/Evil.Mint?mibextid=ZbWKwL',
        'https://www.facebook.com/evilmint?ref=bookmarks',
        'https://facebook.com/evilmint?_rdr',
      ],
      [
        facebookHosts,
        'https://m.facebook.com/evil.mint',
        'https://mbasic.facebook.com/evilmint',
        'https://touch.facebook.com/evilmint',
        'https://free.facebook.com/evilmint',
      ],
      [
        facebookHosts,
        'https://fr-fr.facebook.com/evilmint',
        'https://web.facebook.com/evil.mint',
        'https://fb.com/evil.mint',
        'https://business.facebook.com/evilmint',
      ],
      [
        facebookHelp,
        'https://www.facebook.com/evil.mint/about',
        'https://www.facebook.com/evil.mint/photos',
        'https://www.facebook.com/evil.mint/videos/',
      ],
      [
        facebookHelp,
        'https://www.facebook.com/pg/evil.mint/posts/',
        'https://www.facebook.com/evilmint/reviews',
        'https://www.facebook.com/evilmint/followers',
      ],
      [
        messenger,
        'https://m.me/evil.mint',
        'm.me/evilmint?ref=x',
        'https://www.messenger.com/t/evil.mint',
        'https://messenger.com/t/evilmint/',
      ],
      [messenger, 'https://www.facebook.com/messages/t/evil.mint'],
      [
        facebookApp,
        'fb://facewebmodal/f?href=https://www.facebook.com/evil.mint',
        'fb://facewebmodal/f?href=https%3A%2F%2Ffacebook.com%2Fevilmint',
      ],
      [facebookApp, 'fb://profile/evil.mint', 'fb://page/evilmint'],
      [chromeIntent, 'intent://facebook.com/evil.mint#Intent;package=com.facebook.katana;scheme=https;end'],
      [redirect, 'https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.facebook.com%2Fevilmint'],
    ],
    missed: [
      [
        'https://www.facebook.com/messages/e2ee/t/evil.mint',
        'an encrypted chat has a number of its own there; a name has not been seen in its place',
      ],
    ],
  },
  {
    platform: 'Facebook (number)',
    type: 'FACEBOOK',
    row: 'https://www.facebook.com/profile.php?id=100012345678901',
    spellings: [
      [table, 'https://www.facebook.com/100012345678901', 'https://facebook.com/100012345678901/'],
      [uri, 'HTTPS://WWW.FACEBOOK.COM/profile.php?id=100012345678901', 'https://facebook.com/profile%2Ephp?id=100012345678901'],
      [browser, 'facebook.com/profile.php?id=100012345678901', 'http://facebook.com/profile.php?id=100012345678901'],
      [
        campaign,
        'https://www.facebook.com/profile.php?id=100012345678901&mibextid=ZbWKwL',
        'https://www.facebook.com/profile.php?ref=x&id=100012345678901',
      ],
      [
        facebookHosts,
        'https://m.facebook.com/profile.php?id=100012345678901',
        'https://mbasic.facebook.com/profile.php?id=100012345678901&v=info',
      ],
      [
        facebookHelp,
        'https://www.facebook.com/people/Evil-Mint/100012345678901',
        'https://www.facebook.com/people/_/100012345678901/',
      ],
      [
        facebookHelp,
        'https://www.facebook.com/profile.php?id=100012345678901&sk=about',
        'https://www.facebook.com/profile/100012345678901/search',
      ],
      [
        facebookHelp,
        'https://www.facebook.com/pages/Evil-Mint/100012345678901',
        'https://www.facebook.com/p/Evil-Mint-100012345678901/',
      ],
      [
        facebookHelp,
        'https://www.facebook.com/marketplace/profile/100012345678901',
        'https://www.facebook.com/groups/12345/user/100012345678901/',
      ],
      [
        messenger,
        'https://m.me/100012345678901',
        'https://www.messenger.com/t/100012345678901',
        'https://www.facebook.com/messages/t/100012345678901',
      ],
      [
        facebookApp,
        'fb://profile/100012345678901',
        'fb://page/100012345678901',
        'fb://profile?id=100012345678901',
        'fb://user/100012345678901',
      ],
      [facebookApp, 'fb://facewebmodal/f?href=https://www.facebook.com/profile.php?id=100012345678901'],
      [
        messengerApp,
        'fb-messenger://user/100012345678901',
        'fb-messenger://user-thread/100012345678901',
        'fb-messenger-public://user-thread/100012345678901',
      ],
      [chromeIntent, 'intent://profile/100012345678901#Intent;scheme=fb;package=com.facebook.katana;end'],
    ],
  },
  {
    platform: 'Instagram',
    type: 'INSTAGRAM',
    row: 'https://www.instagram.com/Evil.Mint/',
    spellings: [
      [table, 'https://www.instagram.com/evil.mint', 'https://instagram.com/EVIL.MINT/'],
      [uri, 'HTTPS://INSTAGRAM.COM/evil.mint', 'https://www.instagram.com/%65vil.mint', 'https://www.instagram.com/%40evil.mint'],
      [
        browser,
        'instagram.com/evil.mint',
        'http://www.instagram.com/evil.mint',
        '//instagram.com/evil.mint',
        'https://instagram.com/@evil.mint',
      ],
      [
        campaign,
        'https://www.instagram.com/evil.mint?igsh=MTB2eXZ5',
        'https://www.instagram.com/evil.mint/?hl=en',
        'https://instagram.com/evil.mint?utm_medium=copy_link',
      ],
      [
        instagramTabs,
        'https://m.instagram.com/evil.mint',
        'https://instagr.am/evil.mint',
        'https://www.instagram.com/evil.mint/reels/',
        'https://www.instagram.com/evil.mint/tagged/',
      ],
      [
        instagramTabs,
        'https://www.instagram.com/evil.mint/channel/',
        'https://www.instagram.com/evil.mint/guides/',
        'https://www.instagram.com/evil.mint/reposts',
      ],
      [
        instagramTabs,
        'https://www.instagram.com/stories/evil.mint/',
        'https://www.instagram.com/stories/evil.mint/3141592653589793238/',
        'https://www.instagram.com/evil.mint/followers/',
      ],
      [
        instagramTabs,
        'https://www.instagram.com/evil.mint/p/AbCdEfGhIjK/',
        'https://www.instagram.com/evil.mint/reel/AbCdEfGhIjK/',
      ],
      [
        instagramHooks,
        'instagram://user?username=evil.mint',
        'instagram://user?username=Evil.Mint&x=1',
        'https://www.instagram.com/_u/evil.mint',
        'http://instagram.com/_u/evil.mint/',
      ],
      [instagramLinks, 'https://ig.me/m/evil.mint', 'ig.me/m/Evil.Mint?ref=x', 'https://instagram.com/m/evil.mint'],
      [instagramViewers, 'https://www.ddinstagram.com/evil.mint', 'https://ddinstagram.com/Evil.Mint/'],
      [chromeIntent, 'intent://instagram.com/_u/evil.mint#Intent;package=com.instagram.android;scheme=https;end'],
      [chromeIntent, 'intent://user?username=evil.mint#Intent;package=com.instagram.android;scheme=instagram;end'],
      [
        loginWall,
        'https://www.instagram.com/accounts/login/?next=/evil.mint/',
        'https://www.instagram.com/accounts/login/?next=https%3A%2F%2Fwww.instagram.com%2FEvil.Mint%2F%3Fhl%3Dfr&is_from_rle',
      ],
      [redirect, 'https://l.instagram.com/?u=https%3A%2F%2Fwww.instagram.com%2Fevil.mint'],
    ],
  },
  {
    platform: 'TikTok',
    type: 'TIKTOK',
    row: 'https://www.tiktok.com/@Evil.Mint',
    spellings: [
      [table, 'https://www.tiktok.com/@evil.mint', 'https://tiktok.com/@EVIL.MINT', 'https://www.tiktok.com/@evil.mint/'],
      [uri, 'HTTPS://WWW.TIKTOK.COM/@evil.mint', 'https://www.tiktok.com/%40evil.mint', 'https://www.tiktok.com/@%65vil.mint'],
      [
        browser,
        'tiktok.com/@evil.mint',
        'http://tiktok.com/@evil.mint',
        '//www.tiktok.com/@evil.mint',
        ' www.tiktok.com/@evil.mint ',
      ],
      [campaign, 'https://www.tiktok.com/@evil.mint?lang=en', 'https://www.tiktok.com/@evil.mint?refer=embed'],
      [
        tiktokLinks,
        'https://www.tiktok.com/@evil.mint?_t=8R5zFHrp38o&_r=1',
        'https://www.tiktok.com/@evil.mint?is_from_webapp=1&sender_device=pc',
      ],
      [
        tiktokLinks,
        'https://m.tiktok.com/@evil.mint',
        'https://www.tiktok.com/@evil.mint/live',
        'https://www.tiktok.com/@evil.mint/video/7078499218352131371',
      ],
      [
        tiktokLinks,
        'https://www.tiktok.com/@evil.mint/photo/7078499218352131371',
        'https://www.tiktok.com/@evil.mint/playlist/a-7078499218352131371',
      ],
      [tiktokLinks, 'https://www.tiktok.com/@evil.mint/collection/a-7078499218352131371', 'https://lite.tiktok.com/@evil.mint'],
      [
        tiktokLinks,
        'https://www.tiktok.com/embed/@evil.mint',
        'https://www.tiktok.com/link/v2?aid=1988&scene=bio_url&target=https%3A%2F%2Fwww.tiktok.com%2F%40evil.mint',
      ],
      [tiktokViewers, 'https://www.tiktxk.com/@evil.mint', 'https://tiktxk.com/@evil.mint/video/7078499218352131371'],
      [chromeIntent, 'intent://www.tiktok.com/@evil.mint#Intent;package=com.zhiliaoapp.musically;scheme=https;end'],
    ],
  },
  {
    platform: 'LinkedIn',
    type: 'LINKEDIN',
    row: 'https://www.linkedin.com/in/Jane-Mint-12345',
    spellings: [
      [table, 'https://www.linkedin.com/in/jane-mint-12345', 'https://linkedin.com/in/JANE-MINT-12345/'],
      [
        uri,
        'HTTPS://WWW.LINKEDIN.COM/in/jane-mint-12345',
        'https://www.linkedin.com/in/j%61ne-mint-12345',
        'https://www.linkedin.com/%69n/jane-mint-12345',
      ],
      [
        browser,
        'linkedin.com/in/jane-mint-12345',
        'http://www.linkedin.com/in/jane-mint-12345',
        '//linkedin.com/in/jane-mint-12345',
      ],
      [
        campaign,
        'https://www.linkedin.com/in/jane-mint-12345?trk=public_profile',
        'https://www.linkedin.com/in/jane-mint-12345/?originalSubdomain=uk',
        'https://www.linkedin.com/in/jane-mint-12345?lipi=urn%3Ali%3Apage',
      ],
      [
        linkedinHelp,
        'https://uk.linkedin.com/in/jane-mint-12345',
        'https://de.linkedin.com/in/jane-mint-12345',
        'https://m.linkedin.com/in/jane-mint-12345',
        'https://touch.linkedin.com/in/jane-mint-12345',
      ],
      [
        linkedinHelp,
        'https://www.linkedin.com/in/jane-mint-12345/en',
        'https://www.linkedin.com/in/jane-mint-12345/details/experience/',
        'https://www.linkedin.com/in/jane-mint-12345/overlay/contact-info/',
      ],
      [
        linkedinHelp,
        'https://www.linkedin.com/in/jane-mint-12345/recent-activity/all/',
        'https://www.linkedin.com/in/jane-mint-12345/detail/recent-activity/shares/',
      ],
      [
        linkedinApp,
        'https://www.linkedin.com/comm/in/jane-mint-12345?midToken=x',
        'https://www.linkedin.com/mwlite/in/jane-mint-12345',
        'https://www.linkedin.com/m/in/jane-mint-12345/',
      ],
      [
        linkedinApp,
        'linkedin://in/jane-mint-12345',
        'linkedin://profile/jane-mint-12345',
        'linkedin://profile?id=jane-mint-12345',
        'linkedin://www.linkedin.com/in/jane-mint-12345',
      ],
      [
        linkedinPost,
        'https://www.linkedin.com/posts/jane-mint-12345_crypto-mint-activity-7402746946853253120-EGae',
        'https://www.linkedin.com/posts/Jane-Mint-12345_activity-7402746946853253120-EGae?utm_source=share',
      ],
      [
        loginWall,
        'https://www.linkedin.com/authwall?trk=bf&trkInfo=AQ&original_referer=&sessionRedirect=https%3A%2F%2Fwww.linkedin.com%2Fin%2Fjane-mint-12345',
      ],
      [redirect, 'https://www.linkedin.com/safety/go?url=https%3A%2F%2Fwww.linkedin.com%2Fin%2Fjane-mint-12345'],
      [chromeIntent, 'intent://www.linkedin.com/in/jane-mint-12345#Intent;package=com.linkedin.android;scheme=https;end'],
      [chromeIntent, 'intent://profile/jane-mint-12345#Intent;package=com.linkedin.android;scheme=linkedin;end'],
    ],
  },
  {
    platform: 'GitHub',
    type: 'GITHUB',
    row: 'https://github.com/Evil-Mint',
    spellings: [
      [table, 'https://github.com/evil-mint', 'https://github.com/EVIL-MINT/', 'https://www.github.com/evil-mint'],
      [uri, 'HTTPS://GITHUB.COM/evil-mint', 'https://github.com/%65vil-mint', 'https://github.com/evil%2Dmint'],
      [browser, 'github.com/Evil-Mint', 'http://github.com/evil-mint', '//github.com/evil-mint'],
      [campaign, 'https://github.com/evil-mint?utm_source=x', 'https://github.com/evil-mint?ref=producthunt'],
      [
        githubDocs,
        'https://github.com/evil-mint?tab=repositories',
        'https://github.com/evil-mint?tab=stars&q=a',
        'https://github.com/evil-mint?tab=followers',
      ],
      [
        githubDocs,
        'https://github.com/orgs/evil-mint',
        'https://github.com/orgs/evil-mint/repositories',
        'https://github.com/orgs/Evil-Mint/people',
        'https://github.com/sponsors/evil-mint',
      ],
      [
        githubDocs,
        'https://github.com/evil-mint.keys',
        'https://github.com/evil-mint.gpg',
        'https://github.com/evil-mint.png',
        'https://github.com/evil-mint.atom',
      ],
      [
        githubDocs,
        'https://github.com/stars/evil-mint/lists/a',
        'https://github.com/users/evil-mint/projects/1',
        'https://github.com/evil-mint/airdrop',
      ],
      [
        githubRest,
        'https://api.github.com/users/evil-mint',
        'https://api.github.com/orgs/evil-mint/repos',
        'https://gist.github.com/evil-mint',
        'https://gist.github.com/Evil-Mint/',
      ],
      [githubRest, 'https://api.github.com/users/evil-mint/repos', 'https://gist.github.com/evil-mint/starred'],
      [chromeIntent, 'intent://github.com/evil-mint#Intent;package=com.github.android;scheme=https;end'],
    ],
  },
  {
    platform: 'Reddit',
    type: 'REDDIT',
    row: 'https://www.reddit.com/user/Evil-Mint/',
    spellings: [
      [table, 'https://www.reddit.com/user/evil-mint', 'https://reddit.com/user/EVIL-MINT/'],
      [
        uri,
        'HTTPS://WWW.REDDIT.COM/user/evil-mint',
        'https://www.reddit.com/us%65r/evil-mint',
        'https://www.reddit.com/user/evil%2Dmint',
      ],
      [browser, 'reddit.com/user/Evil-Mint', 'http://reddit.com/user/evil-mint', '//reddit.com/user/evil-mint'],
      [
        campaign,
        'https://www.reddit.com/user/evil-mint/?utm_source=share&utm_medium=web3x',
        'https://www.reddit.com/u/evil-mint?rdt=12345',
      ],
      [
        redditDocs,
        'https://www.reddit.com/u/evil-mint',
        'https://old.reddit.com/user/evil-mint',
        'https://new.reddit.com/u/evil-mint',
        'https://np.reddit.com/user/evil-mint',
      ],
      [
        redditDocs,
        'https://m.reddit.com/u/evil-mint',
        'https://sh.reddit.com/user/evil-mint/',
        'https://i.reddit.com/u/evil-mint',
        'https://de.reddit.com/user/evil-mint',
      ],
      [
        redditDocs,
        'https://www.reddit.com/user/evil-mint/submitted/',
        'https://www.reddit.com/user/evil-mint/comments/',
        'https://www.reddit.com/u/evil-mint/overview',
      ],
      [
        redditDocs,
        'https://www.reddit.com/user/evil-mint.json',
        'https://www.reddit.com/user/evil-mint/.rss',
        'https://www.reddit.com/user/evil-mint/about.json',
      ],
      [
        redditDocs,
        'https://www.reddit.com/r/u_evil-mint',
        'https://www.reddit.com/message/compose/?to=evil-mint',
        'https://www.reddit.com/message/compose?to=/u/Evil-Mint&subject=a',
      ],
      [
        redditApp,
        'reddit:///u/evil-mint',
        'reddit:///user/evil-mint',
        'reddit://www.reddit.com/user/evil-mint',
        'reddit://u/evil-mint',
      ],
      [redditViewers, 'https://www.rxddit.com/user/evil-mint', 'https://rxddit.com/u/evil-mint'],
      [chromeIntent, 'intent://www.reddit.com/user/evil-mint#Intent;package=com.reddit.frontpage;scheme=https;end'],
    ],
  },
  {
    platform: 'WhatsApp',
    type: 'WHATSAPP',
    row: 'https://wa.me/12025550142',
    spellings: [
      [table, 'https://wa.me/12025550142/', 'wa.me/12025550142'],
      [uri, 'HTTPS://WA.ME/12025550142', 'https://wa.me/%2B12025550142', 'https://wa.me/1202555014%32'],
      [
        browser,
        'http://wa.me/12025550142',
        '//wa.me/12025550142',
        'https://www.wa.me/12025550142',
        'https://wa.me:443/12025550142',
      ],
      [
        whatsappFaq,
        'https://wa.me/12025550142?text=Hello%20World',
        'https://wa.me/+12025550142',
        'https://wa.me/1-202-555-0142',
        'https://wa.me/+1(202)555-0142',
      ],
      [
        whatsappFaq,
        'https://api.whatsapp.com/send?phone=12025550142',
        'https://api.whatsapp.com/send/?phone=12025550142&text=a&type=phone_number&app_absent=0',
      ],
      [
        whatsappFaq,
        'https://api.whatsapp.com/send?text=a&phone=%2B12025550142',
        'https://api.whatsapp.com/send?phone=+1%20202%20555%200142',
      ],
      [
        whatsappApp,
        'https://web.whatsapp.com/send?phone=12025550142',
        'https://web.whatsapp.com/send/?phone=12025550142&text=a',
        'https://www.whatsapp.com/send?phone=12025550142',
      ],
      [
        whatsappApp,
        'whatsapp://send?phone=12025550142',
        'whatsapp://send/?phone=12025550142',
        'whatsapp://send?phone=+12025550142&text=a',
        'WHATSAPP://send?phone=12025550142',
      ],
      [whatsappApp, 'whatsapp://send?text=a&phone=12025550142', 'whatsapp:send?phone=12025550142', 'https://wa.me/c/12025550142'],
      [campaign, 'https://wa.me/12025550142?utm_source=x', 'https://api.whatsapp.com/send?phone=12025550142&fbclid=a'],
      [
        chromeIntent,
        'intent://send?phone=12025550142#Intent;scheme=whatsapp;package=com.whatsapp;end',
        'intent://wa.me/12025550142#Intent;scheme=https;package=com.whatsapp;end',
      ],
    ],
    missed: [
      [
        'intent://send/12025550142#Intent;scheme=smsto;package=com.whatsapp;action=android.intent.action.SENDTO;end',
        'a number without its +, for whichever app the package names',
      ],
    ],
  },
  {
    platform: 'WhatsApp (group)',
    type: 'WHATSAPP',
    row: 'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv',
    spellings: [
      [table, 'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv/', 'chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv'],
      [uri, 'HTTPS://CHAT.WHATSAPP.COM/AbCdEfGhIjKlMnOpQrStUv', 'https://chat.whatsapp.com/%41bCdEfGhIjKlMnOpQrStUv'],
      [browser, 'http://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv', '//chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv'],
      [
        campaign,
        'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv?mode=ac_t',
        'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv?fbclid=a',
      ],
      [
        whatsappApp,
        'https://chat.whatsapp.com/invite/AbCdEfGhIjKlMnOpQrStUv',
        'whatsapp://chat?code=AbCdEfGhIjKlMnOpQrStUv',
        'whatsapp://chat/?code=AbCdEfGhIjKlMnOpQrStUv',
      ],
      [
        whatsappApp,
        'https://web.whatsapp.com/accept?code=AbCdEfGhIjKlMnOpQrStUv',
        'https://www.chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv',
      ],
      [chromeIntent, 'intent://chat?code=AbCdEfGhIjKlMnOpQrStUv#Intent;scheme=whatsapp;package=com.whatsapp;end'],
      [chromeIntent, 'intent://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv#Intent;scheme=https;package=com.whatsapp;end'],
    ],
  },
  {
    platform: 'Medium',
    type: 'MEDIUM',
    row: 'https://medium.com/@Evil.Mint',
    spellings: [
      [table, 'https://medium.com/@evil.mint', 'https://medium.com/@EVIL.MINT/'],
      [uri, 'HTTPS://MEDIUM.COM/@evil.mint', 'https://medium.com/%40evil.mint', 'https://medium.com/@%65vil.mint'],
      [
        browser,
        'medium.com/@evil.mint',
        'http://medium.com/@evil.mint',
        '//medium.com/@evil.mint',
        'https://www.medium.com/@evil.mint',
        'https://m.medium.com/@evil.mint',
      ],
      [campaign, 'https://medium.com/@evil.mint?source=post_page-----fd70c7d8c32', 'https://medium.com/@evil.mint?utm_source=x'],
      [
        mediumHelp,
        'https://medium.com/@evil.mint/about',
        'https://medium.com/@evil.mint/followers',
        'https://medium.com/@evil.mint/following',
        'https://medium.com/@evil.mint/lists',
      ],
      [
        mediumHelp,
        'https://medium.com/@evil.mint/latest',
        'https://medium.com/@evil.mint/subscribe',
        'https://medium.com/@evil.mint/membership',
        'https://medium.com/@evil.mint/list/reading-list',
      ],
      [
        mediumHelp,
        'https://medium.com/@evil.mint/claim-your-mint-9bbc88a26437',
        'https://medium.com/@evil.mint/has-recommended',
        'https://medium.com/@evil.mint/responses',
      ],
      [mediumFeed, 'https://medium.com/feed/@evil.mint'],
      [
        loginWall,
        'https://medium.com/m/global-identity?redirectUrl=https%3A%2F%2Fmedium.com%2F%40evil.mint',
        'https://medium.com/m/global-identity-2?redirectUrl=https%3A%2F%2Fmedium.com%2F%40evil.mint',
      ],
      [redirect, 'https://medium.com/r/?url=https%3A%2F%2Fmedium.com%2F%40evil.mint'],
      [chromeIntent, 'intent://medium.com/@evil.mint#Intent;package=com.medium.reader;scheme=https;end'],
    ],
  },
  {
    platform: 'Medium (subdomain)',
    type: 'MEDIUM',
    row: 'https://medium.com/@evilmint',
    spellings: [
      [
        mediumHelp,
        'https://evilmint.medium.com',
        'https://evilmint.medium.com/',
        'evilmint.medium.com',
        'https://EvilMint.medium.com/about',
      ],
      [
        mediumHelp,
        'https://evilmint.medium.com/followers',
        'https://evilmint.medium.com/claim-your-mint-9bbc88a26437',
        'https://evilmint.medium.com/subscribe',
      ],
      [mediumFeed, 'https://evilmint.medium.com/feed'],
      [campaign, 'https://evilmint.medium.com/?source=x', 'https://evilmint.medium.com?utm_source=x'],
    ],
  },
  {
    platform: 'Twitch',
    type: 'TWITCH',
    row: 'https://www.twitch.tv/Evil_Mint',
    spellings: [
      [table, 'https://www.twitch.tv/evil_mint', 'https://twitch.tv/EVIL_MINT/'],
      [uri, 'HTTPS://WWW.TWITCH.TV/evil_mint', 'https://www.twitch.tv/%65vil_mint'],
      [browser, 'twitch.tv/Evil_Mint', 'http://www.twitch.tv/evil_mint', '//twitch.tv/evil_mint'],
      [campaign, 'https://www.twitch.tv/evil_mint?sr=a', 'https://www.twitch.tv/evil_mint?utm_source=x'],
      [
        twitchTabs,
        'https://m.twitch.tv/evil_mint',
        'https://go.twitch.tv/evil_mint',
        'https://www.twitch.tv/evil_mint/videos',
        'https://www.twitch.tv/evil_mint/clips?range=7d',
      ],
      [
        twitchTabs,
        'https://www.twitch.tv/evil_mint/schedule',
        'https://www.twitch.tv/evil_mint/about',
        'https://m.twitch.tv/evil_mint/home',
      ],
      [
        twitchEmbed,
        'https://player.twitch.tv/?channel=evil_mint&parent=a.example',
        'https://www.twitch.tv/embed/evil_mint/chat?parent=a.example',
        'https://www.twitch.tv/popout/evil_mint/chat',
        'https://player.twitch.tv/?muted=true&channel=Evil_Mint',
      ],
      [
        twitchDocs,
        'twitch://stream/evil_mint',
        'twitch://open?stream=evil_mint',
        'twitch://channel/evil_mint',
        'twitch://open?channel=Evil_Mint',
      ],
      [twitchEmbed, 'https://www.twitch.tv/moderator/evil_mint', 'https://www.twitch.tv/subs/evil_mint'],
      [
        chromeIntent,
        'intent://www.twitch.tv/evil_mint#Intent;package=tv.twitch.android.app;scheme=https;end',
        'intent://stream/evil_mint#Intent;package=tv.twitch.android.app;scheme=twitch;end',
      ],
    ],
  },
  {
    platform: 'Threads',
    type: 'THREADS',
    row: 'https://www.threads.net/@Evil.Mint',
    spellings: [
      [table, 'https://www.threads.net/@evil.mint', 'https://threads.net/@EVIL.MINT/'],
      [uri, 'HTTPS://WWW.THREADS.NET/@evil.mint', 'https://www.threads.net/%40evil.mint', 'https://www.threads.net/@%65vil.mint'],
      [
        browser,
        'threads.net/@evil.mint',
        'http://threads.net/@evil.mint',
        '//threads.net/@evil.mint',
        'https://www.threads.com:443/@evil.mint',
      ],
      [
        campaign,
        'https://www.threads.net/@evil.mint?igshid=NTc4MTIwNjQ2YQ==',
        'https://www.threads.com/@evil.mint?xmt=AQF0',
        'https://www.threads.com/@evil.mint?hl=en',
      ],
      [
        threadsDocs,
        'https://www.threads.com/@evil.mint',
        'threads.com/@Evil.Mint',
        'https://www.threads.net/intent/follow?username=evil.mint',
        'https://www.threads.com/intent/follow?username=Evil.Mint',
      ],
      [
        threadsDocs,
        'https://www.threads.com/@evil.mint/replies',
        'https://www.threads.com/@evil.mint/reposts',
        'https://m.threads.net/@evil.mint',
        'https://www.threads.com/@evil.mint/media',
        'https://www.threads.net/@evil.mint/post/CuXFPIeLLod',
      ],
      [threadsApp, 'barcelona://user?username=evil.mint', 'barcelona://user?username=Evil.Mint&a=b'],
      [chromeIntent, 'intent://www.threads.net/@evil.mint#Intent;package=com.instagram.barcelona;scheme=https;end'],
      [chromeIntent, 'intent://user?username=evil.mint#Intent;package=com.instagram.barcelona;scheme=barcelona;end'],
    ],
  },
];
