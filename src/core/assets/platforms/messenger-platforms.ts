import { type PlatformTable, rows } from './platform-table.js';

/** Chats: users, groups, workspaces and widgets. */
export const messengerPlatforms: PlatformTable = /* @__PURE__ */ (() => rows`
DISCORD discord.gg discord.com ptb.discord.com canary.discord.com discordapp.com ptb.discordapp.com canary.discordapp.com
discord.gg/(?:invite/)?([a-z\d-]{2,64}) /%1
/(?:api/(?:v\d+/)?invites|invite)/([a-z\d-]{2,64}) /%1
/(?:channels/|events/|member-verification/|servers/[^/]*-|api/(?:v\d+/)?guilds/)(\d{17,20}) discord.com/channels/$1
/login$ ?redirect_to=/invite/([a-z\d-]{2,64})(?:[/?#].*)? /%1
/widget$ ?id=(\d{17,20}) discord.com/channels/$1
:discord://(?:-?/?|discord\.com/)(?:channels|events|member-verification)/(\d{17,20}) discord.com/channels/$1
:(?:com\.hammerandchisel\.)?discord://(?:(?:-?/?|discord\.com/)invite|discord\.gg(?:/invite)?)/([a-z\d-]{2,64})(?:/login)?$ /%1
@(\d{17,20}) discord.com/channels/$1
@([a-z\d-]{2,64}) /%1

DISCORD_USER discord.com discordapp.com ptb. canary.
/users/(\d{17,20}) $1
:discord://(?:-?/?|discord\.com/)users/(\d{17,20})$ $1
@<?@?!?(\d{17,20})>? $1
!([^@#:\s][^@#:\n]{0,30}[^@#:\s]#\d{4}) $1:any
@(\w(?:\w|\.(?!\.)){1,31}) @$1

TELEGRAM t.me telegram.me telegram.dog web.telegram.org *.
web./[kaz]?$ #(?:(?:/?im\?p=)?@|\?tgaddr=tg://resolve\?domain=)([a-z]\w{3,31})(?:$|&) /$1
/[+\s](\d{7,15})$ /+$1 PHONE_NUMBER:+$1
/(?:joinchat/|[+\s])([\w-]{6,64})$ /+%1
/c/(\d{5,20}) /c/$1
/(addlist|addstickers|addemoji|m)/([\w-]{3,64})$ /$1/%2
/(?:boost|s)/([a-z]\w{3,31}) /$1
*{[a-z]\w{3,31}}/ /$0
-t.|telegram./@?([a-z]\w{3,31}) /$1
:tg:(?://)?(?:resolve|boost) ?domain=@?([a-z]\w{3,31}) /$1
:tg:(?://)?resolve ?phone=\+?(\d{7,15}) /+$1 PHONE_NUMBER:+$1
:tg:(?://)?join ?invite=([\w-]{6,64}) /+%1
:tg:(?://)?(addlist|addstickers|addemoji) ?slug|set=([\w-]{3,64}) /$1/%2
:tg:(?://)?privatepost ?channel=(\d{5,20}) /c/$1
@([a-z]\w{3,31}) /$1
reserved joinchat proxy socks addstickers addemoji addtheme addlist setlanguage invoice confirmphone giftcode boost tour call auction login oauth contact apps share stickers

WHATSAPP wa.me api.whatsapp.com web.whatsapp.com whatsapp.com chat.whatsapp.com call.whatsapp.com
chat./(?:invite/)?([a-z\d]{10,30})$ chat.whatsapp.com/%1
wa.|api./(message|qr)/([a-z\d]{6,30})$ /$1/^2
web./accept$ ?code=([a-z\d]{10,30}) chat.whatsapp.com/%1
whatsapp.|web./channel/([a-z\d]{10,40}) whatsapp.com/channel/%1
wa.|api.|web.|whatsapp./(?:send|message)?$ ?phone=(\s*\+?[\d\s().-]{7,25}) /$1:digits PHONE_NUMBER:+$1:digits
wa./(?:c/)?\+?(\d[\d\s().-]{5,24}\d)$ /$1:digits PHONE_NUMBER:+$1:digits
:whatsapp:(?://)?send/? ?phone=([+\s\d][\d\s().-]{6,24}) /$1:digits PHONE_NUMBER:+$1:digits
:whatsapp:(?://)?chat/? ?code=([a-z\d]{10,30}) chat.whatsapp.com/%1
@(?:\+|00)?\s*([1-9][\d\s().-]{6,24}) /$1:digits

SLACK slack.com join. app. *.
-join./t/([a-z\d-]{1,63}) $1.slack.com
app./client/([TE][a-z\d]{7,12}) app.slack.com/client/^1
*{[a-z\d][a-z\d-]*(?:\.enterprise)?}/ $h
:slack://(?:open|channel|user) ?team=([TE][a-z\d]{7,12}) app.slack.com/client/^1
@-([a-z\d][a-z\d-]{0,62}) $1.slack.com
reserved status files edgeapi slack-redir hooks wss-primary docs join oauth api app downloads a get my

SIGNAL signal.me signal.group signal.art
signal.me/$ #eu/([\w-]{40,100})$ /#eu/%1
signal.me/$ #p/(\+[\d\s().-]{6,24})$ /#p/$1:e164 PHONE_NUMBER:$1
signal.group/$ #([\w-]{40,120})$ signal.group/#%1
signal.art/addstickers$ #(?:.*&)?pack_id=([\da-f]{32}) signal.art/$1
signal.art/([\da-f]{32})$ signal.art/$1
:sgnl://signal\.me/?$ #eu/([\w-]{40,100})$ /#eu/%1
:sgnl://signal\.me/?$ #p/(\+[\d\s().-]{6,24})$ /#p/$1:e164 PHONE_NUMBER:$1
:sgnl://(?:signal\.group|joingroup)/?$ #([\w-]{40,120})$ signal.group/#%1
@(?:signal:)?@?([a-z_]\w{2,31}\.\d{2,9}) signal:$1

TAWK_TO tawk.to embed. va. *.tawk.help
tawk.|embed.|va./(?:chat/|v1/)?([\da-f]{24})/([a-z\d]{5,20}) /chat/$1/$2 /chat/$1
tawk.|embed./(?:chat/)?([\da-f]{24})$ /chat/$1
-tawk./([\w-]{2,60})$ /$1
*{[a-z\d-]{2,60}}/ /$0
reserved chat hire-agents knowledgebase software data-protection about login terms pricing blog features contact apps privacy-policy
`)();
